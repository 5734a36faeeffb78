"""The price list: the twin and the Retail Prices API agree."""

from decimal import Decimal

import pytest

from control.errors import Throttled
from tests.contract.worlds import NOW, PricesWorld


def test_the_price_is_quoted_with_its_time(prices: PricesWorld) -> None:
    """The on-demand Linux price among all its look-alikes."""
    prices.list(Decimal("84.80"))
    quote = prices.prices.quote(NOW)
    assert quote is not None
    assert quote.price_per_hour == Decimal("84.80")
    assert (quote.currency, quote.at) == ("USD", NOW)


def test_without_a_fitting_row_there_is_no_price(prices: PricesWorld) -> None:
    """Look-alikes do not do."""
    prices.list(None)
    assert prices.prices.quote(NOW) is None


def test_throttling_is_an_error_and_then_over(prices: PricesWorld) -> None:
    """One refusal, one error."""
    prices.list(Decimal("84.80"))
    prices.fail()
    with pytest.raises(Throttled):
        prices.prices.quote(NOW)
    assert prices.prices.quote(NOW) is not None
