"""The price list: which row counts, and what a page of it may lead to."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from control.errors import Throttled, Unavailable
from control.prices import RetailPrices
from local.certificate import make
from tests.unit.azure.stub import Stub, serve

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
SKU = "Standard_ND96isr_H200_v5"


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A price list that httpx trusts."""
    certificate = make(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.authority))
    with serve(certificate) as running:
        yield running


def prices(stub: Stub, sku: str = SKU, region: str = "eastus2") -> RetailPrices:
    endpoint = f"{stub.url}/api/retail/prices"
    return RetailPrices(endpoint=endpoint, sku=sku, region=region, currency="USD")


def row(price: Any = 84.8, **changed: Any) -> dict[str, Any]:
    return {
        "currencyCode": "USD",
        "retailPrice": price,
        "armRegionName": "eastus2",
        "armSkuName": SKU,
        "meterName": "ND96isrH200v5",
        "skuName": "ND96isrH200v5",
        "productName": "Virtual Machines NDsrH200v5 Series",
        "unitOfMeasure": "1 Hour",
        "type": "Consumption",
        "effectiveStartDate": "2025-03-01T00:00:00Z",
        **changed,
    }


def page(*rows: Any, following: str | None = None) -> dict[str, Any]:
    return {"Items": list(rows), "NextPageLink": following, "Count": len(rows)}


def quoted(stub: Stub, *rows: Any) -> Decimal | None:
    stub.tell(body=page(*rows))
    quote = prices(stub).quote(NOW)
    return quote.price_per_hour if quote else None


def test_the_price_keeps_every_digit_of_the_wire(stub: Stub) -> None:
    """It is a decimal from its text, asked for by region, size and type."""
    text = json.dumps(page(row("PRICE"))).replace('"PRICE"', "84.8000000000000000001")
    stub.tell(body=text.encode(), headers={"Content-Type": "application/json"})
    quote = prices(stub).quote(NOW)
    assert quote is not None
    assert str(quote.price_per_hour) == "84.8000000000000000001"
    assert (quote.currency, quote.at) == ("USD", NOW)
    (got,) = stub.got
    assert "armSkuName" in got.path
    assert "eastus2" in got.path
    assert "authorization" not in got.headers


@pytest.mark.parametrize(
    "changed",
    [
        {"type": "Reservation", "reservationTerm": "1 Year"},
        {"reservationTerm": "3 Years"},
        {"type": "DevTestConsumption"},
        {"meterName": "ND96isrH200v5 Spot"},
        {"skuName": "ND96isrH200v5 Low Priority"},
        {"productName": "Virtual Machines NDsrH200v5 Series Windows"},
        {"unitOfMeasure": "1/Month"},
        {"armRegionName": "westus3"},
        {"armSkuName": "Standard_ND96isr_H100_v5"},
        {"currencyCode": "EUR"},
        {"effectiveStartDate": "2026-12-01T00:00:00Z"},
        {"effectiveEndDate": "2026-11-30T10:00:00Z"},
        {"effectiveStartDate": "lately"},
        {"effectiveStartDate": None},
        {"retailPrice": 0},
        {"retailPrice": -84.8},
        {"retailPrice": None},
        {"retailPrice": float("nan")},
    ],
)
def test_a_row_that_is_not_the_on_demand_linux_price_is_left_out(
    stub: Stub, changed: dict[str, Any]
) -> None:
    """Whatever stands beside it under the same name, dearer or cheaper."""
    assert quoted(stub, row(1, **changed), row(2, **changed)) is None
    assert quoted(stub, row(99, **changed), row(84.8)) == Decimal("84.8")


@pytest.mark.parametrize("rubbish", [None, 7, "row", [], {}])
def test_a_row_that_is_none_does_not_spoil_the_others(stub: Stub, rubbish: Any) -> None:
    """It is third-party JSON: each row stands for itself."""
    assert quoted(stub, rubbish, row(84.8)) == Decimal("84.8")


def test_of_several_the_newest_counts_then_the_dearest(stub: Stub) -> None:
    """An old price that was never ended does not win by being dear."""
    newest = {"effectiveStartDate": "2026-06-01T00:00:00Z"}
    future = {"effectiveEndDate": "2027-01-01T00:00:00Z"}
    rows = [row(98), row(84, **newest), row(85, **newest, **future), row(83, **newest)]
    assert quoted(stub, *rows) == 85
    assert quoted(stub, *reversed(rows)) == 85


def test_pages_of_the_same_host_are_followed(stub: Stub) -> None:
    """To the end."""
    stub.tell(body=page(row(1), following=f"{stub.url}/api/retail/prices?$skip=1"))
    stub.tell(body=page(row(2), following=None))
    quote = prices(stub).quote(NOW)
    assert quote is not None
    assert quote.price_per_hour == 2
    assert stub.got[1].path.endswith("$skip=1")


def test_no_more_than_ten_pages_are_read(stub: Stub) -> None:
    """A list without an end keeps nobody for ever."""
    stub.tell(body=page(row(1), following=f"{stub.url}/again"))
    assert prices(stub).quote(NOW) is not None
    assert len(stub.got) == 10


@pytest.mark.parametrize(
    "link", ["https://evil.example/x", "http://127.0.0.1:1/x", "/relative", "::", ""]
)
def test_a_link_to_another_host_is_not_followed(stub: Stub, link: str) -> None:
    """What was found so far counts."""
    stub.tell(body=page(row(3), following=link))
    quote = prices(stub).quote(NOW)
    assert quote is not None
    assert quote.price_per_hour == 3
    assert len(stub.got) == 1


def test_a_region_without_the_size_has_no_price(stub: Stub) -> None:
    """The list is empty and the answer good."""
    assert quoted(stub) is None


def test_throttling_says_how_long(stub: Stub) -> None:
    """By a header of its own."""
    headers = {"x-ms-ratelimit-retailprices-retry-after": "60"}
    stub.tell(429, b"", headers)
    with pytest.raises(Throttled) as caught:
        prices(stub).quote(NOW)
    assert caught.value.evidence.retry_after == 60.0
    assert len(stub.got) == 1


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (503, b""),
        (302, b""),
        (200, "<html>hello</html>"),
        (200, []),
        (200, {"Items": None}),
        (200, {"Items": {}}),
        (200, b""),
    ],
)
def test_a_list_that_cannot_be_read_is_unavailable(
    stub: Stub, status: int, body: Any
) -> None:
    """It is not a list without our price."""
    stub.tell(status, body, {"Location": stub.url})
    with pytest.raises(Unavailable):
        prices(stub).quote(NOW)
    assert len(stub.got) == 1


def test_a_list_that_is_not_there_is_unavailable() -> None:
    """Nobody answers."""
    nowhere = RetailPrices(
        endpoint="http://127.0.0.1:9/x", sku=SKU, region="eastus2", currency="USD"
    )
    with pytest.raises(Unavailable):
        nowhere.quote(NOW)


def test_a_price_is_in_force_from_its_first_instant(stub: Stub) -> None:
    """And not a moment earlier."""
    start = NOW + timedelta(seconds=1)
    rows = page(row(2, effectiveStartDate=start.isoformat()))
    stub.tell(body=rows)
    assert prices(stub).quote(NOW) is None
    assert prices(stub).quote(start) is not None
