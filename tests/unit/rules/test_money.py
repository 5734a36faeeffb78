"""What time costs, to the cent and the second, and when the money ends."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control.model import Quote
from control.rules import money
from control.words import PriceSource
from tests.unit.builders import (
    ASKED_AT,
    HOUR,
    MINUTE,
    NOW,
    POLICY,
    PRICE,
    SECOND,
    at,
)

DECEMBER = datetime(2026, 12, 1, tzinfo=UTC)
JANUARY = datetime(2027, 1, 1, tzinfo=UTC)
QUOTE = Quote(price_per_hour=PRICE, currency="USD", at=NOW)


@pytest.mark.parametrize(
    ("seconds", "cost"),
    [
        (0, "7.07"),
        (1, "7.07"),
        (299, "7.07"),
        (300, "7.07"),
        (301, "7.10"),
        (3600, "84.80"),
        (3601, "84.83"),
        (7200, "169.60"),
    ],
)
def test_a_session_costs_by_the_second_and_300_at_least(
    seconds: int, cost: str
) -> None:
    """Rounded up to the cent: the ledger never shows too little."""
    until = ASKED_AT + seconds * SECOND
    assert money.session_cost(PRICE, ASKED_AT, until) == Decimal(cost)


def test_a_part_of_a_second_is_not_lost() -> None:
    """Exact to the microsecond, without a float."""
    assert money.seconds(timedelta(seconds=1, microseconds=1)) == Decimal("1.000001")
    assert money.span_cost(Decimal(3600), timedelta(microseconds=1)) == Decimal(
        "0.000001"
    )


@pytest.mark.parametrize(
    ("amount", "shown"),
    [("1.001", "1.01"), ("1.00", "1.00"), ("-1.001", "-1.01"), ("0", "0.00")],
)
def test_cents_round_away_from_zero(amount: str, shown: str) -> None:
    """Also below it: what is overspent is not made smaller."""
    assert str(money.cents(Decimal(amount))) == shown


def test_d06_a_session_over_a_months_end_is_split_exactly() -> None:
    """22:00Z to 02:00Z is two hours and two hours, and the parts are the whole."""
    split = money.shares(PRICE, at("22:00"), DECEMBER + 2 * HOUR)
    assert split == {
        "2026-11": (Decimal("169.60"), 7200),
        "2026-12": (Decimal("169.60"), 7200),
    }


def test_d06_the_300_seconds_may_reach_into_the_next_month() -> None:
    """A session of a minute before midnight bills four minutes after it."""
    split = money.shares(PRICE, at("23:59"), DECEMBER)
    assert [seconds for _, seconds in split.values()] == [60, 240]
    whole = money.session_cost(PRICE, at("23:59"), DECEMBER)
    assert sum(cost for cost, _ in split.values()) == whole


@given(
    st.decimals("0.01", "999", places=2),
    st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)),  # noqa: DTZ001  made UTC
    st.integers(0, 90 * 86400),
)
def test_d06_the_shares_always_sum_to_the_session(
    price: Decimal, begun: datetime, seconds: int
) -> None:
    """And none is negative."""
    since = begun.replace(tzinfo=UTC)
    until = since + seconds * SECOND
    split = money.shares(price, since, until)
    assert sum(cost for cost, _ in split.values()) == money.session_cost(
        price, since, until
    )
    assert sum(billed for _, billed in split.values()) == max(seconds, 300)
    assert all(cost >= 0 and billed >= 0 for cost, billed in split.values())


def test_months_are_cut_at_00z_and_an_instant_belongs_to_its_own() -> None:
    """A year's end and a short month too."""
    cuts = list(money.months(at("12:00"), JANUARY + HOUR))
    assert [start for start, _ in cuts] == [at("12:00"), DECEMBER, JANUARY]
    assert cuts[-1][1] == JANUARY + HOUR
    february = datetime(2028, 2, 29, tzinfo=UTC)
    assert money.next_month(february) == datetime(2028, 3, 1, tzinfo=UTC)
    assert money.month_name(DECEMBER) == "2026-12"
    assert list(money.months(NOW, NOW)) == []


def test_the_standing_cost_runs_by_each_months_own_length() -> None:
    """A whole month is the amount, half of November is half of it."""
    november = datetime(2026, 11, 1, tzinfo=UTC)
    per_month = Decimal(60)
    assert money.standing(per_month, november, DECEMBER) == 60
    assert money.standing(per_month, november, november + 15 * 24 * HOUR) == 30
    assert money.standing(per_month, november, JANUARY) == 120
    assert money.standing(per_month, DECEMBER, november) == 0


@pytest.mark.parametrize(
    ("instant", "inside"),
    [
        (POLICY.budget.start - SECOND, False),
        (POLICY.budget.start, True),
        (POLICY.budget.end - SECOND, True),
        (POLICY.budget.end, False),
    ],
)
def test_d06_the_budgets_period_has_its_first_instant_and_not_its_last(
    instant: datetime, inside: object
) -> None:
    """Both are firsts of months, UTC."""
    assert money.in_period(POLICY.budget, instant) is inside


def test_the_budget_ends_when_it_is_spent_at_the_rate() -> None:
    """Now, where nothing is left; ten years at most."""
    assert money.budget_end(NOW, Decimal("84.80"), PRICE) == NOW + HOUR
    assert money.budget_end(NOW, Decimal("84.80"), 2 * PRICE) == NOW + 30 * MINUTE
    assert money.budget_end(NOW, Decimal(0), PRICE) == NOW
    assert money.budget_end(NOW, Decimal(-1), PRICE) == NOW
    far = money.budget_end(NOW, Decimal(10) ** 12, Decimal("0.01"))
    assert far - NOW == timedelta(hours=24 * 366 * 10)


@pytest.mark.parametrize(
    ("quote", "believed"),
    [
        (QUOTE, True),
        (None, False),
        (replace(QUOTE, price_per_hour=Decimal(0)), False),
        (replace(QUOTE, price_per_hour=Decimal(-5)), False),
        (replace(QUOTE, currency="EUR"), False),
        (replace(QUOTE, at=NOW - 48 * HOUR), True),
        (replace(QUOTE, at=NOW - 48 * HOUR - SECOND), False),
        (replace(QUOTE, price_per_hour=3 * PRICE), True),
        (replace(QUOTE, price_per_hour=3 * PRICE + Decimal("0.01")), False),
        (replace(QUOTE, price_per_hour=Decimal("28.27")), True),
        (replace(QUOTE, price_per_hour=Decimal("28.26")), False),
    ],
)
def test_a_quote_that_cannot_be_believed_gives_way_to_the_configured_price(
    quote: Quote | None, believed: object
) -> None:
    """Zero, old, far off, or in another currency."""
    price, source = money.price(quote, PRICE, "USD", NOW)
    assert (source is PriceSource.RETAIL) is believed
    assert price == (quote.price_per_hour if quote and believed else PRICE)


def test_d06_the_first_microsecond_of_a_month_is_its_own() -> None:
    """However short a share is."""
    start = datetime(2026, 12, 1, tzinfo=UTC) - timedelta(hours=1)
    end = start + timedelta(hours=1, microseconds=1)
    assert list(money.shares(PRICE, start, end)) == ["2026-11", "2026-12"]


def test_a_cheap_quote_is_a_quote() -> None:
    """Within three times of what is configured."""
    quote = Quote(price_per_hour=Decimal(1), currency="USD", at=NOW)
    assert money.price(quote, Decimal(2), "USD", NOW) == (
        Decimal(1),
        PriceSource.RETAIL,
    )
