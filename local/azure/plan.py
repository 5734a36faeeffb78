"""The course of one operation after its 202: how long, how it ends, what power does."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum


class Verb(StrEnum):
    """The operations a machine knows; a command leaves its power as it is."""

    START = "start"
    DEALLOCATE = "deallocate"
    POWER_OFF = "powerOff"
    RUN_COMMAND = "runCommand"


class Power(StrEnum):
    """The power states of Azure's documentation."""

    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    DEALLOCATING = "deallocating"
    DEALLOCATED = "deallocated"


BILLED = frozenset({Power.STARTING, Power.RUNNING, Power.STOPPING, Power.STOPPED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """How an operation fails: its status, its code and its message."""

    code: str
    message: str
    status: str = "Failed"


PREEMPTED = Failure(
    code="OperationPreempted",
    message="Operation execution has been preempted by a more recent operation.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an accepted operation will do.

    `passing` is the power while it works (None: as it is), `arrives` when the power
    reaches `goal` (None: never), `ends` when the operation ends (None: never). A
    `stubborn` arrival comes even when a later operation takes over.
    """

    verb: Verb
    passing: Power | None
    goal: Power
    arrives: timedelta | None
    ends: timedelta | None
    blank: timedelta = timedelta(0)
    failure: Failure | None = None
    stubborn: bool = False
