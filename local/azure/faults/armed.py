"""Which faults are armed, for whom and for how long."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from local.azure.faults.kinds import (
    Fault,
    OperationFault,
    StateFault,
    Undo,
    WireFault,
)
from local.azure.plan import Plan, Verb
from local.azure.routing import Call, Kind
from local.azure.wire import Reply
from local.offer import Offer


@dataclass(frozen=True, slots=True, kw_only=True)
class Armed:
    """A fault that waits: for whom, and how many times more (None: for ever)."""

    name: str
    fault: Fault
    left: int | None
    target: str | None
    caller: str | None
    kinds: frozenset[Kind] | None
    undo: Undo | None = None

    def meets(self, call: Call) -> bool:
        if not isinstance(self.fault, WireFault):
            return False
        kinds = self.kinds or self.fault.kinds
        return call.kind in kinds and self._means(call.target, call.caller)

    def changes(self, verb: Verb, target: str, caller: str) -> bool:
        if not isinstance(self.fault, OperationFault):
            return False
        return self.fault.verb is verb and self._means(target, caller)

    def _means(self, target: str, caller: str) -> bool:
        return self.target in (None, target) and self.caller in (None, caller)


class Faults:
    """The armed faults, first armed first met."""

    def __init__(
        self,
        catalogue: Mapping[str, Offer[Fault]],
        begin: Callable[[StateFault], Undo],
    ) -> None:
        self._catalogue = catalogue
        self._begin = begin
        self._armed: list[Armed] = []
        self._guard = threading.Lock()

    @property
    def names(self) -> list[str]:
        """The names that `arm` knows."""
        return sorted(self._catalogue)

    @property
    def armed(self) -> list[Armed]:
        with self._guard:
            return list(self._armed)

    def arm(
        self,
        name: str,
        *,
        times: int | None = 1,
        target: str | None = None,
        caller: str | None = None,
        kinds: frozenset[Kind] | None = None,
        **parameters: Any,
    ) -> None:
        """Arm a fault for the next `times` calls (None: until it is cleared).

        `target` is a machine or vault, `caller` is app, vm or operator, `kinds` narrows
        or widens the calls that a wire fault meets; the rest shapes the fault itself.
        A state fault holds until it is cleared, and for all.
        """
        if name not in self._catalogue:
            raise KeyError(f"no fault {name!r}; known: {', '.join(self.names)}")
        fault = self._catalogue[name].make(**parameters)
        state = isinstance(fault, StateFault)
        undo = self._begin(fault) if isinstance(fault, StateFault) else None
        waiting = Armed(
            name=name,
            fault=fault,
            left=None if state else times,
            target=target,
            caller=caller,
            kinds=kinds,
            undo=undo,
        )
        with self._guard:
            self._armed.append(waiting)

    def clear(self, name: str | None = None, target: str | None = None) -> None:
        """Disarm the faults of this name and target (None: any)."""

        def goes(each: Armed) -> bool:
            return name in (None, each.name) and target in (None, each.target)

        with self._guard:
            gone = [each for each in self._armed if goes(each)]
            self._armed = [each for each in self._armed if not goes(each)]
        for each in reversed(gone):
            if each.undo is not None:
                each.undo()

    def through(self, call: Call, answer: Callable[[], Reply]) -> Reply:
        """Answer the call through the first wire fault that meets it."""
        met = self._take(lambda each: each.meets(call))
        if met is None or not isinstance(met.fault, WireFault):
            return answer()
        return met.fault.act(call, answer)

    def change(self, plan: Plan, target: str, caller: str) -> Plan:
        """Put a plan through the first operation fault that waits for it."""
        met = self._take(lambda each: each.changes(plan.verb, target, caller))
        if met is None or not isinstance(met.fault, OperationFault):
            return plan
        return met.fault.change(plan)

    def _take(self, meets: Callable[[Armed], bool]) -> Armed | None:
        with self._guard:
            for index, each in enumerate(self._armed):
                if meets(each):
                    self._use(index, each)
                    return each
        return None

    def _use(self, index: int, each: Armed) -> None:
        if each.left is None:
            return
        if each.left > 1:
            self._armed[index] = replace(each, left=each.left - 1)
        else:
            del self._armed[index]
