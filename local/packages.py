"""The system packages of packages.txt: which of them this machine lacks."""

import os
import shutil
import sys
from pathlib import Path

LIST = Path(__file__).parents[1] / "packages.txt"


def missing(text: str, path: str | None = None) -> list[str]:
    """Return the packages of a list whose command is not on the path."""
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    pairs = [fields for fields in lines if fields]
    return [
        package for package, command in pairs if not shutil.which(command, path=path)
    ]


def main() -> int:
    """Before the tests: fail on a missing one. After them (`after`): name it."""
    lacking = ", ".join(missing(LIST.read_text()))
    if not lacking:
        return 0
    if sys.argv[1:] == ["after"]:
        print(f"Skipped for want of system packages: {lacking}")
        return 0
    if os.environ.get("ALLOW_MISSING") == "1":
        return 0
    print(
        f"These system packages are missing: {lacking}. `make packages` installs all; "
        "`make test ALLOW_MISSING=1` goes on without the tests that need them.",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
