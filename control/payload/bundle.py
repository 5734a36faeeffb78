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
    """What a bundle would change on a machine."""

    changes: archive.Changes
    units: tuple[str, ...]


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
    return Difference(changes=changes, units=touched)
