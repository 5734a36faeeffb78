"""`python -m tests.infra.golden` keeps what the deployments would make now.

Read the difference before it is committed: it is what people's deployments will do.
"""

import json
import sys
import tempfile
from pathlib import Path

from tests.infra.compiler import Document
from tests.infra.sets import GOLDEN, Snapshots

FOLDER = Path(__file__).with_name("golden")


def place(name: str) -> Path:
    """Return where a set's snapshot is kept."""
    return FOLDER / f"{name}.json"


def text(snapshot: Document) -> str:
    """Write it so that a difference is read by lines."""
    return json.dumps(snapshot, indent=1, sort_keys=True) + "\n"


def main() -> None:
    """Keep all of them."""
    with tempfile.TemporaryDirectory() as folder:
        snapshots = Snapshots(Path(folder))
        for name in GOLDEN:
            place(name).write_text(text(snapshots[name]))
            sys.stdout.write(f"{place(name)}\n")


if __name__ == "__main__":
    main()
