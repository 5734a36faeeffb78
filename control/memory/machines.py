"""The twin of ARM: no machine comes on because it was started."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from control.errors import AzureError
from control.memory.failures import Failures
from control.model import Operation, Provisioning, Reading
from control.ports import Accepted, Clock
from control.words import Fault, OperationState, Power

_UNKNOWN = "There is no power state."


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call that reached `MemoryMachines`; a read and a look count too."""

    verb: str
    machine: str
    at: datetime
    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Machine:
    power: Power = Power.DEALLOCATED
    provisioning: Provisioning | None = None
    controlled_by: str | None = None
    problem: str | None = None
    not_found: bool = False


class MemoryMachines:
    """`ports.Machines` with settable readings, planned failures and a log of calls."""

    def __init__(self, clock: Clock, machines: Sequence[str]) -> None:
        self.calls: list[Call] = []
        self.operations: dict[str, Operation] = {}
        self._clock = clock
        self._machines = {name: _Machine() for name in machines}
        self._failures = Failures()
        self._numbers = count(1)

    def set(
        self,
        machine: str,
        power: Power,
        *,
        provisioning: Provisioning | None = None,
        controlled_by: str | None = None,
        problem: str | None = None,
    ) -> None:
        """Say what the next readings say."""
        assert power is not Power.GONE, "gone is a conclusion, not a reading"
        self._machines[machine] = _Machine(
            power=power,
            provisioning=provisioning,
            controlled_by=controlled_by,
            problem=problem or (_UNKNOWN if power is Power.UNKNOWN else None),
        )

    def remove(self, machine: str) -> None:
        """Let ARM answer 404 `ResourceNotFound`."""
        self._machines[machine] = _Machine(
            power=Power.UNKNOWN, not_found=True, problem="The machine is not there."
        )

    def fail(self, verb: str, error: AzureError, times: int | None = 1) -> None:
        """Let the next calls of a method raise; `times` None until `recover`."""
        self._failures.plan(verb, error, times)

    def recover(self) -> None:
        """Take every planned failure back."""
        self._failures.clear()

    def finish(
        self,
        url: str,
        fault: Fault | None = None,
        *,
        code: str | None = None,
        message: str | None = None,
        at: datetime | None = None,
    ) -> None:
        """End an operation."""
        self.operations[url] = Operation(
            state=OperationState.FAILED if fault else OperationState.SUCCEEDED,
            fault=fault,
            code=code,
            message=message,
            ended_at=at or self._clock.now(),
        )

    def read(self, machine: str) -> Reading:
        """Return what was set."""
        found = self._machines[machine]
        self._called("read", machine)
        return Reading(
            began_at=self._clock.now(),
            power=found.power,
            not_found=found.not_found,
            provisioning=found.provisioning,
            controlled_by=found.controlled_by,
            problem=found.problem,
        )

    def start(self, machine: str) -> Accepted:
        """Take a start."""
        return self._accept("start", machine)

    def deallocate(self, machine: str, *, force: bool = False) -> Accepted:
        """Take a deallocate."""
        return self._accept("deallocate", machine, force=force)

    def operation(self, url: str) -> Operation:
        """Return how far an operation is."""
        self._called("operation", url)
        return self.operations[url]

    def _accept(self, verb: str, machine: str, *, force: bool = False) -> Accepted:
        assert self._machines[machine]
        self._called(verb, machine, force=force)
        url = f"memory:{verb}/{machine}/{next(self._numbers)}"
        self.operations[url] = Operation(state=OperationState.IN_PROGRESS)
        return Accepted(at=self._clock.now(), operation_url=url)

    def _called(self, verb: str, machine: str, *, force: bool = False) -> None:
        at = self._clock.now()
        self.calls.append(Call(verb=verb, machine=machine, at=at, force=force))
        self._failures.meet(verb)
