"""What `decide` is given and what it says; standard library only."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from decimal import Decimal
from typing import assert_never

from control.model import (
    Budget,
    Heartbeat,
    Lease,
    Observed,
    Operation,
    Provisioning,
    Quote,
    Reading,
    Session,
    Spend,
)
from control.words import Phase, Power, Purpose, RunKind

FRESH = timedelta(minutes=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The settings that decide about one machine."""

    machine: str
    control_plane: str
    price_per_hour: Decimal
    currency: str
    budget: Budget
    default_asked: timedelta
    max_runtime: timedelta
    expected_ready: timedelta
    ready_deadline: timedelta
    idle: timedelta
    capacity_retry: timedelta
    max_starts_per_hour: int
    other_machines: tuple[str, ...] = ()
    auto_shutdown_at: time | None = None

    def other_controller(self, reading: Reading) -> str | None:
        """Return the name of another control plane that stands on the machine."""
        tag = reading.controlled_by
        return tag if tag and tag != self.control_plane else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a person asked a `POST /start` for; exactly one of asked and until."""

    device: str
    asked: timedelta | None = None
    until: datetime | None = None
    max_hours: Decimal | None = None
    note: str = ""
    purpose: Purpose = Purpose.WORK


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One reading of the world, and by which kind of run it was taken.

    `heartbeat` is one that counts for this lease; `spend` and `operation` are
    None where unknown; `fresh` is false for a reading taken by an earlier run.
    """

    run: RunKind
    seen: Observed
    heartbeat: Heartbeat | None = None
    operation: Operation | None = None
    spend: Spend | None = None
    quote: Quote | None = None
    ask: Ask | None = None
    new_id: str
    fresh: bool = True

    @property
    def power(self) -> Power:
        """The power state, after what this and the former readings add up to."""
        return self.seen.power

    @property
    def provisioning(self) -> Provisioning | None:
        """ARM's provisioning state in the same reading."""
        return self.seen.reading.provisioning

    @property
    def changing(self) -> bool:
        """Whether ARM shows an operation under way."""
        return self.provisioning is not None and self.provisioning.changing


@dataclass(frozen=True, slots=True, kw_only=True)
class SendStart:
    """Send one start to ARM."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SendDeallocate:
    """Send one deallocate to ARM."""

    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Notify:
    """Tell the owner."""

    event: str
    text: str


type Action = SendStart | SendDeallocate | Notify


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the journal: what was done to a lease and why.

    `session_id` is set where a decision ends one session and opens another.
    """

    event: str
    text: str
    by: str = "timer"
    session_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Everything a row of the decision table may look at."""

    lease: Lease
    session: Session | None
    seen: Observation
    policy: Policy
    now: datetime

    @property
    def by(self) -> str:
        """Who the ledger names for what this run decides by itself."""
        match self.seen.run:
            case RunKind.TICK:
                return "timer"
            case RunKind.HEARTBEAT:
                return "heartbeat"
            case RunKind.START | RunKind.STOP | RunKind.POST | RunKind.READ:
                return "call"
            case RunKind.ADOPT:
                return "command"
        assert_never(self.seen.run)

    @property
    def other_controller(self) -> str | None:
        """The other control plane that controls this machine, if one does."""
        return self.policy.other_controller(self.seen.seen.reading)

    @property
    def fresh(self) -> Heartbeat | None:
        """The heartbeat of this session, when it is at most 3 minutes old."""
        beat = self.seen.heartbeat
        young = beat is not None and self.now - beat.received_at <= FRESH
        return beat if young else None

    @property
    def ready(self) -> bool:
        """Whether the model answers, by a fresh heartbeat."""
        return self.fresh is not None and self.fresh.phase is Phase.READY


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a run does: the next lease and session, the actions and the reason.

    `rows` are the rows of the decision table that spoke, in order; the first one's
    reason is shown. `closed` is the session that ended in this decision, `session`
    the one that is open after it.
    """

    rows: tuple[int, ...]
    reason: str
    lease: Lease
    session: Session | None = None
    closed: Session | None = None
    actions: tuple[Action, ...] = ()
    entries: tuple[Entry, ...] = ()
