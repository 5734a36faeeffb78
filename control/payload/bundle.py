"""The payload of one deployment: the checkout, a profile, and the environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from control.payload import archive, profile, site, units

HOME = Path(__file__).parents[2] / "vm_payload"
ROOTFS = HOME / "rootfs"
PROFILES = HOME / "profiles"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """An archive and its name."""

    archive: bytes = field(repr=False)
    sha256: str

    @property
    def files(self) -> int:
        return len(archive.listing(self.archive))


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What a bundle would change on a machine; `revision` is the model's."""

    changes: archive.Changes
    units: tuple[str, ...]
    revision: bool


def bundle(named: str, said: Mapping[str, str]) -> Bundle:
    """Build the archive of a profile, with what the deployment says."""
    read = profile.read(profile.find(PROFILES, named))
    extra = {
        profile.PLACE: profile.pins(read).encode(),
        site.PLACE: site.rendered(said).encode(),
    }
    made = archive.build(ROOTFS, extra)
    return Bundle(archive=made, sha256=archive.sha256(made))


def compare(before: bytes | None, after: Bundle) -> Difference:
    """Compare a bundle with the archive that the machine has; None is an empty one."""
    there = archive.listing(before) if before else {}
    changes = archive.diff(there, archive.listing(after.archive))
    known = units.texts(archive.contents(before)) if before else {}
    coming = units.texts(archive.contents(after.archive))
    touched = units.touched({**known, **coming}, changes.paths)
    revision = before is not None and _revision(before) != _revision(after.archive)
    return Difference(changes=changes, units=touched, revision=revision)


def _revision(packed: bytes) -> bytes | None:
    """Return the line of the model's revision in an archive's pins."""
    lines = archive.contents(packed).get(profile.PLACE, b"").splitlines()
    return next((line for line in lines if line.startswith(b"MODEL_REV=")), None)
