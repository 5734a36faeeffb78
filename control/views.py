"""What the switch answers: values for the routes and the pages, without any HTTP."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from control.decision import Policy
from control.model import Heartbeat, Lease, Observed, Session, Spend
from control.requests import Refusal
from control.words import Fault, Limit, PriceSource, Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What a start would get now; `refused` is the slug of why it would not."""

    expires_at: datetime
    limited_by: Limit
    max_hours: Decimal
    max_limited_by: Limit
    max_cost: Decimal
    price_per_hour: Decimal
    price_source: PriceSource
    refused: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Everything there is to say about one machine at `now`.

    `lease` is None when the ledger cannot be read; `seen` is None when ARM cannot be
    read and never was. `heartbeat` is the newest that counts for this session,
    `session` the open one, `last` the newest closed one. `problems` are slugs.
    """

    now: datetime
    policy: Policy
    lease: Lease | None = None
    session: Session | None = None
    seen: Observed | None = None
    heartbeat: Heartbeat | None = None
    spend: Spend | None = None
    cost: Decimal | None = None
    offer: Offer | None = None
    extendable_until: datetime | None = None
    tick_at: datetime | None = None
    last: Session | None = None
    reason: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of a request; `opened` when this very call opened the session.

    `unsent` says why Azure did not take the start or deallocate of this call.
    """

    view: View
    refusal: Refusal | None = None
    opened: bool = False
    unsent: Fault | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The answer to a heartbeat; `session_id` None beside an `expires_at` counts."""

    now: datetime
    session_id: str | None
    expires_at: datetime | None
    drain: bool
    purpose: Purpose
    policy: Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFilter:
    """Which sessions to list: requested in [start, end), newest first."""

    start: datetime | None = None
    end: datetime | None = None
    device: str | None = None
    reason: str | None = None
    limit: int = 20
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPage:
    """One page of sessions; an open one has its cost so far."""

    sessions: tuple[Session, ...]
    next_cursor: str | None = None
    skipped: tuple[str, ...] = ()
