"""All of one Azure as an object: its services, its machines, its faults; no wire."""

import threading
import uuid
from collections.abc import Sequence
from datetime import datetime

from local.azure.admin import Admin
from local.azure.arm import Arm
from local.azure.budgets import Budgets
from local.azure.deployments import Deployments
from local.azure.disks import Disk, Disks
from local.azure.faults import catalogue
from local.azure.faults.armed import Faults
from local.azure.front import Clock, Front, Ground
from local.azure.groups import Groups
from local.azure.guards import Guards
from local.azure.guest import Guest
from local.azure.identity import Identity
from local.azure.log import RequestLog
from local.azure.machine import Machine
from local.azure.prices import Prices
from local.azure.role_assignments import RoleAssignments
from local.azure.role_definitions import RoleDefinitions
from local.azure.routing import Route
from local.azure.sink import Sink
from local.azure.sites import Sites
from local.azure.spec import Spec
from local.azure.stock import Stock
from local.azure.subscription import Subscription
from local.azure.tokens import Issuer
from local.azure.vault import Vault
from local.azure.views import disk_id, resource_id
from local.azure.vm import Vm

SUBSCRIPTION = "5c9d2b1e-3f47-4a86-b0d1-9e2f6a7c8d90"
_PRINCIPALS = {
    str(uuid.uuid5(uuid.NAMESPACE_DNS, name)): name
    for name in ("app", "vm", "operator")
}


class Estate:
    """Its fronts answer requests as values; `loopback` lets the wire reach them."""

    def __init__(
        self,
        clock: Clock,
        *,
        machines: Sequence[Spec] = (Spec(),),
        subscription: str = SUBSCRIPTION,
    ) -> None:
        self.subscription_id = subscription
        self.log = RequestLog()
        self.faults = Faults(catalogue.OFFERS, lambda fault: fault.begin(self))
        self._issuer = Issuer()
        self._ground = Ground(
            clock=clock,
            lock=threading.RLock(),
            log=self.log,
            faults=self.faults,
            settle=self._settle_machines,
            caller=self._issuer.caller,
        )
        self.identity = Identity(self._issuer, _PRINCIPALS)
        self.budgets = Budgets()
        self.role_assignments = RoleAssignments()
        self.role_definitions = RoleDefinitions(self.role_assignments)
        self.deployments = Deployments(self)
        self.disks = Disks()
        self.sites = Sites(self.identity)
        self.groups = Groups(self._end_group)
        self.guards = Guards()
        self.stock = Stock()
        self.subscription = Subscription()
        self.prices = Prices()
        self.sink = Sink()
        self.vault = self._vault("app-vault", reader="app")
        self.machine_vault = self._vault("machine-vault", reader="vm")
        self._machines: dict[str, Machine] = {}
        self.arm = Arm(subscription, self._machines, self._issuer, self.faults)
        self.arm_front = Front("arm", self._arm_routes(), self._ground)
        self.vms = [self._build(spec, clock.now()) for spec in machines]

    @property
    def vm(self) -> Vm:
        """The first machine."""
        return self.vms[0]

    def machine(self, name: str) -> Vm:
        return next(vm for vm in self.vms if vm.name == name)

    @property
    def client_id(self) -> str:
        """The app's user-assigned identity."""
        return self.identity.client_id("app")

    @property
    def unknown_routes(self) -> list[str]:
        """What was answered 501; a test that sees any has failed."""
        return self.log.unknown

    def settle(self) -> None:
        """Let every guest do all that is due by now."""
        for vm in self.vms:
            vm.settle()

    def now(self) -> datetime:
        return self._ground.clock.now()

    def add_secret(
        self,
        name: str,
        value: str,
        *,
        tags: dict[str, str] | None = None,
        enabled: bool = True,
    ) -> None:
        """Put a secret into the app's vault."""
        self.put_secret(self.vault, name, value, tags=tags, enabled=enabled)

    def put_secret(
        self,
        vault: Vault,
        name: str,
        value: str,
        *,
        tags: dict[str, str] | None = None,
        enabled: bool = True,
    ) -> None:
        """Put a secret into a vault: a new version where the name is there."""
        with self._ground.lock:
            vault.add(name, value, self.now(), tags=tags, enabled=enabled)

    def enable_secret(self, name: str, *, enabled: bool) -> None:
        """Enable or disable a secret of the app's vault."""
        with self._ground.lock:
            self.vault.store.enable(name, self.now(), enabled=enabled)

    def remove_secret(self, name: str) -> None:
        """Delete a secret of the app's vault (it stays recoverable)."""
        with self._ground.lock:
            self.vault.store.delete(name, self.now())

    def _vault(self, name: str, reader: str) -> Vault:
        readers, writers = frozenset({reader}), frozenset({"operator"})
        return Vault(name, self._issuer, readers, writers)

    def _settle_machines(self, now: datetime) -> None:
        for machine in self._machines.values():
            machine.settle(now)
        self.deployments.settle(now)
        self.groups.settle(now)

    def _end_group(self, now: datetime) -> None:
        """Its machines go, and its vaults are kept for a while, under their names."""
        for machine in self._machines.values():
            machine.remove(now)
        self.subscription.delete_vaults(now)

    def _build(self, spec: Spec, now: datetime) -> Vm:
        guest = Guest(spec.name)
        machine = Machine(spec, now, guest.power)
        self._machines[spec.name.lower()] = machine
        disk = Disk(
            name=machine.disk,
            location=spec.location,
            made=machine.created,
            attached_to=resource_id(machine, self.subscription_id),
        )
        self.disks.put(disk_id(machine, self.subscription_id), disk)
        return Vm(
            machine,
            guest,
            self._ground,
            self.arm_front,
            self.identity,
            self.subscription_id,
        )

    def _arm_routes(self) -> list[Route]:
        admin = Admin(self)
        guarded = [
            *self.budgets.routes,
            *self.deployments.routes,
            *self.disks.routes,
            *self.guards.routes,
            *self.groups.routes,
            *self.role_assignments.routes,
            *self.role_definitions.routes,
            *self.sites.routes,
            *self.stock.routes,
            *self.subscription.routes,
        ]
        return [
            *self.arm.routes,
            *map(self.arm.guard, guarded),
            *self.prices.routes,
            *self.sites.publishing,
            *self.identity.routes,
            *admin.routes,
        ]
