"""The shapes of the JSON documents: what `openapi.json` promises.

Instants are UTC in RFC 3339 with a Z, amounts are decimal strings.
"""

from typing import Annotated, NotRequired, TypedDict

from pydantic import Field

type Instant = Annotated[str, Field(examples=["2026-11-30T10:00:00Z"])]
type Money = Annotated[str, Field(examples=["84.80"])]


class PowerShape(TypedDict):
    """The power state and when it was read."""

    state: str
    read_at: Instant | None


class OpenSessionShape(TypedDict):
    """The session that is open now."""

    id: str
    started_by: str
    requested_at: Instant
    billing_since: Instant | None
    ready_at: Instant | None
    expires_at: Instant | None
    limited_by: str | None
    extendable_until: Instant | None
    seconds_left: int | None
    cost: Money
    currency: str
    price_per_hour: Money
    price_source: str
    stop_reason: str | None


class OfferShape(TypedDict):
    """What a start would get now; `refused` is the slug of why it would not."""

    hours: str
    limited_by: str
    max_hours: str
    max_limited_by: str
    currency: str
    max_cost: Money
    price_per_hour: Money
    price_source: str
    refused: str | None


BudgetShape = TypedDict(
    "BudgetShape",
    {
        "limit": Money,
        "spent": Money,
        "standing_to_come": Money,
        "currency": str,
        "remaining": Money,
        "hours_left": str,
        "reported_by_azure": Money | None,
        "reported_at": Instant | None,
        "reported_problem": NotRequired[str],
        "from": str,
        "to": str,
    },
)


class TimerShape(TypedDict):
    """The timer; stale after 3 minutes without a tick."""

    last_tick_at: Instant | None
    stale: bool


class VmShape(TypedDict):
    """The VM's own lease keeper."""

    heartbeat_at: Instant | None
    armed_until: Instant | None


class EnforcersShape(TypedDict):
    """Who can end the session."""

    timer: TimerShape
    vm: VmShape
    auto_shutdown: str | None


class PhasesShape(TypedDict):
    """Seconds spent in each phase."""

    allocate_s: int
    disk_s: int
    weights_s: int
    seeding_s: int
    gpu_s: int
    loading_s: int
    edge_s: int
    ready_s: int
    idle_s: int


class SessionShape(TypedDict):
    """A session of the ledger."""

    id: str
    machine: str
    started_by: str
    note: str
    requested_at: Instant
    billing_since: Instant | None
    ready_at: Instant | None
    stop_requested_at: Instant | None
    stopped_by: str | None
    ended_at: Instant | None
    stop_reason: str | None
    billed_seconds: int | None
    price_per_hour: Money
    price_source: str
    currency: str
    cost: Money | None
    provisional: bool
    phases: PhasesShape
    prompt_tokens: int | None
    generation_tokens: int | None
    cost_per_million_tokens: Money | None
    problem: str | None


class LinksShape(TypedDict):
    """Where to go from here."""

    chat: str | None


class StatusShape(TypedDict):
    """Everything about one machine; `fleet` names all machines."""

    now: Instant
    machine: str
    fleet: list[str]
    time_zone: str
    state: str
    summary: str
    power: PowerShape
    billing: bool | None
    phase: str | None
    progress: float | None
    ready_eta: Instant | None
    session: OpenSessionShape | None
    offer: OfferShape | None
    budget: BudgetShape | None
    enforcers: EnforcersShape
    locked: bool | None
    last_session: SessionShape | None
    problem: str | None
    links: LinksShape


class FleetShape(TypedDict):
    """The same for several machines at once."""

    now: Instant
    summary: str
    machines: list[StatusShape]


class TotalsShape(TypedDict):
    """The sums of the sessions that are listed."""

    sessions: int
    billed_seconds: int
    cost: Money
    currency: str


class SessionsShape(TypedDict):
    """A page of sessions, newest first; `skipped` names rows that are unreadable."""

    sessions: list[SessionShape]
    next_cursor: str | None
    totals: TotalsShape
    skipped: list[str]


class JournalShape(TypedDict):
    """One line of the journal."""

    at: Instant
    event: str
    text: str
    by: str


class SessionDetailShape(TypedDict):
    """One session and its journal, oldest first."""

    session: SessionShape
    journal: list[JournalShape]


class DeviceShape(TypedDict):
    """A device, never its token."""

    name: str
    scope: str
    machine: str | None
    max_hours: str | None
    enabled: bool
    last_used_at: Instant | None


class DevicesShape(TypedDict):
    """Every device of the vault."""

    devices: list[DeviceShape]


class CodeShape(TypedDict):
    """A pairing code: once, until `expires_at`."""

    code: str
    expires_at: Instant


class PairedShape(TypedDict):
    """A device's token, told once."""

    token: str
    device: str
    scope: str
    machine: str | None


class HealthShape(TypedDict):
    """Whether the timer runs."""

    ok: bool
    version: str
    last_tick_age_s: int | None


class ReplyShape(TypedDict):
    """The answer to a heartbeat."""

    now: Instant
    session_id: str | None
    expires_at: Instant | None
    drain: bool
    idle_minutes: float
    purpose: str
    ready_deadline_minutes: float
    max_runtime_hours: float
