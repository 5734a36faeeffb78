"""What of a resource group is there for machines of one region: pure.

Every machine-side name has the region at its end, but for the weights' account.
"""

from collections.abc import Iterable
from dataclasses import dataclass

# What hangs on something goes before it.
_ORDER = (
    "microsoft.compute/virtualmachines",
    "microsoft.devtestlab/schedules",
    "microsoft.network/networkinterfaces",
    "microsoft.compute/disks",
    "microsoft.network/publicipaddresses",
    "microsoft.network/virtualnetworks",
    "microsoft.network/networksecuritygroups",
    "microsoft.managedidentity/userassignedidentities",
    "microsoft.storage/storageaccounts",
)
_ACCOUNTS = "microsoft.storage/storageaccounts"
_DISKS = "microsoft.compute/disks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One resource as a group lists it."""

    id: str
    kind: str
    name: str
    region: str


def machine_side(things: Iterable[Thing], prefix: str, region: str) -> list[Thing]:
    """Return what is there for a region's machines, in the order it may go."""
    found = [each for each in things if _is_machines(each, prefix, region)]
    return sorted(found, key=lambda each: _ORDER.index(each.kind.lower()))


def _is_machines(thing: Thing, prefix: str, region: str) -> bool:
    kind, name = thing.kind.lower(), thing.name.lower()
    if kind not in _ORDER or thing.region.lower() != region.lower():
        return False
    if kind == _ACCOUNTS:
        return name.startswith(f"st{prefix}w")
    if kind == _DISKS:
        return f"-{region}_" in name
    return name.endswith(f"-{region}")
