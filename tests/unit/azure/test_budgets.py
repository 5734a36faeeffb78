"""What counts as a figure, and which window it is for."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from control.azure.budgets import AzureReports, report
from control.errors import AzureError, Throttled
from tests.unit.azure.stub import Credential, Stub

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


def day(year: int, month: int) -> datetime:
    return datetime(year, month, 1, tzinfo=UTC)


def budget(
    amount: Any = 41, unit: Any = "USD", grain: str = "Monthly", **period: str
) -> dict[str, Any]:
    period = {"startDate": "2026-09-01T00:00:00Z", **period}
    spend = {"amount": amount, "unit": unit}
    return {
        "properties": {
            "timeGrain": grain,
            "timePeriod": period,
            "currentSpend": spend,
            "amount": 5000,
        }
    }


def reports(stub: Stub) -> AzureReports:
    return AzureReports(
        credential=Credential(),
        endpoint=stub.url,
        scope="/subscriptions/sub-1",
        budget="kimi",
        currency="USD",
    )


def test_the_amount_keeps_every_digit_of_the_wire(stub: Stub) -> None:
    """It is a decimal from its text and never a float."""
    text = b'{"properties": {"timeGrain": "Monthly", "timePeriod": '
    text += b'{"startDate": "2026-09-01T00:00:00Z"}, "currentSpend": '
    text += b'{"amount": 1201.33000000000000001, "unit": "USD"}}}'
    stub.tell(body=text, headers={"Content-Type": "application/json"})
    read = reports(stub).read(NOW)
    assert read is not None
    assert str(read.amount) == "1201.33000000000000001"
    assert (read.currency, read.at) == ("USD", NOW)
    (got,) = stub.got
    assert got.path.startswith(
        "/subscriptions/sub-1/providers/Microsoft.Consumption/budgets/kimi?"
    )


@pytest.mark.parametrize(
    ("grain", "start", "window"),
    [
        ("Monthly", "2026-09-01T00:00:00Z", (day(2026, 11), day(2026, 12))),
        ("monthly", "2026-11-01T00:00:00.000Z", (day(2026, 11), day(2026, 12))),
        ("Quarterly", "2026-09-01T00:00:00Z", (day(2026, 9), day(2026, 12))),
        ("Quarterly", "2026-08-01T00:00:00Z", (day(2026, 11), day(2027, 2))),
        ("Annually", "2025-12-01T00:00:00Z", (day(2025, 12), day(2026, 12))),
        ("Annually", "2026-01-01T00:00:00Z", (day(2026, 1), day(2027, 1))),
        ("BillingMonth", "2026-09-01T00:00:00Z", None),
        ("BillingQuarter", "2026-09-01T00:00:00Z", None),
        ("Monthly", "2026-12-01T00:00:00Z", None),
        ("Monthly", "", None),
    ],
)
def test_windows_are_counted_from_the_budgets_start(
    grain: str, start: str, window: tuple[datetime, datetime] | None
) -> None:
    """A quarter is three months from then on, whatever the calendar's quarters."""
    read = report(budget(grain=grain, startDate=start), "USD", NOW)
    assert (read and (read.start, read.end)) == window


def test_the_first_and_the_last_instant_belong_to_their_windows() -> None:
    """A window holds its start and not its end."""
    november = report(budget(), "USD", day(2026, 11))
    assert november is not None
    assert november.start == day(2026, 11)
    last = datetime(2026, 11, 30, 23, 59, 59, 999999, tzinfo=UTC)
    still = report(budget(), "USD", last)
    assert still is not None
    assert still.end == day(2026, 12)
    over = budget(endDate="2026-11-01T00:00:00Z")
    assert report(over, "USD", NOW) is None


@pytest.mark.parametrize(
    ("amount", "figure"),
    [
        (Decimal(0), Decimal(0)),
        (7, Decimal(7)),
        ("12.50", Decimal("12.50")),
        (None, None),
        ("much", None),
        (True, None),
        (Decimal("NaN"), None),
        (Decimal("Infinity"), None),
        (Decimal("-0.01"), None),
        ([], None),
    ],
)
def test_what_is_no_figure_is_unknown(amount: Any, figure: Decimal | None) -> None:
    """Null, NaN, endless and negative amounts are None and never 0."""
    read = report(budget(amount=amount), "USD", NOW)
    assert (read and read.amount) == figure


@pytest.mark.parametrize("unit", ["EUR", None, "", 7])
def test_another_currency_is_not_used(unit: Any) -> None:
    """A figure in another currency, or in none, is unknown."""
    assert report(budget(Decimal(1), unit), "USD", NOW) is None
    assert report(budget(Decimal(1), "usd"), "USD", NOW) is not None


def test_a_new_budget_has_no_spend_yet(stub: Stub) -> None:
    """`currentSpend` is null until Azure has looked; NaN has been sent too."""
    body = budget()
    body["properties"]["currentSpend"] = None
    stub.tell(body=body)
    stub.tell(body=budget(amount=float("nan")))
    adapter = reports(stub)
    assert adapter.read(NOW) is None
    assert adapter.read(NOW) is None


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"value": []},
        {"properties": None},
        {"properties": {"limit": 220}},
        {"properties": {"columns": [{"name": "PreTaxCost"}], "rows": [[0.16, "USD"]]}},
        {"status": "Succeeded"},
    ],
)
def test_a_good_body_of_something_else_has_no_figure(body: dict[str, Any]) -> None:
    """Lists, quotas, cost queries and operations say nothing of a budget."""
    assert report(body, "USD", NOW) is None


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (201, budget()),
        (202, b""),
        (204, b""),
        (400, {"error": {"code": "400", "message": "offerId: MS-AZR-0036P"}}),
        (404, {"error": {"code": "404", "message": "No budget."}}),
        (424, {"error": {"code": "FailedDependency"}}),
        (403, {"error": {"code": "RBACAccessDenied"}}),
        (500, b""),
        (200, "<html>Sign in</html>"),
        (200, [1]),
    ],
)
def test_a_budget_that_cannot_be_read_is_an_error(
    stub: Stub, status: int, body: Any
) -> None:
    """Unsupported offers, missing budgets and pages of a proxy."""
    stub.tell(status, body)
    with pytest.raises(AzureError):
        reports(stub).read(NOW)
    assert len(stub.got) == 1


def test_throttling_says_how_long(stub: Stub) -> None:
    """Cost Management puts its waits into headers of its own."""
    body = {"error": {"code": "429", "message": "Too many requests. Please retry."}}
    name = "x-ms-ratelimit-microsoft.costmanagement-entity-retry-after"
    stub.tell(429, body, {name: "17"})
    with pytest.raises(Throttled) as caught:
        reports(stub).read(NOW)
    assert caught.value.evidence.retry_after == 17.0
