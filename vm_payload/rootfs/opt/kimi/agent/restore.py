"""The files of a manifest on the local disks: checked, brought, by many processes."""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from agent.crew import Said, each
from agent.errors import AgentError
from agent.fetch import PART, WrongError, fetch, is_right
from agent.manifest import File, Manifest
from agent.progress import Progress
from agent.ranges import Source


@dataclass(frozen=True)
class Restore:
    """One revision's folder; a file is at its place there only while it is right."""

    manifest: Manifest
    folder: Path
    progress: Progress

    def missing(self) -> list[File]:
        """Read every byte that is there, and return what is missing or was wrong."""
        there = [file for file in self.manifest.files if self._place(file).exists()]
        wrong = each(partial(_check, self.folder), there, self._checked)
        return [f for f in self.manifest.files if f not in there or f in wrong]

    def bring(self, source: Source, files: Collection[File]) -> Said:
        """Bring files from a source; return those that did not come, and why."""
        return each(partial(_bring, source, self.folder), files, self._brought)

    def take(self, beside: Path, files: Collection[File]) -> Said:
        """Move what is right in another folder to its place; return the rest."""
        return each(partial(_take, beside, self.folder), files, self._brought)

    def forget_strangers(self) -> None:
        """Remove what the manifest does not know: code among it would be run."""
        known = {self._place(file) for file in self.manifest.files}
        for path in _below(self.folder):
            if path not in known:
                path.unlink()

    def _checked(self, said: Said) -> None:
        shards = sum(file.is_shard for file in said)
        done = sum(file.size for file in said)
        self.progress.tell(done, f"{shards} of {self.manifest.shards} shards checked")

    def _brought(self, _: Said) -> None:
        files = self.manifest.files
        shards = sum(file.is_shard and self._place(file).exists() for file in files)
        done = sum(min(there(self._place(file)), file.size) for file in files)
        self.progress.tell(done, f"{shards} of {self.manifest.shards} shards")

    def _place(self, file: File) -> Path:
        return self.folder / file.path


def there(place: Path) -> int:
    """Return the bytes of a file that is at its place, or on its way."""
    for path in (place, place.with_name(place.name + PART), place):
        # Between the looks another process may have renamed it to its place.
        with suppress(FileNotFoundError):
            return path.stat().st_size
    return 0


def _check(folder: Path, file: File) -> None:
    if not is_right(file, folder):
        (folder / file.path).unlink(missing_ok=True)
        raise AgentError("its bytes are wrong")


def _bring(source: Source, folder: Path, file: File) -> None:
    """Bring a file; wrong bytes are asked for once more, from their beginning."""
    try:
        fetch(source, file, folder)
    except WrongError:
        fetch(source, file, folder)


def _take(beside: Path, folder: Path, file: File) -> None:
    if not is_right(file, beside):
        raise AgentError("it is not there, or its bytes are wrong")
    place = folder / file.path
    place.parent.mkdir(parents=True, exist_ok=True)
    with (beside / file.path).open("rb") as content:
        os.fsync(content.fileno())
    (beside / file.path).replace(place)


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_dir():
            yield path
