"""What the verbs tell of themselves: small files that live until power off.

Each verb is a process of its own; what one must know of another stands here.
"""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.files import read_json, write_json

PHASE = "phase"


@dataclass(frozen=True)
class Board:
    """A folder with one small JSON file per subject."""

    folder: Path

    def put(self, subject: str, said: Mapping[str, Any]) -> None:
        """Replace what is said of a subject."""
        write_json(self._place(subject), said)

    def get(self, subject: str) -> dict[str, Any]:
        """Return what was said last; empty where nothing was."""
        return read_json(self._place(subject))

    def phase(
        self, phase: str, detail: str | None = None, progress: float | None = None
    ) -> None:
        """Tell how far the boot is, from 0 to 1; a board that is full stops no work."""
        said = {"phase": phase, "detail": detail, "progress": progress}
        with contextlib.suppress(OSError):
            self.put(PHASE, said)

    def all(self, beginning: str) -> list[dict[str, Any]]:
        """Return what was said of every subject whose name begins so."""
        found = sorted(self.folder.glob(f"{beginning}*.json"))
        return [said for said in map(read_json, found) if said]

    def remove(self, subject: str) -> None:
        """Say nothing of a subject any more."""
        self._place(subject).unlink(missing_ok=True)

    def _place(self, subject: str) -> Path:
        return self.folder / f"{subject}.json"
