"""What time costs and when money ends; pure arithmetic on Decimal.

Azure bills a running machine by the second, one shut down within 300 s of its start
for the 300 s; `Deallocating` is charged too, so the ledger is an upper bound.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import ROUND_UP, Decimal

from control.model import Budget, Quote
from control.words import PriceSource

LEAST_BILLED = timedelta(seconds=300)
QUOTE_LIVES = timedelta(hours=48)
FAR_OFF = 3
_CENT = Decimal("0.01")
_HOUR = Decimal(3600)
_TEN_YEARS = Decimal(24 * 366 * 10)


def cents(amount: Decimal) -> Decimal:
    """Round to the cent, away from zero: the ledger never shows too little."""
    return amount.quantize(_CENT, rounding=ROUND_UP)


def seconds(span: timedelta) -> Decimal:
    """Return a span in seconds, exact."""
    micros = span // timedelta(microseconds=1)
    return Decimal(micros) / Decimal(1_000_000)


def span_cost(price_per_hour: Decimal, span: timedelta) -> Decimal:
    """Return price x time, unrounded."""
    return price_per_hour * seconds(span) / _HOUR


def billed_until(since: datetime, until: datetime) -> datetime:
    """Return the end of what is billed: no session is billed for less than 300 s."""
    return max(until, since + LEAST_BILLED)


def session_cost(price_per_hour: Decimal, since: datetime, until: datetime) -> Decimal:
    """Return what a session costs that is billed from `since` to `until`, in cents."""
    return cents(span_cost(price_per_hour, billed_until(since, until) - since))


def month_start(at: datetime) -> datetime:
    """Return 00:00Z of the first day of the month of `at`."""
    return datetime(at.year, at.month, 1, tzinfo=UTC)


def next_month(at: datetime) -> datetime:
    """Return 00:00Z of the first day of the month after that of `at`."""
    return month_start(month_start(at) + timedelta(days=32))


def month_name(at: datetime) -> str:
    """Return `yyyy-mm` of an instant, in UTC."""
    return f"{at:%Y-%m}"


def months(since: datetime, until: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Yield [since, until) cut at the months' ends, 00:00Z."""
    while since < until:
        end = min(next_month(since), until)
        yield since, end
        since = end


def shares(
    price_per_hour: Decimal, since: datetime, until: datetime
) -> dict[str, tuple[Decimal, int]]:
    """Split a session's cost and billed seconds by month; they sum to the whole."""
    end = billed_until(since, until)
    made: dict[str, tuple[Decimal, int]] = {}
    cost_before, seconds_before = Decimal(0), 0
    for _, cut in months(since, end):
        cost = cents(span_cost(price_per_hour, cut - since))
        billed = int((cut - since).total_seconds())
        month = month_name(cut - timedelta(microseconds=1))
        made[month] = (cost - cost_before, billed - seconds_before)
        cost_before, seconds_before = cost, billed
    return made


def standing(per_month: Decimal, since: datetime, until: datetime) -> Decimal:
    """Return the standing cost of [since, until), each month by its own length."""
    total = Decimal(0)
    for start, end in months(since, until):
        whole = next_month(start) - month_start(start)
        total += per_month * seconds(end - start) / seconds(whole)
    return cents(total)


def in_period(budget: Budget, at: datetime) -> bool:
    """Whether `at` lies in the budget's period."""
    return budget.start <= at < budget.end


def budget_end(now: datetime, remaining: Decimal, rate: Decimal) -> datetime:
    """Return when `remaining` is spent at `rate` per hour; now when it is already."""
    if remaining <= 0:
        return now
    hours = min(remaining / rate, _TEN_YEARS)
    return now + timedelta(microseconds=int(hours * _HOUR * 1_000_000))


def price(
    quote: Quote | None, configured: Decimal, currency: str, now: datetime
) -> tuple[Decimal, PriceSource]:
    """Return the price a session freezes: the quote where it can be believed.

    A quote that is missing, zero, older than 48 h, in another currency or more than
    three times away from the configured price is not.
    """
    if quote is None or quote.currency != currency or quote.price_per_hour <= 0:
        return configured, PriceSource.CONFIGURED
    if now - quote.at > QUOTE_LIVES:
        return configured, PriceSource.CONFIGURED
    low, high = sorted((quote.price_per_hour, configured))
    if high > low * FAR_OFF:
        return configured, PriceSource.CONFIGURED
    return quote.price_per_hour, PriceSource.RETAIL
