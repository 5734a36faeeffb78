"""When a lease ends and what sets its deadline; pure, standard library only."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal

from control.decision import Ask, Policy
from control.model import Heartbeat, Lease, Spend
from control.rules.money import budget_end, in_period
from control.words import Limit

SPARE = timedelta(minutes=15)
_JITTER = timedelta(seconds=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """An instant and the limit that set it."""

    at: datetime
    limited_by: Limit


def hours(count: Decimal) -> timedelta:
    """Return so many hours, to the microsecond."""
    return timedelta(microseconds=int(count * 3_600_000_000))


def earliest(candidates: Iterable[Deadline]) -> Deadline:
    """Return the first deadline; of two at one instant the one named first."""
    return min(candidates, key=lambda deadline: deadline.at)


def _runtime(
    since: datetime, policy: Policy, max_hours: Decimal | None
) -> list[Deadline]:
    found = [Deadline(at=since + policy.max_runtime, limited_by=Limit.MAX_RUNTIME)]
    if max_hours is not None:
        at = since + hours(max_hours)
        found.append(Deadline(at=at, limited_by=Limit.DEVICE))
    return found


def _money(
    now: datetime, policy: Policy, remaining: Decimal, rate: Decimal
) -> list[Deadline]:
    return [
        Deadline(at=budget_end(now, remaining, rate), limited_by=Limit.BUDGET),
        _period(now, policy),
    ]


def _period(now: datetime, policy: Policy) -> Deadline:
    """Outside its period the budget pays for nothing."""
    at = policy.budget.end if in_period(policy.budget, now) else now
    return Deadline(at=at, limited_by=Limit.BUDGET_PERIOD)


def _own_money(now: datetime, policy: Policy, spend: Spend) -> list[Deadline]:
    """For a machine that holds a lease; just adopted, its price is not in the rate."""
    return _money(now, policy, spend.remaining, spend.rate or policy.price_per_hour)


def affordable(policy: Policy, spend: Spend, price: Decimal, now: datetime) -> Deadline:
    """Return until when the budget pays for one more machine at `price` an hour."""
    return earliest(_money(now, policy, spend.remaining, spend.rate + price))


def least_affordable(policy: Policy) -> timedelta:
    """Return the shortest time for which a start is worth its cold start."""
    return policy.expected_ready + SPARE


def _asked(policy: Policy, ask: Ask, now: datetime) -> Deadline:
    at = ask.until or now + (ask.asked or policy.default_asked)
    return Deadline(at=at, limited_by=Limit.ASKED)


def at_start(
    policy: Policy, ask: Ask, spend: Spend, price: Decimal, now: datetime
) -> Deadline:
    """Return the deadline of a lease that is asked for now."""
    return earliest(
        [
            _asked(policy, ask, now),
            *_runtime(now, policy, ask.max_hours),
            affordable(policy, spend, price, now),
        ]
    )


def at_adoption(
    policy: Policy,
    billing_since: datetime,
    now: datetime,
    ask: Ask | None = None,
    no_later: datetime | None = None,
) -> Deadline:
    """Return the deadline of a machine that was found billing.

    The cap counts from when it began to bill, and it may be bound to be `no_later`, but
    15 minutes are left to look around; a person who asks for it by a start gets no more
    than was asked.
    """
    cap = billing_since + policy.max_runtime
    at = max(min(cap, no_later or cap), now + SPARE)
    found = [Deadline(at=at, limited_by=Limit.MAX_RUNTIME)]
    if ask is not None:
        found.insert(0, _asked(policy, ask, now))
    return earliest(found)


def recount(
    lease: Lease, policy: Policy, spend: Spend | None, since: datetime, now: datetime
) -> Lease:
    """Count the asked time once more from when billing began.

    Hunting for capacity does not eat paid time; `until` and the budget's end stay. An
    unknown spend loosens nothing: a deadline that the budget had set is kept.
    """
    asked = lease.until or (since + lease.asked if lease.asked else since)
    found = [
        Deadline(at=asked, limited_by=Limit.ASKED),
        *_runtime(since, policy, lease.max_hours),
    ]
    if spend is not None:
        found += _own_money(now, policy, spend)
    else:
        found.append(_period(now, policy))
        if lease.limited_by is Limit.BUDGET and lease.expires_at is not None:
            found.append(Deadline(at=lease.expires_at, limited_by=Limit.BUDGET))
    deadline = earliest(found)
    return replace(
        lease,
        expires_at=deadline.at,
        limited_by=deadline.limited_by,
        recounted=True,
    )


def shorten(lease: Lease, policy: Policy, spend: Spend | None, now: datetime) -> Lease:
    """Move the deadline earlier to the budget's end; never later.

    Half a minute of jitter between runs is not worth a row: row 5 looks at the spend
    itself as well. The period's end binds whether or not the spend is known.
    """
    if lease.expires_at is None:
        return lease
    unknown = [_period(now, policy)]
    end = earliest(_own_money(now, policy, spend) if spend else unknown)
    if lease.expires_at - end.at <= _JITTER:
        return lease
    return replace(lease, expires_at=end.at, limited_by=end.limited_by)


def furthest(
    policy: Policy,
    spend: Spend,
    since: datetime,
    now: datetime,
    *,
    max_hours: Decimal | None = None,
    heartbeat: Heartbeat | None = None,
) -> Deadline:
    """Return how far an extend may go, and what forbids more.

    `since` is when billing began, or now; the VM's own cap binds as well.
    """
    found = [
        *_runtime(since, policy, max_hours),
        *_own_money(now, policy, spend),
    ]
    if heartbeat is not None and heartbeat.cap_at is not None:
        found.append(Deadline(at=heartbeat.cap_at, limited_by=Limit.MAX_RUNTIME))
    return earliest(found)
