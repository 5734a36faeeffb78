"""What a person may ask of a machine: start, stop, extend, lock, unlock; pure.

Each takes the case as observed and returns the decision that follows, or why not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal

from control.decide import decide
from control.decision import Ask, Case, Decision, Entry
from control.model import Extend, Lease, Release, Session, Spend
from control.rules import deadlines, leases, money
from control.said.book import Told, counted, lowered
from control.said.journal import Line
from control.said.refusals import Refused, Rule
from control.words import LeaseState, Limit, Power, StopReason

SAME_TAP = timedelta(seconds=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request is not granted, by a sentence that belongs to a problem.

    `retry_after` is in seconds; `fields` go into the problem document.
    """

    told: Told
    retry_after: int | None = None
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def slug(self) -> str:
        """The problem of the HTTP contract."""
        return self.told.said.sentence.slug

    @property
    def detail(self) -> str:
        """The sentence, with times of day in UTC."""
        return str(self.told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a request comes to; the decision is to be carried out in either case."""

    decision: Decision
    refusal: Refusal | None = None


def _decide(case: Case, lease: Lease, session: Session | None) -> Decision:
    return decide(lease, session, case.seen, case.policy, case.now)


def start(case: Case, ask: Ask, starts_last_hour: int) -> Outcome:
    """Open a lease, or say why not; one that is held already is left as it is."""
    made = _decide(case, case.lease, case.session)
    if made.lease.state is LeaseState.HELD:
        return Outcome(decision=made)
    if made.lease.state is LeaseState.RELEASING:
        return Outcome(decision=made, refusal=_refused_by_lock(made.lease) or _STOPPING)
    if made.closed is not None and made.closed.stop_reason in _START_FAILED:
        fields = {"session": made.closed.id, "cause": made.closed.problem or ""}
        told = Refused.FAILED.of(reason=_inside(made.reason))
        return Outcome(decision=made, refusal=Refusal(told=told, fields=fields))
    case = replace(case, lease=made.lease, session=made.session)
    found = _refused(case, starts_last_hour)
    if found is not None:
        return Outcome(decision=made, refusal=found)
    deadline = offer(case, ask)
    lease, session = leases.opened(case, ask, deadline)
    then = _decide(case, lease, session)
    text = Line.OPENED.say(by=ask.device, at=deadline.at, limit=deadline.limited_by)
    entry = Entry(event="opened", text=text, by=ask.device)
    own = (replace(line, session_id=session.id) for line in (entry, *then.entries))
    entries = (*made.entries, *own)
    actions = made.actions + then.actions
    return Outcome(
        decision=replace(
            then, entries=entries, actions=actions, closed=then.closed or made.closed
        )
    )


def _inside(reason: str) -> str:
    """Return a sentence as it stands behind a colon; a name keeps its capital."""
    return reason if reason.startswith("Azure") else lowered(reason)


_STOPPING = Refusal(told=Refused.STOPPING.of(), retry_after=60)

_START_FAILED = frozenset({StopReason.START_FAILED, StopReason.NO_CAPACITY})


def refused(case: Case, starts_last_hour: int) -> Refusal | None:
    """Return why a start would be refused now; None when it would be granted."""
    if case.lease.state is LeaseState.RELEASING:
        return _refused_by_lock(case.lease) or _STOPPING
    if case.lease.state is LeaseState.HELD:
        return None
    return _refused(case, starts_last_hour)


def _refused(case: Case, starts_last_hour: int) -> Refusal | None:
    return (
        _refused_by_lock(case.lease)
        or _refused_by_tag(case)
        or _refused_by_azure(case)
        or _refused_by_money(case)
        or _refused_by_count(case, starts_last_hour)
    )


def _refused_by_lock(lease: Lease) -> Refusal | None:
    if not lease.locked:
        return None
    return Refusal(told=Refused.LOCKED.of())


def _refused_by_tag(case: Case) -> Refusal | None:
    tag = case.other_controller
    if tag is None:
        return None
    told = Refused.OTHER_SWITCH.of(tag=tag)
    return Refusal(told=told, fields={"controlled_by": tag})


def _refused_by_azure(case: Case) -> Refusal | None:
    if case.seen.power is Power.GONE:
        return Refusal(told=Refused.GONE.of())
    if case.seen.power is Power.UNKNOWN:
        return Refusal(told=Refused.UNKNOWN.of(), retry_after=30)
    return None


def _refused_by_money(case: Case) -> Refusal | None:
    budget, spend = case.policy.budget, case.seen.spend
    if not money.in_period(budget, case.now):
        told = Refused.OUTSIDE_PERIOD.of(start=_day(budget.start), end=_day(budget.end))
        return Refusal(told=told)
    if spend is None:
        return Refusal(told=Refused.SPENT_UNKNOWN.of(), retry_after=30)
    price = leases.price(case)[0]
    end = deadlines.affordable(case.policy, spend, price, case.now)
    if end.at - case.now >= deadlines.least_affordable(case.policy):
        return None
    if end.limited_by is Limit.BUDGET_PERIOD:
        return Refusal(told=Refused.PERIOD_TOO_SHORT.of())
    return _too_little(spend, case.policy.currency)


def _too_little(spend: Spend, currency: str) -> Refusal:
    left = money.cents(spend.remaining)
    told = Refused.TOO_LITTLE_LEFT.of(left=left, currency=currency)
    if spend.reported is not None:
        told = Refused.TOO_LITTLE_BY_BOTH.of(
            left=left,
            currency=currency,
            spent=money.cents(spend.spent if spend.own is None else spend.own),
            reported=money.cents(spend.reported.amount),
        )
    return Refusal(told=told, fields={"remaining": str(left), "currency": currency})


def _day(at: datetime) -> str:
    return f"{at.day} {at:%B %Y}"


def _refused_by_count(case: Case, starts_last_hour: int) -> Refusal | None:
    most = case.policy.max_starts_per_hour
    if starts_last_hour < most:
        return None
    count = counted(starts_last_hour, "start")
    told = Refused.TOO_MANY_STARTS.of(count=count, most=most)
    return Refusal(told=told, retry_after=600)


def offer(case: Case, ask: Ask) -> deadlines.Deadline:
    """Return the deadline that a start would get now; the spend must be known."""
    assert case.seen.spend is not None
    return deadlines.at_start(
        case.policy, ask, case.seen.spend, leases.price(case)[0], case.now
    )


def stop(case: Case, by: str) -> Outcome:
    """Take the lease away, whatever is believed about the machine; never refused."""
    lease, session = case.lease, case.session
    entry = Entry(event="stop", text=Line.STOP.say(by=by), by=by)
    if lease.state is LeaseState.HELD:
        lease, session = leases.released(case, StopReason.USER, by)
    elif lease.state is LeaseState.NONE:
        lease, session = _stop_without_lease(case, by)
    made = _decide(case, lease, session)
    if made.lease == case.lease:
        return Outcome(decision=made)
    return Outcome(decision=replace(made, entries=(entry, *made.entries)))


def _stop_without_lease(case: Case, by: str) -> tuple[Lease, Session | None]:
    power = case.seen.power
    if power is Power.GONE:
        return _mark_last(case, by), None
    if power is Power.DEALLOCATED:
        return case.lease, None
    if power.billing:
        lease, session = leases.adopted(case, "outside")
        case = replace(case, lease=lease, session=session)
    return leases.released(case, StopReason.USER, by)


def _mark_last(case: Case, by: str) -> Lease:
    """Should the machine come back from gone, this person wanted it off."""
    last = case.lease.last
    if last is None or not leases.back_from_gone(case):
        return case.lease
    release = Release(since=case.now, reason=StopReason.USER, by=by)
    return replace(case.lease, last=replace(last, release=release))


def furthest(case: Case, max_hours: Decimal | None) -> deadlines.Deadline | None:
    """Return how far an extend may go now; None where the spend is unknown."""
    if case.seen.spend is None:
        return None
    since = case.session.billing_since if case.session else None
    return deadlines.furthest(
        case.policy,
        case.seen.spend,
        since or case.now,
        case.now,
        max_hours=max_hours,
        heartbeat=case.seen.heartbeat,
    )


def extend(
    case: Case, minutes: Decimal, device: str, max_hours: Decimal | None
) -> Outcome:
    """Move the deadline later by `minutes`, or say which rule forbids it."""
    made = _decide(case, case.lease, case.session)
    lease = made.lease
    if lease.state is not LeaseState.HELD or lease.expires_at is None:
        refusal = Refusal(told=Refused.NOT_RUNNING.of())
        return Outcome(decision=made, refusal=refusal)
    if _same_tap(lease.extend, minutes, device, case.now):
        return Outcome(decision=made)
    case = replace(case, lease=lease, session=made.session)
    limit = furthest(case, max_hours)
    if limit is None:
        refusal = Refusal(told=Refused.NOT_EXTENDED_UNKNOWN.of(), retry_after=30)
        return Outcome(decision=made, refusal=refusal)
    by = deadlines.hours(minutes / 60)
    if lease.expires_at + by > limit.at:
        return Outcome(decision=made, refusal=_beyond(limit))
    extended = _extended(lease, by, Extend(device=device, minutes=minutes, at=case.now))
    text = Line.EXTENDED.say(minutes=minutes, by=device)
    entry = Entry(event="extended", text=text, by=device)
    decision = replace(made, lease=extended, entries=(*made.entries, entry))
    return Outcome(decision=decision)


def _same_tap(
    before: Extend | None, minutes: Decimal, device: str, now: datetime
) -> bool:
    if before is None or before.device != device or before.minutes != minutes:
        return False
    return now - before.at <= SAME_TAP


def _beyond(limit: deadlines.Deadline) -> Refusal:
    at = f"{limit.at:%Y-%m-%dT%H:%M:%SZ}"
    told = Refused.BEYOND.of(at=limit.at, rule=Rule[limit.limited_by.name].say())
    fields = {"limited_by": limit.limited_by.value, "extendable_until": at}
    return Refusal(told=told, fields=fields)


def _extended(lease: Lease, by: timedelta, extend: Extend) -> Lease:
    assert lease.expires_at is not None
    at = lease.expires_at + by
    return replace(
        lease,
        expires_at=at,
        limited_by=Limit.ASKED,
        asked=lease.asked + by if lease.asked is not None else None,
        until=at if lease.asked is None else None,
        extend=extend,
        warned=(),
    )


def lock(case: Case, by: str, *, locked: bool) -> Outcome:
    """Set or lift the kill switch; a set one takes any lease away."""
    if case.lease.locked == locked:
        return Outcome(decision=_decide(case, case.lease, case.session))
    lease, session = replace(case.lease, locked=locked), case.session
    if locked and lease.state is LeaseState.HELD:
        inner = replace(case, lease=lease)
        lease, session = leases.released(inner, StopReason.LOCKED, by)
    line = Line.LOCKED if locked else Line.UNLOCKED
    entry = Entry(event=line.name.lower(), text=line.say(by=by), by=by)
    made = _decide(case, lease, session)
    return Outcome(decision=replace(made, entries=(entry, *made.entries)))
