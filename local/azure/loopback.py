"""The local Azure: an estate that listens on 127.0.0.1."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self

from local.azure.estate import SUBSCRIPTION, Estate
from local.azure.front import Clock, Front
from local.azure.identity import PATH as IDENTITY_PATH
from local.azure.pacer import Pacer
from local.azure.prices import PATH as PRICES_PATH
from local.azure.server import Listener
from local.azure.spec import Spec
from local.azure.vault import Vault
from local.certificate import Certificate


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The ports on 127.0.0.1; 0 lets the system choose."""

    arm: int = 0
    vault: int = 0
    machine_vault: int = 0
    identity: int = 0
    sink: int = 0


class LocalAzure(Estate):
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
        super().__init__(clock, machines=machines, subscription=subscription)
        self.certificate = certificate
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
    def identity_secret(self) -> str:
        """What the app sends as X-IDENTITY-HEADER."""
        return self.identity.secret

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

    def _listen(self, ports: Ports) -> None:
        def vault(vault: Vault, port: int) -> Listener:
            front = Front(vault.name, vault.routes, self._ground)
            listener = Listener(front.handle, self.certificate, port)
            vault.url = listener.url
            return listener

        identity = Front("identity", self.identity.routes, self._ground)
        sink = Front("sink", self.sink.routes, self._ground)
        arm = Listener(self.arm_front.handle, self.certificate, ports.arm)
        plain = Listener(identity.handle, None, ports.identity)
        notices = Listener(sink.handle, None, ports.sink)
        guests = []
        for vm in self.vms:
            front = Front(f"imds of {vm.name}", vm.imds.routes, self._ground)
            guests.append(listener := Listener(front.handle, None))
            vm.imds_url = listener.url
        self._listeners = [
            *guests,
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
