"""Azure's budget figure: the twin and azure-mgmt-consumption agree."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from control.errors import Throttled
from tests.contract.worlds import NOW, ReportsWorld


def test_the_figure_comes_with_its_window(reports: ReportsWorld) -> None:
    """To the cent, as of now, for the month that holds now."""
    reports.spend(Decimal("1150.20"))
    report = reports.reports.read(NOW)
    assert report is not None
    assert report.amount == Decimal("1150.20")
    assert report.currency == "USD"
    assert report.at == NOW
    assert report.start == datetime(2026, 11, 1, tzinfo=UTC)
    assert report.end == datetime(2026, 12, 1, tzinfo=UTC)


def test_a_figure_that_is_not_there_is_unknown(reports: ReportsWorld) -> None:
    """And not 0."""
    reports.spend(None)
    assert reports.reports.read(NOW) is None


def test_before_its_budget_there_is_no_figure(reports: ReportsWorld) -> None:
    """A window that does not hold `now` is not used."""
    reports.spend(Decimal(7))
    assert reports.reports.read(NOW - timedelta(days=400)) is None


def test_throttling_is_an_error_and_then_over(reports: ReportsWorld) -> None:
    """One refusal, one error; nothing is tried behind the caller's back."""
    reports.spend(Decimal(7))
    reports.fail()
    with pytest.raises(Throttled):
        reports.reports.read(NOW)
    assert reports.reports.read(NOW) is not None
