"""Faults by name: what they may do to a call, and which are armed for how long.

A wire fault stands between a call and its answer; an operation fault replaces the
course that a start or a deallocate takes after it was accepted.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from local.azure.plan import Plan, Verb
from local.azure.routing import Call, Kind
from local.azure.wire import Reply

type Act = Callable[[Call, Callable[[], Reply]], Reply]


@dataclass(frozen=True, slots=True, kw_only=True)
class WireFault:
    """Comes between calls of these kinds and their answers.

    `act(call, answer)` gives the reply; `answer()` lets Azure take the call first.
    """

    kinds: frozenset[Kind]
    act: Act


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationFault:
    """Changes what happens after Azure said 202 to this verb."""

    verb: Verb
    change: Callable[[Plan], Plan]


type Fault = WireFault | OperationFault
type Make = Callable[..., Fault]


@dataclass(frozen=True, slots=True, kw_only=True)
class Armed:
    """A fault that waits: for whom, and how many times more (None: for ever)."""

    name: str
    fault: Fault
    left: int | None
    target: str | None
    caller: str | None
    kinds: frozenset[Kind] | None

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

    def __init__(self, catalogue: Mapping[str, Make]) -> None:
        self._catalogue = catalogue
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
        """
        if name not in self._catalogue:
            raise KeyError(f"no fault {name!r}; known: {', '.join(self.names)}")
        fault = self._catalogue[name](**parameters)
        waiting = Armed(
            name=name,
            fault=fault,
            left=times,
            target=target,
            caller=caller,
            kinds=kinds,
        )
        with self._guard:
            self._armed.append(waiting)

    def clear(self, name: str | None = None, target: str | None = None) -> None:
        """Disarm the faults of this name and target (None: any)."""
        with self._guard:
            self._armed = [
                each
                for each in self._armed
                if name not in (None, each.name) or target not in (None, each.target)
            ]

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
