"""The three kinds of faults, by where they take hold.

A wire fault stands between a call and its answer; an operation fault replaces the
course that a start or a deallocate takes after it was accepted; a state fault makes
Azure, or the machine, another one until it is cleared.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from local.azure.plan import Plan, Verb
from local.azure.routing import Call, Kind
from local.azure.wire import Reply

if TYPE_CHECKING:
    from local.azure.estate import Estate

type Answer = Callable[[], Reply]
type Act = Callable[[Call, Answer], Reply]
type Undo = Callable[[], None]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class StateFault:
    """Changes Azure at once; `begin` returns what clearing it has to do."""

    begin: Callable[["Estate"], Undo]


type Fault = WireFault | OperationFault | StateFault
type Make = Callable[..., Fault]
