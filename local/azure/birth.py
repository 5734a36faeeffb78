"""How a machine comes into being: its disk, its first start, and then its guards."""

import uuid
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from control.roles import assignment_name, own_role
from local.azure.disks import Disk
from local.azure.machine import Machine
from local.azure.operations import Operation
from local.azure.plan import Verb
from local.azure.role_assignments import RoleAssignment
from local.azure.role_definitions import PROVIDER, RoleDefinition
from local.azure.views import disk_id, resource_id

if TYPE_CHECKING:
    from local.azure.estate import Estate

_OPERATOR = "operator"
_RESERVED_FOR = timedelta(seconds=180)
_MACHINES = "Microsoft.Compute/virtualMachines"
_SELF = (f"{_MACHINES}/read", f"{_MACHINES}/deallocate/action")
_MAY = {
    "vm": ("vm-self-deallocate", _SELF),
    "app": ("vm-operator", (*_SELF, f"{_MACHINES}/start/action")),
}


class Birth:
    """One machine of the estate, by its name; `machine` is None where it has none."""

    def __init__(self, azure: "Estate", name: str) -> None:
        named = [vm.machine for vm in azure.vms if vm.name.lower() == name.lower()]
        self.machine: Machine | None = named[0] if named else None
        self._azure = azure

    def make(self, at: datetime, disk: str, custom_data: str) -> Operation:
        """Make it and start it: what is made is started, and bills."""
        machine = self._there()
        machine.restore()
        machine.created, machine.custom_data = at, custom_data
        if disk:
            machine.disk = disk.rpartition("/")[2]
        else:
            machine.disk = f"{machine.spec.name}_OsDisk_1_{uuid.uuid4().hex}"
            made = Disk(name=machine.disk, location=machine.spec.location, made=at)
            self._azure.disks.put(self._disk(), made)
        self._azure.disks.attach(self._disk(), self._id())
        return self.start(at)

    def start(self, at: datetime) -> Operation:
        """Start it, as whoever deploys."""
        machine = self._there()
        operation = Operation(
            verb=Verb.START, machine=machine.spec.name, started=at, caller=_OPERATOR
        )
        self._azure.arm.operations.add(operation)
        usual = machine.usual(Verb.START)
        name = machine.spec.name
        plan = self._azure.faults.change(usual, name, _OPERATOR)
        machine.begin(plan, operation)
        return operation

    def end(self, at: datetime) -> None:
        """Delete it; its disk and its card stay."""
        machine = self._there()
        machine.remove(at)
        machine.deleted = at
        if self._disk().lower() in self._azure.disks.kept:
            self._azure.disks.attach(self._disk(), None)

    def guard(self, at: datetime) -> None:
        """Give the app and the machine itself what ends it."""
        group = self._id().partition("/providers/")[0]
        for caller, (title, actions) in _MAY.items():
            role = own_role(group, title)
            self._azure.role_definitions.add(
                RoleDefinition(name=role, title=title, scope=group, actions=actions)
            )
            principal = self._azure.identity.principal_id(caller)
            self._azure.role_assignments.add(
                RoleAssignment(
                    name=assignment_name(self._id(), principal, role),
                    scope=self._id(),
                    principal=principal,
                    role=f"{group}/{PROVIDER}/{role}",
                    principal_type="ServicePrincipal",
                    at=at,
                )
            )

    def differs(self, custom_data: str | None) -> bool:
        """Whether a PUT would change what can never be changed."""
        return self._there().custom_data != (custom_data or "")

    def card_is_reserved(self, at: datetime) -> bool:
        deleted = self._there().deleted
        return deleted is not None and at - deleted < _RESERVED_FOR

    def _there(self) -> Machine:
        assert self.machine is not None
        return self.machine

    def _id(self) -> str:
        return resource_id(self._there(), self._azure.subscription_id)

    def _disk(self) -> str:
        return disk_id(self._there(), self._azure.subscription_id)
