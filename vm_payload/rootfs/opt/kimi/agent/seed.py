"""The verb `seed`: the first download, once in the life of a revision.

In a session of the purpose `setup` it brings each file from the hub, verifies it, and
uploads it. What is in Blob already is not brought again: it goes on over several
sessions, though the disks are blank in each. The manifest comes last. Then writing must
fail, which an operator sees to: the machine can't change its own permissions.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from agent import manifest
from agent.blob import Container
from agent.command import Deadline
from agent.control import Control
from agent.crew import Said, each
from agent.errors import AgentError, Passing
from agent.fetch import fetch, is_right
from agent.hub import Hub
from agent.lock import alone
from agent.manifest import File, Manifest
from agent.model import Model
from agent.patience import patiently
from agent.progress import Progress
from agent.restore import there
from agent.site import Site
from agent.upload import is_there, may_write, upload

_PHASE = "seeding"
# A shard is on its way down and up again before anything of it counts.
QUIET = 900.0
_HEARD_WITHIN = 90.0
_PERMISSION_WITHIN = 900.0


def run(site: Site) -> str:
    """Seed what is missing in Blob, where that is what this session is for."""
    model = Model.of(site)
    try:
        if model.is_in_blob():
            return _sealed(site, model, "the weights are in Blob")
    except AgentError as error:
        if Control(site).is_setup(_HEARD_WITHIN):
            raise AgentError(f"Blob can't be read: {error}") from None
        return f"Blob can't be read, which is left to the restore: {error}"
    if not Control(site).is_setup(_HEARD_WITHIN):
        return "the weights are not in Blob; a session with the purpose setup does it."
    with alone(site.run / "state/weights.lock", "weights"):
        model.wait_for_disks()
        _wait(model.blobs, site, open_=True)
        count = Seeding(model, site).all()
    return _sealed(site, model, f"{count} files were put into Blob")


@dataclass(frozen=True)
class Seeding:
    """The files of a revision on their way from the hub to Blob."""

    model: Model
    site: Site

    def all(self) -> int:
        """Bring, verify and upload every file, then the manifest; return how many.

        Raises:
            AgentError: some are missing still; the next session goes on.
        """
        whole = self.model.hubs()
        folder = self.model.folder
        work = partial(_seed, self.model.hub, self.model.blobs, folder)
        failed = each(work, whole.files, self._teller(whole))
        if failed:
            file, why = next(iter(failed.items()))
            raise AgentError(
                f"{len(failed)} of {len(whole.files)} files are not in Blob yet, such "
                f"as {file.path}: {why}"
            )
        text = _with_sha256(whole, folder).text()
        self.model.blobs.put(manifest.NAME, text)
        return len(whole.files)

    def _teller(self, whole: Manifest) -> Callable[[Said], None]:
        progress = Progress(self.site.board, _PHASE, whole.size, QUIET)

        def tell(said: Said) -> None:
            done = {file for file, why in said.items() if not why}
            coming = (f for f in whole.files if f not in done)
            half = sum(there(self.model.folder / f.path) for f in coming) // 2
            shards = sum(file.is_shard for file in done)
            words = f"{shards} of {whole.shards} shards in Blob"
            progress.tell(sum(file.size for file in done) + half, words)

        return tell


def _seed(hub: Hub, blobs: Container, folder: Path, file: File) -> None:
    """Bring one file to Blob; small ones come down in any case, for their SHA-256."""
    uploaded = is_there(blobs, file)
    if not (uploaded and file.is_shard) and not is_right(file, folder):
        fetch(hub, file, folder)
    if not uploaded:
        upload(blobs, file, folder / file.path)


def _with_sha256(whole: Manifest, folder: Path) -> Manifest:
    """Return the manifest with a SHA-256 for the small files too."""

    def better(file: File) -> File:
        if file.is_sha256:
            return file
        content = (folder / file.path).read_bytes()
        return File(file.path, file.size, hashlib.sha256(content).hexdigest())

    return Manifest(whole.revision, tuple(map(better, whole.files)))


def _sealed(site: Site, model: Model, said: str) -> str:
    """In a set-up session prove that writing fails now."""
    if not Control(site).is_setup():
        return f"{said}."
    _wait(model.blobs, site, open_=False)
    return f"{said}, and nobody can write there any more."


def _wait(blobs: Container, site: Site, *, open_: bool) -> None:
    """Wait until the operator has given, or taken, the permission to write."""
    command = "open" if open_ else "seal"

    def attempt() -> None:
        if may_write(blobs) is not open_:
            said = f"now run `python -m control weights {command}`"
            site.board.phase(_PHASE, f"{said}; it counts after some minutes.")
            raise Passing(f"{said}: Blob can {'not ' * open_}be written to.", 10.0)

    patiently(attempt, Deadline(_PERMISSION_WITHIN))
