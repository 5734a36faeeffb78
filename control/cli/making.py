"""What `vm create` does in Azure, and what it sees there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from control.cli.place import Place
from control.cli.remote import Remote
from control.deployment.course import Course
from control.deployment.gates import Disk
from control.deployment.template import Template
from control.errors import CommandError
from control.words import Power

if TYPE_CHECKING:
    from control.azure.deployments import Deployments
    from control.azure.resources import Resources
    from control.azure.site import Site

_VM, _DISK = "2024-11-01", "2024-03-02"
_DEALLOCATE = "Microsoft.Compute/virtualMachines/deallocate/action"
# A disk is dated by Azure's clock, and the attempt by the person's own.
_CLOCKS_APART = timedelta(minutes=10)
_STANDARD, _LAUNCH = "Standard", "TrustedLaunch"


@dataclass(frozen=True, kw_only=True)
class Making:
    """`creation.World`: one machine by one deployment, as this person."""

    resources: "Resources"
    site: "Site"
    remote: Remote
    token: Callable[[], str]
    place: Place
    template: Template
    principal: str
    began: datetime

    def begin(self) -> None:
        """Send the deployment."""
        self._deployments.begin(self.template.name, self.template.body())

    def course(self) -> Course | None:
        """Return how it goes."""
        return self._deployments.course(self.template.name)

    def cancel(self) -> None:
        """End it."""
        self._deployments.cancel(self.template.name)

    def exists(self) -> bool:
        """Return whether Azure knows the machine."""
        return self._machine() is not None

    def lacking_rights(self) -> Sequence[str]:
        """Return who may not deallocate the machine yet."""
        return deallocators(self.resources, self.site, self.place, self.principal)

    def app_reads(self, after: datetime) -> bool:
        """Return whether the app has read its power after an instant."""
        power, read_at = self.remote.power(self.token(), self.place.machine)
        known = power not in {"None", Power.UNKNOWN, Power.GONE}
        return known and read_at is not None and read_at > after

    def clear(self) -> Sequence[str]:
        """Delete the machine, and the disk that this attempt made; nothing else."""
        found = self._machine()
        if found is None:
            return ()
        disk = _disk_of(found)
        self.resources.delete(machine_id(self.place), _VM)
        cleared = [self.place.machine]
        if disk is not None and self._is_ours(disk):
            self.resources.delete(disk, _DISK)
            cleared.append(disk.rpartition("/")[2])
        return cleared

    def _is_ours(self, disk: str) -> bool:
        """Whether this attempt made it: never one that a machine was made from."""
        if self.template.value("osDiskId"):
            return False
        found = self.resources.read(disk, _DISK) or {}
        made = (found.get("properties") or {}).get("timeCreated")
        if made is None:
            return False
        return datetime.fromisoformat(made) >= self.began - _CLOCKS_APART

    def _machine(self) -> Any:
        return machine(self.resources, self.place)

    @cached_property
    def _deployments(self) -> "Deployments":
        from control.azure.deployments import (  # noqa: PLC0415 - slow: the SDKs
            Deployments,
        )

        return Deployments(self.resources, self.place.subscription)


def machine_id(place: Place) -> str:
    """Return the id of the machine as ARM writes it."""
    return (
        f"/subscriptions/{place.subscription}/resourceGroups/{place.group}/providers/"
        f"Microsoft.Compute/virtualMachines/{place.machine}"
    )


def machine(resources: "Resources", place: Place) -> Any:
    """Return the machine as ARM has it; None where there is none."""
    return resources.read(machine_id(place), _VM)


def deallocators(
    resources: "Resources", site: "Site", place: Place, principal: str
) -> list[str]:
    """Return who of the app and the machine itself may not deallocate it, in words."""
    from control.azure.rights import may  # noqa: PLC0415 - slow: the SDKs

    who = {
        "the app's right to deallocate it": site.principal(),
        "its own right to deallocate itself": principal,
    }
    return [
        words
        for words, one in who.items()
        if not may(resources, machine_id(place), one, _DEALLOCATE)
    ]


def used_disk(resources: "Resources", disk: str) -> Disk:
    """Read a disk that a machine is to be made from again.

    Raises:
        CommandError: there is none.
    """
    found = resources.read(disk, _DISK)
    if found is None:
        raise CommandError(f"there is no disk {disk}.")
    said = found.get("properties") or {}
    security = (said.get("securityProfile") or {}).get("securityType")
    return Disk(
        name=str(found.get("name")),
        location=str(found.get("location")),
        system=str(said.get("osType") or ""),
        attached_to=found.get("managedBy"),
        security_type=_LAUNCH if security == _LAUNCH else _STANDARD,
    )


def _disk_of(machine: Any) -> str | None:
    profile = (machine.get("properties") or {}).get("storageProfile") or {}
    return ((profile.get("osDisk") or {}).get("managedDisk") or {}).get("id")
