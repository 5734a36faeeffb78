"""How a lease and its session begin, change hands and end; pure values.

Each function returns the next values and changes nothing. Times are aware UTC.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal

from control.decision import Ask, Case
from control.model import Last, Lease, Release, Session
from control.rules import money, phases, starts
from control.rules.deadlines import Deadline, at_adoption
from control.rules.sight import BACK_FROM_GONE
from control.words import (
    Fault,
    LeaseState,
    Limit,
    Power,
    PriceSource,
    Purpose,
    StopReason,
)

PROVES_RAN = frozenset({Power.RUNNING, Power.STOPPING})
# Between an operation's end as it says itself and as the view dates it.
_ONE_OPERATION = timedelta(seconds=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """A lease that ended, and the session that ended with it (None: never billed)."""

    lease: Lease
    session: Session | None


def opened(case: Case, ask: Ask, deadline: Deadline) -> tuple[Lease, Session]:
    """Return the lease and session of a start that was asked for and may be sent."""
    lease = replace(
        _cleared(case.lease),
        state=LeaseState.HELD,
        session_id=case.seen.new_id,
        expires_at=deadline.at,
        limited_by=deadline.limited_by,
        purpose=ask.purpose,
        asked=None if ask.until else ask.asked or case.policy.default_asked,
        until=ask.until,
        device=ask.device,
        max_hours=ask.max_hours,
    )
    return lease, _session(case, ask.device, ask.note)


def adopted(case: Case, by: str, ask: Ask | None = None) -> tuple[Lease, Session]:
    """Return the lease and session of a machine that was found billing without one."""
    since = found_billing_since(case)
    bound = _end_of_the_last(case)
    deadline = at_adoption(case.policy, since, case.now, ask, bound)
    lease = replace(
        _cleared(case.lease),
        state=LeaseState.HELD,
        session_id=case.seen.new_id,
        expires_at=deadline.at,
        limited_by=deadline.limited_by,
        purpose=ask.purpose if ask else Purpose.WORK,
        asked=ask.asked if ask else None,
        until=ask.until if ask else None,
        device=ask.device if ask else None,
        max_hours=ask.max_hours if ask else None,
        adopted_at=case.now,
        ran=case.seen.power in PROVES_RAN,
    )
    session = replace(
        _session(case, by, ask.note if ask else ""),
        adopted=True,
        billing_since=since,
        provisional=False,
    )
    return lease, session


def price(case: Case) -> tuple[Decimal, PriceSource]:
    """Return the price that a session opened now would freeze, and its source."""
    policy = case.policy
    return money.price(
        case.seen.quote, policy.price_per_hour, policy.currency, case.now
    )


def _session(case: Case, started_by: str, note: str) -> Session:
    per_hour, source = price(case)
    return Session(
        id=case.seen.new_id,
        machine=case.lease.machine,
        started_by=started_by,
        requested_at=case.now,
        price_per_hour=per_hour,
        price_source=source,
        currency=case.policy.currency,
        note=note,
    )


def found_billing_since(case: Case) -> datetime:
    """Return since when a machine bills that no start of ours brought on.

    The earlier of ARM's time and first sight, but after it was last off.
    """
    seen = case.seen.seen
    entry = case.seen.provisioning
    first_sight = seen.on_since or seen.reading.began_at
    arm = entry.at if entry and entry.at and not entry.changing else first_sight
    floors = [seen.last_off_at, case.lease.last.ended_at if case.lease.last else None]
    return max([min(arm, first_sight), *(floor for floor in floors if floor)])


def back_from_gone(case: Case) -> bool:
    """Whether the machine was gone when its last session closed, moments ago."""
    last = case.lease.last
    recent = last is not None and case.now - last.ended_at <= BACK_FROM_GONE
    return last is not None and last.closed_on_gone and recent


def _end_of_the_last(case: Case) -> datetime | None:
    """Back from gone: the deadline or the release of the session before."""
    last = case.lease.last
    if last is None or not back_from_gone(case):
        return None
    ends = [last.expires_at, last.release.since if last.release else None]
    return min((end for end in ends if end), default=None)


def _cleared(lease: Lease) -> Lease:
    """Keep what outlives a session: the machine, the lock and the session before."""
    return Lease(
        machine=lease.machine,
        locked=lease.locked,
        last=lease.last,
        decision_id=lease.decision_id,
    )


def released(case: Case, reason: StopReason, by: str) -> tuple[Lease, Session | None]:
    """Return the lease on its way out; a machine without one gets one to release."""
    release = Release(since=case.now, reason=reason, by=by)
    lease = replace(case.lease, state=LeaseState.RELEASING, release=release)
    session = case.session
    if session is not None:
        session = replace(session, stop_requested_at=case.now, stopped_by=by)
    return lease, session


def closed(case: Case, reason: StopReason, end: datetime | None = None) -> Closed:
    """Return the lease without its session, and the session with what it cost.

    `end` is set for a machine that is gone; else ARM's time of the deallocation where
    it can be believed, else the reading.
    """
    ended_at = end or _end(case)
    session = _closed_session(case, reason, ended_at) if case.session else None
    lease = _cleared(case.lease)
    if session is not None:
        lease = replace(lease, last=_last(case, session, ended_at))
    return Closed(lease=lease, session=session)


def _end(case: Case) -> datetime:
    seen, entry = case.seen.seen, case.seen.provisioning
    read_at = seen.reading.began_at
    floors = [seen.last_billing_at, bill_from(case.lease, case.session)]
    floor = max((at for at in floors if at), default=None)
    if entry is None or entry.at is None or floor is None or entry.changing:
        return read_at
    if _is_the_starts(case.lease, entry.at):
        return read_at
    return entry.at if floor <= entry.at <= case.now else read_at


def _is_the_starts(lease: Lease, at: datetime) -> bool:
    """Whether a time is that of the start's own success: nothing was dated since.

    A machine that goes without an operation of anybody's leaves ARM's time behind.
    """
    outcome = lease.start.outcome if lease.start else None
    if outcome is None or outcome.fault is not None or outcome.at is None:
        return False
    return at <= outcome.at + _ONE_OPERATION


def _last(case: Case, session: Session, ended_at: datetime) -> Last:
    before = case.lease.last
    return Last(
        session_id=session.id,
        ended_at=ended_at,
        boot_id=case.lease.boot_id or (before.boot_id if before else None),
        closed_on_gone=case.seen.power is Power.GONE,
        expires_at=case.lease.expires_at,
        release=case.lease.release,
        late_start_sent_at=starts.late_start_sent_at(case.lease),
    )


def bill_from(lease: Lease, session: Session | None) -> datetime | None:
    """Return from when a session costs; None while nothing of it can be billed."""
    if session is None:
        return None
    return session.billing_since or starts.taken_at(lease)


def costs_nothing(lease: Lease) -> bool:
    """Whether a start that failed for a known reason left nothing to bill."""
    fault = lease.start.fault if lease.start else None
    failed = fault in starts.COSTS_NOTHING
    return failed and not lease.ran and lease.unanswered_at is None


def cost(lease: Lease, session: Session, until: datetime) -> Decimal:
    """Return what an open session has cost until an instant, in full if provisional."""
    since = bill_from(lease, session)
    if since is None or costs_nothing(lease):
        return Decimal(0)
    return money.session_cost(session.price_per_hour, since, max(since, until))


def _closed_session(case: Case, reason: StopReason, ended_at: datetime) -> Session:
    assert case.session is not None
    session = case.session
    since = bill_from(case.lease, session)
    free = since is None or costs_nothing(case.lease) or _never_came_on(case)
    end = max(ended_at, since) if since else ended_at
    beat = case.seen.heartbeat
    billed = money.billed_until(since, end) - since if since and not free else None
    return replace(
        session,
        billing_since=None if free else since,
        ended_at=end,
        stop_reason=reason,
        billed_seconds=int(billed.total_seconds()) if billed else 0,
        cost=(
            money.session_cost(session.price_per_hour, since, end)
            if since and not free
            else Decimal(0)
        ),
        provisional=False,
        phases=phases.whole(case.lease, session, beat, ended_at),
        prompt_tokens=beat.prompt_tokens_total if beat else None,
        generation_tokens=beat.generation_tokens_total if beat else None,
        problem=session.problem or _problem(case),
        fault=_failure(case),
    )


def _never_came_on(case: Case) -> bool:
    """Never ran, never read billing, and ARM's last change is from before our start."""
    assert case.session is not None
    entry, first = case.seen.provisioning, case.lease.first_start_at
    if case.lease.ran or case.session.billing_since is not None or first is None:
        return False
    return entry is not None and entry.at is not None and entry.at < first


def _problem(case: Case) -> str | None:
    fault, start = _failure(case), case.lease.start
    if fault is None or start is None or start.outcome is None:
        return None
    return start.outcome.code or fault.value


def _failure(case: Case) -> Fault | None:
    """Return why the start failed; something newer that overtook it is no failure."""
    fault = case.lease.start.fault if case.lease.start else None
    return None if fault is Fault.PREEMPTED else fault


def limit_reason(lease: Lease) -> StopReason:
    """Return what set the deadline, as a stop reason."""
    return (lease.limited_by or Limit.MAX_RUNTIME).reason
