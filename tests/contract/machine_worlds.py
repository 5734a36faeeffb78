"""Both sides of the machines' contract: the twin, and ARM in the local Azure."""

from datetime import timedelta
from typing import Protocol

from control.azure.credential import managed_identity
from control.azure.machines import AzureMachines
from control.errors import (
    AzureError,
    Conflict,
    Disabled,
    Evidence,
    Permission,
    Quota,
    ScopeLocked,
    SkuRefused,
    Throttled,
    Unavailable,
)
from control.memory import MemoryClock, MemoryMachines
from control.ports import Accepted, Clock, Machines
from control.words import Fault, Power
from local.azure import Kind, LocalAzure
from local.clock import SharedClock
from tests.contract.worlds import NOW, VM

REFUSALS: dict[str, AzureError] = {
    "conflict": Conflict(Evidence(status=409)),
    "quota": Quota(Evidence(status=409)),
    "sku_not_available": SkuRefused(Evidence(status=409)),
    "permission": Permission(Evidence(status=403)),
    "disabled_subscription": Disabled(Evidence(status=409)),
    "scope_lock": ScopeLocked(Evidence(status=409)),
    "throttled_by_compute": Throttled(Evidence(status=429, retry_after=1200)),
    "throttled_by_arm": Throttled(Evidence(status=429, retry_after=306)),
    "unavailable": Unavailable(Evidence(status=503)),
    "unreachable": Unavailable(Evidence()),
}
_KINDS = {
    "read": Kind.VM_GET,
    "start": Kind.VM_START,
    "deallocate": Kind.VM_DEALLOCATE,
}


class MachinesWorld(Protocol):
    """A machine named `VM` that can be brought into any state."""

    @property
    def machines(self) -> Machines: ...
    @property
    def clock(self) -> Clock: ...

    def bring(self, power: Power) -> None: ...
    def tag(self, name: str) -> None: ...
    def remove(self) -> None: ...
    def refuse(self, verb: str, refusal: str) -> None: ...
    def end(self, accepted: Accepted) -> None: ...
    def break_next_start(self) -> None: ...
    def sent(self, verb: str) -> list[bool]: ...


class MemoryMachinesWorld:
    """The twin is told."""

    def __init__(self) -> None:
        self.clock = MemoryClock(NOW)
        self.machines = MemoryMachines(self.clock, (VM,))
        self._ending: tuple[Fault, ...] = ()
        self._code: str | None = None

    def bring(self, power: Power) -> None:
        self.machines.set(VM, power)

    def tag(self, name: str) -> None:
        self.machines.set(VM, Power.DEALLOCATED, controlled_by=name)

    def remove(self) -> None:
        self.machines.remove(VM)

    def refuse(self, verb: str, refusal: str) -> None:
        self.machines.fail(verb, REFUSALS[refusal])

    def end(self, accepted: Accepted) -> None:
        assert accepted.operation_url is not None
        self.machines.finish(accepted.operation_url, *self._ending, code=self._code)

    def break_next_start(self) -> None:
        self._ending, self._code = (Fault.CAPACITY,), "AllocationFailed"

    def sent(self, verb: str) -> list[bool]:
        return [call.force for call in self.machines.calls if call.verb == verb]


class AzureMachinesWorld:
    """The local Azure's machine goes through its own motions."""

    def __init__(self, azure: LocalAzure, clock: SharedClock) -> None:
        self.clock = clock
        self._azure = azure
        self.machines = AzureMachines(
            credential=managed_identity(azure.client_id),
            endpoint=azure.arm_url,
            subscription=azure.subscription_id,
            resource_groups={VM: "rg-kimi"},
            clock=clock,
        )

    def bring(self, power: Power) -> None:
        if power is Power.UNKNOWN:
            self._azure.faults.arm("no_power_state")
        if power in {Power.DEALLOCATED, Power.UNKNOWN}:
            return
        self._azure.vm.start_outside()
        if power is Power.STARTING:
            self._pass(20)
            return
        self._pass(60)
        if power in {Power.STOPPING, Power.STOPPED}:
            self._azure.vm.shut_down_inside()
            self._pass(5 if power is Power.STOPPING else 60)
        if power is Power.DEALLOCATING:
            self._azure.vm.deallocate_outside()
            self._pass(5)

    def tag(self, name: str) -> None:
        self._azure.vm.machine.tags["controlled-by"] = name

    def remove(self) -> None:
        self._azure.vm.remove()

    def refuse(self, verb: str, refusal: str) -> None:
        self._azure.faults.arm(refusal, kinds=frozenset({_KINDS[verb]}))

    def end(self, accepted: Accepted) -> None:
        assert accepted.operation_url is not None
        self._pass(120)

    def break_next_start(self) -> None:
        self._azure.faults.arm("allocation_failed")

    def sent(self, verb: str) -> list[bool]:
        seen = self._azure.log.of(_KINDS[verb], caller="app")
        return [each.query.get("forceDeallocate") == "true" for each in seen]

    def _pass(self, seconds: int) -> None:
        self.clock.advance(timedelta(seconds=seconds))
        self._azure.settle()
