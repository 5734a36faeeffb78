"""Block devices as `lsblk` tells of them; nothing here touches a disk.

An array stands below each of its members, as lsblk prints it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agent.errors import AgentError

COLUMNS = "NAME,PATH,TYPE,MODEL,FSTYPE,PTTYPE,LABEL,MOUNTPOINTS"


@dataclass(frozen=True, kw_only=True)
class Device:
    """A disk, a partition or an array."""

    path: str
    kind: str
    model: str
    filesystem: str | None
    partitions: str | None
    label: str
    mounted: tuple[str, ...]
    children: tuple["Device", ...] = ()

    def whole(self) -> Iterator["Device"]:
        """Yield it and all that stands on it."""
        yield self
        for child in self.children:
            yield from child.whole()

    def carries(self, place: str) -> bool:
        """Whether it, or anything on it, is mounted there."""
        return any(place in each.mounted for each in self.whole())


def parse(printed: str) -> tuple[Device, ...]:
    """Read what `lsblk --json --output COLUMNS` printed."""
    try:
        found = json.loads(printed)["blockdevices"]
        return tuple(_device(each) for each in found)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise AgentError("what lsblk prints of the disks can't be read.") from None


def _device(said: dict[str, Any]) -> Device:
    return Device(
        path=str(said["path"]),
        kind=str(said["type"]),
        model=" ".join((said["model"] or "").split()),
        filesystem=said["fstype"] or None,
        partitions=said["pttype"] or None,
        label=said["label"] or "",
        mounted=tuple(each for each in said["mountpoints"] if each),
        children=tuple(_device(each) for each in said.get("children", ())),
    )
