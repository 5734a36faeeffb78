"""What a person may ask of a machine: start, stop, extend, lock, unlock; pure.

Each takes the case as observed and returns the decision that follows, or why not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal

from control.decide import decide
from control.decision import Ask, Case, Decision, Entry
from control.model import Extend, Lease, Release, Session
from control.rules import deadlines, leases, money
from control.words import LeaseState, Limit, Power, StopReason

SAME_TAP = timedelta(seconds=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request is not granted: `slug` names the problem of the HTTP contract.

    `retry_after` is in seconds; `fields` go into the problem document.
    """

    slug: str
    detail: str
    retry_after: int | None = None
    fields: Mapping[str, str] = field(default_factory=dict)


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
        detail = f"Not started: {made.reason}"
        refusal = Refusal(slug="start-failed", detail=detail, fields=fields)
        return Outcome(decision=made, refusal=refusal)
    case = replace(case, lease=made.lease, session=made.session)
    found = _refused(case, ask, starts_last_hour)
    if found is not None:
        return Outcome(decision=made, refusal=found)
    deadline = offer(case, ask)
    lease, session = leases.opened(case, ask, deadline)
    then = _decide(case, lease, session)
    text = f"Asked by {ask.device}; until {deadline.at:%H:%MZ} ({deadline.limited_by})."
    entry = Entry(event="opened", text=text, by=ask.device)
    own = (replace(line, session_id=session.id) for line in (entry, *then.entries))
    entries = (*made.entries, *own)
    actions = made.actions + then.actions
    return Outcome(
        decision=replace(
            then, entries=entries, actions=actions, closed=then.closed or made.closed
        )
    )


_STOPPING = Refusal(
    slug="stopping",
    detail="Not started: the machine is being switched off. Try again in a minute.",
    retry_after=60,
)


_START_FAILED = frozenset({StopReason.START_FAILED, StopReason.NO_CAPACITY})


def refused(case: Case, ask: Ask, starts_last_hour: int) -> Refusal | None:
    """Return why a start would be refused now; None when it would be granted."""
    if case.lease.state is LeaseState.RELEASING:
        return _refused_by_lock(case.lease) or _STOPPING
    if case.lease.state is LeaseState.HELD:
        return None
    return _refused(case, ask, starts_last_hour)


def _refused(case: Case, ask: Ask, starts_last_hour: int) -> Refusal | None:
    return (
        _refused_by_lock(case.lease)
        or _refused_by_tag(case)
        or _refused_by_azure(case)
        or _refused_by_money(case, ask)
        or _refused_by_count(case, starts_last_hour)
    )


def _refused_by_lock(lease: Lease) -> Refusal | None:
    if not lease.locked:
        return None
    detail = "Not started: an operator locked this machine and has to unlock it."
    return Refusal(slug="locked", detail=detail)


def _refused_by_tag(case: Case) -> Refusal | None:
    tag = case.other_controller
    if tag is None:
        return None
    detail = f"Not started: another switch ({tag}) controls this machine."
    return Refusal(
        slug="other-controller", detail=detail, fields={"controlled_by": tag}
    )


def _refused_by_azure(case: Case) -> Refusal | None:
    if case.seen.power is Power.GONE:
        detail = "Not started: Azure does not know this machine any more."
        return Refusal(slug="no-machine", detail=detail)
    if case.seen.power is Power.UNKNOWN:
        detail = "Not started: Azure does not say how the machine is. Try again soon."
        return Refusal(slug="azure-unavailable", detail=detail, retry_after=30)
    return None


def _refused_by_money(case: Case, ask: Ask) -> Refusal | None:
    budget, spend = case.policy.budget, case.seen.spend
    if not money.in_period(budget, case.now):
        detail = (
            f"Not started: the budget runs from {budget.start:%Y-%m-%d} to "
            f"{budget.end:%Y-%m-%d}, and today lies outside."
        )
        return Refusal(slug="budget-period-over", detail=detail)
    if spend is None:
        detail = "Not started: the ledger cannot say what has been spent. Try again."
        return Refusal(slug="ledger-unverified", detail=detail, retry_after=30)
    price = leases.price(case)[0]
    end = deadlines.affordable(case.policy, spend, price, case.now)
    if end.at - case.now >= deadlines.least_affordable(case.policy):
        return None
    if end.limited_by is Limit.BUDGET_PERIOD:
        detail = "Not started: the budget's period ends too soon for a start."
        return Refusal(slug="budget-period-over", detail=detail)
    left, currency = money.cents(spend.remaining), case.policy.currency
    detail = (
        f"Not started: {left} {currency} are left of the budget, too little for a "
        f"start. Asked for by {ask.device}."
    )
    fields = {"remaining": str(left), "currency": currency}
    return Refusal(slug="budget-exhausted", detail=detail, fields=fields)


def _refused_by_count(case: Case, starts_last_hour: int) -> Refusal | None:
    most = case.policy.max_starts_per_hour
    if starts_last_hour < most:
        return None
    detail = f"Not started: {starts_last_hour} starts in the last hour; {most} may be."
    return Refusal(slug="too-many-starts", detail=detail, retry_after=600)


def offer(case: Case, ask: Ask) -> deadlines.Deadline:
    """Return the deadline that a start would get now; the spend must be known."""
    assert case.seen.spend is not None
    return deadlines.at_start(
        case.policy, ask, case.seen.spend, leases.price(case)[0], case.now
    )


def stop(case: Case, by: str) -> Outcome:
    """Take the lease away, whatever is believed about the machine; never refused."""
    lease, session = case.lease, case.session
    entry = Entry(event="stop", text=f"Stop asked by {by}.", by=by)
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
        detail = "Not extended: the machine is not running."
        return Outcome(
            decision=made, refusal=Refusal(slug="not-running", detail=detail)
        )
    if _same_tap(lease.extend, minutes, device, case.now):
        return Outcome(decision=made)
    case = replace(case, lease=lease, session=made.session)
    limit = furthest(case, max_hours)
    if limit is None:
        detail = "Not extended: the ledger cannot say what has been spent. Try again."
        refusal = Refusal(slug="ledger-unverified", detail=detail, retry_after=30)
        return Outcome(decision=made, refusal=refusal)
    by = deadlines.hours(minutes / 60)
    if lease.expires_at + by > limit.at:
        return Outcome(decision=made, refusal=_beyond(limit))
    extended = _extended(lease, by, Extend(device=device, minutes=minutes, at=case.now))
    text = f"Extended by {minutes} minutes by {device}."
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
    detail = (
        f"Not extended: it may run until {limit.at:%H:%M} UTC at most; "
        f"{_RULES[limit.limited_by]}."
    )
    fields = {"limited_by": limit.limited_by.value, "extendable_until": at}
    return Refusal(slug="beyond-limit", detail=detail, fields=fields)


_RULES = {
    Limit.ASKED: "that is what was asked for",
    Limit.MAX_RUNTIME: "that is the longest time a session may run",
    Limit.DEVICE: "that is the longest time this device may ask for",
    Limit.BUDGET: "then the budget is spent",
    Limit.BUDGET_PERIOD: "then the budget's period is over",
}


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
    word = "Locked" if locked else "Unlocked"
    entry = Entry(event=word.lower(), text=f"{word} by {by}.", by=by)
    made = _decide(case, lease, session)
    return Outcome(decision=replace(made, entries=(entry, *made.entries)))
