"""The values that the control plane reckons with; standard library only.

Every instant is aware UTC, every amount a Decimal with its currency beside it.
Nothing here reads a clock, an environment or a network.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from control.words import (
    Ending,
    Fault,
    LeaseState,
    Limit,
    OperationState,
    Phase,
    Power,
    PriceSource,
    Purpose,
    StopReason,
    Unreported,
)

FIRST_YEAR, LAST_YEAR = 1970, 3000


@dataclass(frozen=True, slots=True, kw_only=True)
class Provisioning:
    """ARM's ProvisioningState entry: it explains, money never follows it."""

    state: str
    code: str | None = None
    fault: Fault | None = None
    at: datetime | None = None

    @property
    def changing(self) -> bool:
        """Whether an operation is under way (such an entry carries no time)."""
        return self.state in {"updating", "creating"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One answer of ARM about a machine; `began_at` is when it was asked for."""

    began_at: datetime
    power: Power
    not_found: bool = False
    provisioning: Provisioning | None = None
    controlled_by: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What the readings so far add up to; kept in the ledger between runs.

    `known` is the last power state that was not unknown.
    """

    reading: Reading
    power: Power
    power_since: datetime
    known: Power | None = None
    on_since: datetime | None = None
    not_found_since: datetime | None = None
    not_found_ticks: int = 0
    not_found_tick_at: datetime | None = None
    last_billing_at: datetime | None = None
    last_off_at: datetime | None = None
    last_run_at: datetime
    gap_ended_at: datetime | None = None
    alarmed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """What the VM said of itself; `received_at` is ours, None is unknown."""

    received_at: datetime
    machine: str
    boot_id: str
    uptime_s: float | None = None
    phase: Phase
    progress: float | None = None
    detail: str = ""
    requests_running: int | None = None
    requests_waiting: int | None = None
    open_connections: int | None = None
    idle_seconds: float | None = None
    prompt_tokens_total: int | None = None
    generation_tokens_total: int | None = None
    armed_until: datetime | None = None
    cap_at: datetime | None = None
    ending: Ending | None = None
    release_failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One reading of a long-running operation."""

    state: OperationState
    fault: Fault | None = None
    code: str | None = None
    message: str | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a start ended: `fault` None means that it succeeded.

    `at` is Azure's time where it gave one, `learnt_at` when we read it.
    """

    fault: Fault | None
    code: str | None = None
    message: str | None = None
    at: datetime | None = None
    learnt_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The newest start of a lease: written as intent, then as Azure answered.

    `accepted_at` None with no outcome means that no answer came (yet).
    """

    sent_at: datetime
    attempts: int
    accepted_at: datetime | None = None
    operation_url: str | None = None
    outcome: Outcome | None = None
    retry_at: datetime | None = None

    @property
    def in_flight(self) -> bool:
        """Whether Azure may still be working on it."""
        return self.outcome is None

    @property
    def unanswered(self) -> bool:
        """Whether no answer came, so that Azure may have taken it all the same."""
        return self.accepted_at is None and self.fault in {None, Fault.UNAVAILABLE}

    @property
    def taken_at(self) -> datetime | None:
        """When Azure took it, or may have; None when it was refused at once."""
        return self.sent_at if self.unanswered else self.accepted_at

    @property
    def fault(self) -> Fault | None:
        """Why it failed, or None while in flight or after success."""
        return self.outcome.fault if self.outcome else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """The taking away of a lease; `sent_at` claims the newest deallocate."""

    since: datetime
    reason: StopReason
    by: str
    sent_at: datetime | None = None
    attempts: int = 0
    force_refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Extend:
    """The last extend, so that a repeated tap is one extend."""

    device: str
    minutes: Decimal
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Last:
    """The session before: what a machine that comes on later is judged by."""

    session_id: str
    ended_at: datetime
    boot_id: str | None = None
    closed_on_gone: bool = False
    expires_at: datetime | None = None
    release: Release | None = None
    late_start_sent_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """Permission for one machine to run until `expires_at`; one row a machine."""

    machine: str
    state: LeaseState = LeaseState.NONE
    session_id: str | None = None
    expires_at: datetime | None = None
    limited_by: Limit | None = None
    purpose: Purpose = Purpose.WORK
    asked: timedelta | None = None
    until: datetime | None = None
    device: str | None = None
    max_hours: Decimal | None = None
    decision_id: str | None = None
    extend: Extend | None = None
    locked: bool = False
    start: Start | None = None
    first_start_at: datetime | None = None
    unanswered_at: datetime | None = None
    release: Release | None = None
    ran: bool = False
    recounted: bool = False
    adopted_at: datetime | None = None
    boot_id: str | None = None
    phase: Phase | None = None
    phase_since: datetime | None = None
    last_ready_at: datetime | None = None
    broken_since: datetime | None = None
    ending_since: datetime | None = None
    warned: tuple[int, ...] = ()
    last: Last | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The ledger's record of one lease; a closed one never changes.

    `problem` is Azure's code where a start failed, `fault` what that means.
    """

    id: str
    machine: str
    started_by: str
    requested_at: datetime
    price_per_hour: Decimal
    price_source: PriceSource
    currency: str
    note: str = ""
    adopted: bool = False
    billing_since: datetime | None = None
    ready_at: datetime | None = None
    stop_requested_at: datetime | None = None
    stopped_by: str | None = None
    ended_at: datetime | None = None
    stop_reason: StopReason | None = None
    billed_seconds: int | None = None
    cost: Decimal | None = None
    provisional: bool = True
    phases: dict[str, int] = field(default_factory=dict)
    prompt_tokens: int | None = None
    generation_tokens: int | None = None
    problem: str | None = None
    fault: Fault | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A price per hour; `at` is when it was learnt from the Retail Prices API."""

    price_per_hour: Decimal
    currency: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What the deployment may spend in [`start`, `end`), both firsts of months."""

    limit: Decimal
    start: datetime
    end: datetime
    standing_per_month: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Azure's own figure for the window [`start`, `end`) of its budget."""

    amount: Decimal
    currency: str
    start: datetime
    end: datetime
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """Money used in the budget period over all machines, as of one instant.

    `rate` is the sum of the hourly prices of all machines that hold a lease, `own` is
    what is spent by our own reckoning alone. `unreported` is why Azure's figure was not
    to be had when it was last asked for.
    """

    spent: Decimal
    standing_to_come: Decimal
    remaining: Decimal
    rate: Decimal
    own: Decimal | None = None
    reported: Report | None = None
    unreported: Unreported | None = None


def ensure_utc(at: datetime) -> datetime:
    """Return `at` in UTC; raises ValueError for a time that means nothing here.

    A naive one would mean any zone; one of another age (a zero time, say) is nobody's
    deadline, and Table Storage's clients cannot read it back.
    """
    if at.tzinfo is None:
        raise ValueError("a time without a zone")
    if not FIRST_YEAR < at.year < LAST_YEAR:
        raise ValueError("a time of another age")
    return at.astimezone(UTC)
