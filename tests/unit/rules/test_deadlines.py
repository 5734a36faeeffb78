"""When a lease ends: each limit wins once, and nothing moves it later by itself."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from control.decision import Ask
from control.model import Lease
from control.rules import deadlines
from control.words import Limit
from tests.unit.builders import (
    ASK,
    ASKED_AT,
    HOUR,
    MINUTE,
    NOW,
    PLENTY,
    POLICY,
    PRICE,
    SECOND,
    at,
    beat,
    lease,
    spend,
)

LATE = datetime(2027, 1, 31, 23, 0, tzinfo=UTC)
EARLY = datetime(2026, 10, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ask", "remaining", "now", "span", "limit"),
    [
        (ASK, "4000", NOW, 2 * HOUR, Limit.ASKED),
        (Ask(device="a"), "4000", NOW, 2 * HOUR, Limit.ASKED),
        (Ask(device="a", until=at("11:00")), "4000", NOW, HOUR / 2, Limit.ASKED),
        (replace(ASK, asked=9 * HOUR), "4000", NOW, 4 * HOUR, Limit.MAX_RUNTIME),
        (replace(ASK, max_hours=Decimal("1.5")), "4000", NOW, 1.5 * HOUR, Limit.DEVICE),
        (ASK, "84.80", NOW, HOUR, Limit.BUDGET),
        (ASK, "4000", LATE, HOUR, Limit.BUDGET_PERIOD),
        (replace(ASK, asked=4 * HOUR), "4000", NOW, 4 * HOUR, Limit.ASKED),
    ],
)
def test_each_limit_sets_a_starts_deadline_once(
    ask: Ask, remaining: str, now: datetime, span: timedelta, limit: Limit
) -> None:
    """The earliest wins, and of two at once what was asked."""
    money = spend(remaining, rate=Decimal(0))
    made = deadlines.at_start(POLICY, ask, money, PRICE, now)
    assert (made.at - now, made.limited_by) == (span, limit)


def test_the_budget_pays_for_all_machines_with_a_lease() -> None:
    """A second machine halves the time."""
    alone = deadlines.affordable(POLICY, spend("84.80", Decimal(0)), PRICE, NOW)
    both = deadlines.affordable(POLICY, spend("84.80", PRICE), PRICE, NOW)
    assert (alone.at - NOW, both.at - NOW) == (HOUR, HOUR / 2)


@pytest.mark.parametrize("now", [EARLY, POLICY.budget.end])
def test_d06_outside_the_period_nothing_is_affordable(now: datetime) -> None:
    """Not before its first day either."""
    made = deadlines.affordable(POLICY, PLENTY, PRICE, now)
    assert (made.at, made.limited_by) == (now, Limit.BUDGET_PERIOD)


def test_the_least_that_is_worth_a_start_is_a_cold_start_and_15_minutes() -> None:
    """As the settings expect it."""
    assert deadlines.least_affordable(POLICY) == 45 * MINUTE


@pytest.mark.parametrize(
    ("since", "ask", "bound", "expires_at", "limit"),
    [
        (at("10:00"), None, None, at("14:00"), Limit.MAX_RUNTIME),
        (at("03:00"), None, None, at("10:45"), Limit.MAX_RUNTIME),
        (at("10:00"), ASK, None, at("12:30"), Limit.ASKED),
        (at("07:30"), ASK, None, at("11:30"), Limit.MAX_RUNTIME),
        (at("10:00"), Ask(device="a"), None, at("12:30"), Limit.ASKED),
        (at("10:00"), Ask(device="a", until=at("11:00")), None, at("11:00"), None),
        (at("10:00"), None, at("11:00"), at("11:00"), None),
        (at("10:00"), None, at("10:20"), at("10:45"), None),
        (at("10:00"), None, at("16:00"), at("14:00"), None),
        (
            at("10:00"),
            replace(ASK, asked=10 * MINUTE),
            at("10:20"),
            at("10:40"),
            Limit.ASKED,
        ),
    ],
)
def test_a12_an_adopted_machine_gets_the_usual_cap_and_15_minutes(
    since: datetime,
    ask: Ask | None,
    bound: datetime | None,
    expires_at: datetime,
    limit: Limit | None,
) -> None:
    """Bound by the session before where it is back from gone; never above the ask."""
    made = deadlines.at_adoption(POLICY, since, NOW, ask, bound)
    assert made.at == expires_at
    assert limit in {None, made.limited_by}


@pytest.mark.parametrize(
    ("of", "span", "limit"),
    [
        (lease(), 2 * HOUR, Limit.ASKED),
        (lease(asked=2.5 * HOUR), 2.5 * HOUR, Limit.ASKED),
        (lease(asked=8 * HOUR), 4 * HOUR, Limit.MAX_RUNTIME),
        (lease(max_hours=Decimal(1)), HOUR, Limit.DEVICE),
        (lease(asked=None, until=at("11:00")), 40 * MINUTE, Limit.ASKED),
        (lease(asked=None), 0 * HOUR, Limit.ASKED),
    ],
)
def test_the_recount_begins_where_billing_began(
    of: Lease, span: timedelta, limit: Limit
) -> None:
    """Hunting for capacity does not eat paid time; an `until` stays."""
    since = at("10:20")
    made = deadlines.recount(of, POLICY, PLENTY, since, NOW)
    assert made.expires_at == since + span
    assert made.limited_by is limit
    assert made.recounted


def test_the_recount_keeps_the_budgets_end() -> None:
    """With 30 minutes left to pay for, two hours were asked in vain."""
    made = deadlines.recount(lease(), POLICY, spend("42.40"), at("10:20"), NOW)
    assert (made.expires_at, made.limited_by) == (at("11:00"), Limit.BUDGET)


def test_d04_an_unknown_spend_loosens_no_recount() -> None:
    """A deadline that the budget had set is kept, and so is the period's end."""
    of = lease(expires_at=at("11:00"), limited_by=Limit.BUDGET)
    made = deadlines.recount(of, POLICY, None, at("10:20"), NOW)
    assert (made.expires_at, made.limited_by) == (at("11:00"), Limit.BUDGET)
    free = deadlines.recount(lease(), POLICY, None, at("10:20"), NOW)
    assert (free.expires_at, free.limited_by) == (at("12:20"), Limit.ASKED)
    over = deadlines.recount(lease(), POLICY, None, LATE, LATE)
    assert (over.expires_at, over.limited_by) == (
        POLICY.budget.end,
        Limit.BUDGET_PERIOD,
    )


@pytest.mark.parametrize(
    ("remaining", "expires_at", "limit"),
    [
        ("4000", at("12:00"), Limit.ASKED),
        ("42.40", at("11:00"), Limit.BUDGET),
        ("0", NOW, Limit.BUDGET),
    ],
)
def test_the_budgets_end_moves_a_deadline_earlier(
    remaining: str, expires_at: datetime, limit: Limit
) -> None:
    """And never later."""
    made = deadlines.shorten(lease(), POLICY, spend(remaining), NOW)
    assert (made.expires_at, made.limited_by) == (expires_at, limit)


def test_half_a_minute_of_jitter_is_no_change() -> None:
    """Each change is a row."""
    of = lease(expires_at=at("11:00") + 30 * SECOND)
    assert deadlines.shorten(of, POLICY, spend("42.40"), NOW) is of
    more = replace(of, expires_at=at("11:00") + 31 * SECOND)
    assert deadlines.shorten(more, POLICY, spend("42.40"), NOW) is not more


def test_d04_an_unknown_spend_leaves_the_periods_end() -> None:
    """Unknown switches no limit off, and ends nothing by itself."""
    assert deadlines.shorten(lease(), POLICY, None, NOW) == lease()
    of = lease(expires_at=LATE + 4 * HOUR)
    made = deadlines.shorten(of, POLICY, None, LATE)
    assert (made.expires_at, made.limited_by) == (
        POLICY.budget.end,
        Limit.BUDGET_PERIOD,
    )


def test_a_machine_without_a_rate_of_its_own_yet_counts_at_its_price() -> None:
    """It was adopted in this very run."""
    made = deadlines.shorten(lease(), POLICY, spend("42.40", Decimal(0)), NOW)
    assert made.expires_at == at("11:00")


def test_a_lease_without_a_deadline_gets_none() -> None:
    """Such a one is being released."""
    of = lease(expires_at=None)
    assert deadlines.shorten(of, POLICY, spend("0"), NOW) is of


@pytest.mark.parametrize(
    ("remaining", "max_hours", "cap_at", "furthest", "limit"),
    [
        ("4000", None, None, ASKED_AT + 4 * HOUR, Limit.MAX_RUNTIME),
        ("4000", "3", None, ASKED_AT + 3 * HOUR, Limit.DEVICE),
        ("4000", None, at("13:00"), at("13:00"), Limit.MAX_RUNTIME),
        ("84.80", None, None, at("11:30"), Limit.BUDGET),
    ],
)
def test_each_limit_bounds_an_extend_once(
    remaining: str,
    max_hours: str | None,
    cap_at: datetime | None,
    furthest: datetime,
    limit: Limit,
) -> None:
    """The cap and the device's hours count from billing; the VM's own cap binds."""
    made = deadlines.furthest(
        POLICY,
        spend(remaining),
        ASKED_AT,
        NOW,
        max_hours=Decimal(max_hours) if max_hours else None,
        heartbeat=beat(cap_at=cap_at),
    )
    assert (made.at, made.limited_by) == (furthest, limit)


def test_an_extend_ends_with_the_budgets_period() -> None:
    """However much is left."""
    made = deadlines.furthest(POLICY, PLENTY, LATE, LATE)
    assert (made.at, made.limited_by) == (POLICY.budget.end, Limit.BUDGET_PERIOD)


def test_hours_are_exact_to_the_microsecond() -> None:
    """Decimals are allowed."""
    assert deadlines.hours(Decimal("0.0000000003")) == timedelta(microseconds=1)
    assert deadlines.hours(Decimal("1.5")) == 90 * MINUTE
