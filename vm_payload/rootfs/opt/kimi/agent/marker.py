"""The mark that the weights are whole: written last, beside them, on the local disks.

It goes away with them in a deallocation. It is believed without another look within the
boot that made it; after a reboot every byte is read again, which vLLM needs in memory
anyway.
"""

from dataclasses import asdict, dataclass
from pathlib import Path

from agent import boot
from agent.files import read_json, write_json
from agent.manifest import Manifest

NAME = ".kimi-complete.json"


@dataclass(frozen=True)
class Marker:
    """What was found whole, and in which boot."""

    revision: str
    manifest: str
    boot: str

    @classmethod
    def of(cls, manifest: Manifest) -> "Marker":
        return cls(manifest.revision, manifest.digest, boot.identity())

    def stands(self, folder: Path) -> bool:
        """Whether this very mark is there."""
        return read_json(folder / NAME) == asdict(self)

    def set(self, folder: Path) -> None:
        write_json(folder / NAME, asdict(self))


def remove(folder: Path) -> None:
    """Take the mark away before anything is changed."""
    (folder / NAME).unlink(missing_ok=True)


def revision(folder: Path) -> str | None:
    """Return the revision of a mark of this boot; None where there is none."""
    said = read_json(folder / NAME)
    return str(said["revision"]) if said.get("boot") == boot.identity() else None
