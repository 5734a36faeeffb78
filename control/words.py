"""The words of design: every enumeration, standard library only.

A word stands in the API, the ledger and the pages as its value here.
"""

from enum import StrEnum
from typing import assert_never


class Power(StrEnum):
    """What ARM's instance view says now, and the two answers that are none."""

    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    DEALLOCATING = "deallocating"
    DEALLOCATED = "deallocated"
    UNKNOWN = "unknown"
    GONE = "gone"

    @property
    def billing(self) -> bool | None:
        """Whether Azure bills the machine in this state; None where unknown."""
        match self:
            case Power.STARTING | Power.RUNNING | Power.STOPPING | Power.STOPPED:
                return True
            case Power.DEALLOCATING | Power.DEALLOCATED | Power.GONE:
                return False
            case Power.UNKNOWN:
                return None
        assert_never(self)


class LeaseState(StrEnum):
    """Whether a machine may run."""

    NONE = "none"
    HELD = "held"
    RELEASING = "releasing"


class Fault(StrEnum):
    """Why Azure refused or failed an operation."""

    CAPACITY = "capacity"
    QUOTA = "quota"
    PERMISSION = "permission"
    SKU = "sku"
    DISABLED = "disabled"
    SCOPE_LOCK = "scope_lock"
    CONFLICT = "conflict"
    THROTTLED = "throttled"
    PREEMPTED = "preempted"
    NOT_FOUND = "not_found"
    UNAVAILABLE = "unavailable"
    OTHER = "other"


class StopReason(StrEnum):
    """Why a session ended."""

    USER = "user"
    ASKED = "asked"
    MAX_RUNTIME = "max_runtime"
    DEVICE = "device"
    BUDGET = "budget"
    BUDGET_PERIOD = "budget_period"
    IDLE = "idle"
    NEVER_READY = "never_ready"
    NOT_RESPONDING = "not_responding"
    BROKEN = "broken"
    GUEST_SHUTDOWN = "guest_shutdown"
    OUTSIDE = "outside"
    LATE_START = "late_start"
    LOCKED = "locked"
    NO_CAPACITY = "no_capacity"
    START_FAILED = "start_failed"


class Limit(StrEnum):
    """What set a deadline; each is a `StopReason` of the same name."""

    ASKED = "asked"
    MAX_RUNTIME = "max_runtime"
    DEVICE = "device"
    BUDGET = "budget"
    BUDGET_PERIOD = "budget_period"

    @property
    def reason(self) -> StopReason:
        """The stop reason of a lease that ran to this limit."""
        return StopReason(self.value)


class Phase(StrEnum):
    """How far the VM's own boot has come, as its heartbeat says."""

    DISK = "disk"
    WEIGHTS = "weights"
    SEEDING = "seeding"
    GPU = "gpu"
    LOADING = "loading"
    EDGE = "edge"
    READY = "ready"
    BROKEN = "broken"
    DRAINING = "draining"


class Ending(StrEnum):
    """Why the VM ends itself, as its heartbeat says."""

    IDLE = "idle"
    LEASE = "lease"
    BROKEN = "broken"
    NEVER_READY = "never_ready"


class Purpose(StrEnum):
    """What a lease is for: `setup` lifts the rules that a first download breaks."""

    WORK = "work"
    SETUP = "setup"


class PriceSource(StrEnum):
    """Where a session's frozen price came from."""

    RETAIL = "retail"
    CONFIGURED = "configured"


class Unreported(StrEnum):
    """Why Azure's own figure is not known."""

    OFFER = "offer"
    FORBIDDEN = "forbidden"
    NO_BUDGET = "no_budget"
    REFUSED = "refused"
    SILENT = "silent"
    NO_FIGURE = "no_figure"


class RunKind(StrEnum):
    """Who runs the loop: what a run may do hangs on it."""

    TICK = "tick"
    START = "start"
    STOP = "stop"
    POST = "post"
    HEARTBEAT = "heartbeat"
    READ = "read"
    ADOPT = "adopt"

    @property
    def adopts_for_caller(self) -> bool:
        """Whether who runs it has switched the machine on, and asks for a lease."""
        return self in {RunKind.START, RunKind.ADOPT}

    @property
    def may_start(self) -> bool:
        """Only `POST /start` and the timer send a start."""
        return self in {RunKind.TICK, RunKind.START}


class OperationState(StrEnum):
    """What an operation's URL says."""

    IN_PROGRESS = "in_progress"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
