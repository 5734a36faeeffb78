"""The verb `weights`: the model, whole and verified, on the local disks.

The manifest is the only truth. Bytes come from Azure Blob by our own reads, else by
azcopy, else from Hugging Face at the same revision; the marker is written last.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import disk_usage, rmtree

from agent import azcopy, marker, notify
from agent.control import Control
from agent.crew import Said
from agent.errors import AgentError
from agent.lock import alone
from agent.manifest import File, Manifest
from agent.marker import Marker
from agent.model import Model
from agent.progress import QUIET, Progress
from agent.restore import Restore
from agent.site import Site

_PHASE = "weights"
_GIGABYTE = 10**9
_BESIDE = ".kimi-azcopy"


def run(site: Site) -> str:
    """Bring what is missing, and say what was done."""
    board = site.board
    model = Model.of(site)
    if Control(site).is_setup() and not _is_in_blob(model):
        return "they are not in Blob yet, which is left to the first download."
    board.phase(_PHASE, "looking at what is there")
    with alone(site.run / "state/weights.lock", "weights"):
        model.wait_for_disks()
        manifest = model.manifest()
        done = _whole(model, manifest, Progress(board, _PHASE, manifest.size))
        with suppress(OSError):  # a spare copy, on a disk that may be full
            model.keep(manifest)
        return done


def _is_in_blob(model: Model) -> bool:
    with suppress(AgentError):
        return model.is_in_blob()
    return False


def _whole(model: Model, manifest: Manifest, progress: Progress) -> str:
    mark = Marker.of(manifest)
    if mark.stands(model.folder):
        return f"{manifest.shards} shards were verified in this boot already."
    model.folder.mkdir(parents=True, exist_ok=True)
    marker.remove(model.folder)
    restore = Restore(manifest, model.folder, progress)
    missing = restore.missing()
    _check_room(model.folder, missing)
    _bring(model, restore, missing)
    restore.forget_strangers()
    mark.set(model.folder)
    return (
        f"{manifest.shards} shards are whole, {len(missing)} of "
        f"{len(manifest.files)} files were brought."
    )


def _check_room(folder: Path, missing: Sequence[File]) -> None:
    needed, free = sum(file.size for file in missing), disk_usage(folder).free
    if free < needed:
        raise AgentError(
            f"the local disks have {free // _GIGABYTE} GB free, and "
            f"{needed // _GIGABYTE} GB of weights are missing."
        )


def _bring(model: Model, restore: Restore, missing: Sequence[File]) -> None:
    """Try one way after the other, each for what the ways before did not bring."""
    ways: tuple[Callable[[Sequence[File]], Said], ...] = (
        lambda files: restore.bring(model.blobs, files),
        lambda files: _by_azcopy(model, restore, files),
        lambda files: restore.bring(model.hub, files),
    )
    reasons: list[str] = []
    for way in ways:
        if missing:
            said = way(missing)
            missing = list(said)
            reasons += list(said.values())[:1]
    if missing:
        raise AgentError(
            f"{len(missing)} files of the weights can't be had, such as "
            f"{missing[0].path}: {' '.join(dict.fromkeys(reasons))}"
        )


def _by_azcopy(model: Model, restore: Restore, files: Sequence[File]) -> Said:
    beside = model.folder.with_name(_BESIDE)
    notify.needs(azcopy.seconds(files) + QUIET, "azcopy is at work")
    try:
        azcopy.bring(model.blobs.place("").url, model.blobs.identity, files, beside)
    except AgentError as error:
        return dict.fromkeys(files, str(error))
    else:
        return restore.take(beside, files)
    finally:
        rmtree(beside, ignore_errors=True)
