"""The local Azure as one object: its services, its listeners, its machines."""

import threading
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from local.azure.admin import Admin
from local.azure.arm import Arm
from local.azure.budgets import Budgets
from local.azure.faults import catalogue
from local.azure.faults.armed import Faults
from local.azure.front import Clock, Front, Ground
from local.azure.guest import Guest
from local.azure.identity import PATH as IDENTITY_PATH
from local.azure.identity import Identity
from local.azure.log import RequestLog
from local.azure.machine import Machine
from local.azure.pacer import Pacer
from local.azure.prices import PATH as PRICES_PATH
from local.azure.prices import Prices
from local.azure.routing import Route
from local.azure.server import Listener
from local.azure.sink import Sink
from local.azure.spec import Spec
from local.azure.tokens import Issuer
from local.azure.vault import Vault
from local.azure.vm import Vm
from local.certificate import Certificate

SUBSCRIPTION = "5c9d2b1e-3f47-4a86-b0d1-9e2f6a7c8d90"
_PRINCIPALS = {
    str(uuid.uuid5(uuid.NAMESPACE_DNS, name)): name
    for name in ("app", "vm", "operator")
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The ports on 127.0.0.1; 0 lets the system choose."""

    arm: int = 0
    vault: int = 0
    machine_vault: int = 0
    identity: int = 0
    sink: int = 0


class LocalAzure:
    """An Azure on loopback; a context manager that ends all it began.

    `pace` lets the guests live by themselves; without it they act in `settle()`.
    """

    def __init__(
        self,
        clock: Clock,
        certificate: Certificate,
        *,
        machines: Sequence[Spec] = (Spec(),),
        subscription: str = SUBSCRIPTION,
        ports: Ports | None = None,
        pace: bool = False,
    ) -> None:
        self.certificate = certificate
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
        self.prices = Prices()
        self.sink = Sink()
        self.vault = self._vault("app-vault", reader="app")
        self.machine_vault = self._vault("machine-vault", reader="vm")
        self._machines: dict[str, Machine] = {}
        self.arm = Arm(subscription, self._machines, self._issuer, self.faults)
        self._arm_front = Front("arm", self._arm_routes(), self._ground)
        self.vms = [self._build(spec, clock.now()) for spec in machines]
        self._listen(ports or Ports())
        self._pacer = Pacer(self.vms) if pace else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the guests, then the listeners."""
        if self._pacer is not None:
            self._pacer.close()
        for vm in self.vms:
            vm.heart.close()
        with ThreadPoolExecutor() as pool:
            list(pool.map(Listener.close, self._listeners))

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
    def identity_secret(self) -> str:
        """What the app sends as X-IDENTITY-HEADER."""
        return self.identity.secret

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

    def environment(self) -> dict[str, str]:
        """The app's settings and the platform's variables for this Azure."""
        spec = self.vm.machine.spec
        return {
            "AZURE_SUBSCRIPTION_ID": self.subscription_id,
            "VM_RESOURCE_GROUP": spec.resource_group,
            "VM_NAME": spec.name,
            "ARM_ENDPOINT": self.arm_url,
            "KEY_VAULT_URL": self.vault.url,
            "RETAIL_PRICES_ENDPOINT": self.prices_url,
            "AZURE_CLIENT_ID": self.client_id,
            "IDENTITY_ENDPOINT": self.identity_url,
            "IDENTITY_HEADER": self.identity_secret,
            "REQUESTS_CA_BUNDLE": str(self.certificate.authority),
            "SSL_CERT_FILE": str(self.certificate.authority),
        }

    def _vault(self, name: str, reader: str) -> Vault:
        readers, writers = frozenset({reader}), frozenset({"operator"})
        return Vault(name, self._issuer, readers, writers)

    def _settle_machines(self, now: datetime) -> None:
        for machine in self._machines.values():
            machine.settle(now)

    def _build(self, spec: Spec, now: datetime) -> Vm:
        guest = Guest(spec.name)
        machine = Machine(spec, now, guest.power)
        self._machines[spec.name.lower()] = machine
        return Vm(
            machine,
            guest,
            self._ground,
            self._arm_front,
            self.identity,
            self.subscription_id,
        )

    def _arm_routes(self) -> list[Route]:
        admin = Admin(self)
        budgets = [self.arm.guard(each) for each in self.budgets.routes]
        return [
            *self.arm.routes,
            *budgets,
            *self.prices.routes,
            *self.identity.routes,
            *admin.routes,
        ]

    def _listen(self, ports: Ports) -> None:
        def vault(vault: Vault, port: int) -> Listener:
            front = Front(vault.name, vault.routes, self._ground)
            listener = Listener(front.handle, self.certificate, port)
            vault.url = listener.url
            return listener

        identity = Front("identity", self.identity.routes, self._ground)
        sink = Front("sink", self.sink.routes, self._ground)
        arm = Listener(self._arm_front.handle, self.certificate, ports.arm)
        plain = Listener(identity.handle, None, ports.identity)
        notices = Listener(sink.handle, None, ports.sink)
        self._listeners = [
            arm,
            vault(self.vault, ports.vault),
            vault(self.machine_vault, ports.machine_vault),
            plain,
            notices,
        ]
        self.arm_url = arm.url
        self.prices_url = arm.url + PRICES_PATH
        self.identity_url = plain.url + IDENTITY_PATH
        self.sink_url = notices.url
