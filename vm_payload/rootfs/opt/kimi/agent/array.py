"""What the local NVMe disks need next, decided from evidence alone; pure.

A local disk is known by its model, never by its name or number: names move at each
boot, and the OS disk may be NVMe too. What is blank is taken, what is ours is adopted,
and what holds anything else is refused with a reason.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from agent.devices import Device
from agent.errors import AgentError

MOUNT = "/mnt/kimi"
NAME = "kimi"
LABEL = "kimi-nvme"
_MODEL = "nvme direct"
_MEMBER = "linux_raid_member"
_FILESYSTEMS = {"xfs", "ext4"}


@dataclass(frozen=True)
class Mounted:
    """Nothing: it is mounted where it belongs."""


@dataclass(frozen=True)
class Mount:
    """Mount this array of ours."""

    array: str


@dataclass(frozen=True)
class Bind:
    """Show what the image mounted at a place of its own at ours too."""

    place: str


@dataclass(frozen=True)
class Assemble:
    """Put our array together again: a plain reboot has kept it."""

    members: tuple[str, ...]


@dataclass(frozen=True)
class Clear:
    """Take the marks of an array of ours off: it lost disks, and its data with them."""

    members: tuple[str, ...]


@dataclass(frozen=True)
class Create:
    """Make the array of blank disks."""

    members: tuple[str, ...]


@dataclass(frozen=True)
class Format:
    """Make the filesystem: our array has none yet."""

    array: str


Step = Mounted | Mount | Bind | Assemble | Clear | Create | Format


def next_step(
    devices: Sequence[Device],
    signed: Collection[str] = (),
    *,
    assembled_in_vain: bool = False,
) -> Step:
    """Return what to do next.

    Args:
        devices: all disks of the machine.
        signed: paths of local disks on which `wipefs` finds a signature.
        assembled_in_vain: whether our marks did not make an array in this run.

    Raises:
        AgentError: there is no local disk, or one holds something that is not ours.
    """
    disks = local(devices)
    if not disks:
        raise AgentError(
            "no local NVMe disk was found (model “NVMe Direct”, and not the OS disk); "
            "is this the right size of machine?"
        )
    arrays = _arrays(disks)
    if any(disk.carries(MOUNT) for disk in disks):
        return Mounted()
    if any(each.carries(MOUNT) for each in devices):
        raise AgentError(f"something that is no local disk is mounted at {MOUNT}.")
    if arrays:
        return _with_array(disks, arrays)
    paths = tuple(disk.path for disk in disks)
    ours = tuple(disk.path for disk in disks if _is_our_member(disk))
    held = [_holds(disk, signed) for disk in disks if disk.path not in ours]
    refused = [said for said in held if said]
    if refused:
        raise AgentError(f"{refused[0]}; nothing was changed.")
    if not ours:
        return Create(paths)
    return Clear(ours) if assembled_in_vain else Assemble(ours)


def local(devices: Sequence[Device]) -> list[Device]:
    """Return the local disks by their paths; a parent of `/` is never one."""
    found = [
        each
        for each in devices
        if each.kind == "disk"
        and _MODEL in each.model.lower()
        and not _is_of_the_system(each)
    ]
    return sorted(found, key=lambda each: each.path)


def _is_of_the_system(disk: Device) -> bool:
    places = {place for each in disk.whole() for place in each.mounted}
    return bool(places & {"/", "/usr", "/var", "/home", "[SWAP]"}) or any(
        place.startswith("/boot") for place in places
    )


def _arrays(disks: Sequence[Device]) -> dict[str, Device]:
    return {
        child.path: child
        for disk in disks
        for child in disk.children
        if child.kind.startswith("raid")
    }


def _with_array(disks: Sequence[Device], arrays: dict[str, Device]) -> Step:
    """Adopt an array: ours by its label, or the image's by its mount over all disks."""
    if len(arrays) > 1:
        raise AgentError(
            f"the local disks form several arrays ({', '.join(sorted(arrays))}); "
            "nothing was changed."
        )
    (array,) = arrays.values()
    if array.label == LABEL and array.filesystem in _FILESYSTEMS:
        return Bind(array.mounted[0]) if array.mounted else Mount(array.path)
    members = [disk for disk in disks if array in disk.children]
    if array.filesystem is None and all(_is_named(disk) for disk in members):
        return Format(array.path)
    all_of_them = len(members) == len(disks)
    if array.mounted and all_of_them and array.filesystem in _FILESYSTEMS:
        return Bind(array.mounted[0])
    what = f"{array.filesystem or 'something'} “{array.label}”"
    raise AgentError(
        f"the array {array.path} of the local disks holds {what}, which is not ours; "
        "nothing was changed."
    )


def _is_our_member(disk: Device) -> bool:
    """Whether it belongs to an array of ours that is not assembled."""
    return _is_named(disk) and not disk.children and not disk.mounted


def _is_named(disk: Device) -> bool:
    """Mdadm labels the members of an array `host:name`."""
    return disk.filesystem == _MEMBER and disk.label.rpartition(":")[2] == NAME


def _holds(disk: Device, signed: Collection[str]) -> str:
    """Say what keeps a disk from being taken; empty where it is blank."""
    said = (f"the local disk {disk.path} {what}" for what in _evidence(disk, signed))
    return next(said, "")


def _evidence(disk: Device, signed: Collection[str]) -> Iterator[str]:
    if disk.mounted:
        yield f"is mounted at {disk.mounted[0]}"
    if disk.partitions or disk.children:
        yield "has partitions"
    if disk.filesystem:
        yield f"holds {disk.filesystem} “{disk.label}”"
    if disk.path in signed:
        yield "carries a signature of something"
