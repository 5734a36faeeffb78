"""The real price list: our adapter reads it, and the local Azure's is alike."""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import httpx
import pytest

from control.model import Quote
from local.azure import LocalAzure
from tests.evidence.compare import check_fields
from tests.evidence.replay import Replay
from tests.evidence.shared import evidence

type Row = dict[str, Any]


def real() -> dict[str, Any]:
    envelope: dict[str, Any] = evidence("retail/azure_retail_*.json")
    return envelope


def served(azure: LocalAzure, arm: httpx.Client) -> dict[str, Any]:
    envelope: dict[str, Any] = arm.get(azure.prices_url).json()
    return envelope


def row(envelope: dict[str, Any], wanted: Callable[[Row], bool]) -> Row:
    return next(each for each in envelope["Items"] if wanted(each))


def plain(each: Row) -> bool:
    names = f"{each['meterName']} {each['productName']}"
    odd = any(word in names for word in ("Spot", "Low Priority", "Windows"))
    ends = "effectiveEndDate" in each
    return each["type"] == "Consumption" and not odd and not ends


def of(kind: str, *words: str) -> Callable[[Row], bool]:
    """Rows of a type whose meter's or product's name holds these words."""
    return lambda each: (
        each["type"] == kind
        and "effectiveEndDate" not in each
        and all(word in f"{each['meterName']} {each['productName']}" for word in words)
    )


@pytest.mark.parametrize(
    "wanted",
    [
        plain,
        of("Consumption", "Spot"),
        of("Consumption", "Low Priority"),
        of("Consumption", "Windows"),
        of("DevTestConsumption", "Windows"),
        of("Reservation"),
    ],
)
def test_a_row_of_each_kind(
    azure: LocalAzure, arm: httpx.Client, wanted: Callable[[Row], bool]
) -> None:
    """Every name and type, and only a reservation has a term."""
    ours, theirs = row(served(azure, arm), wanted), row(real(), wanted)
    check_fields(ours, theirs)
    for name in ("unitOfMeasure", "serviceName", "serviceFamily"):
        assert ours[name] == theirs[name]


def test_the_envelope(azure: LocalAzure, arm: httpx.Client) -> None:
    """What the real file kept of it; the rest is in the documentation."""
    ours, theirs = served(azure, arm), real()
    assert set(theirs) <= set(ours)
    assert ours["BillingCurrency"] == theirs["BillingCurrency"]
    assert ours["Count"] == len(ours["Items"])


def test_a_reservation_costs_its_whole_term_on_the_same_meter(
    azure: LocalAzure, arm: httpx.Client
) -> None:
    """The trap of the real list, in both: 1 Hour in words, a year in money."""
    for envelope in (served(azure, arm), real()):
        hour, year = row(envelope, plain), row(envelope, of("Reservation"))
        assert year["meterId"] == hour["meterId"]
        assert year["unitOfMeasure"] == hour["unitOfMeasure"]
        assert year["retailPrice"] > 1000 * hour["retailPrice"]


def test_the_prices_that_were_published(azure: LocalAzure, arm: httpx.Client) -> None:
    """The H200's price in each region that ours sells it in is a published one."""
    published = {
        (each["region"], each["usd_per_hour"])
        for each in evidence("retail/observed_nd_rows.json")["rows"]
        if each["sku"] == "Standard_ND96isr_H200_v5" and "usd_per_hour" in each
    }
    regions = {"eastus2", "polandcentral", "westus3"}
    for region in regions:
        price = min(
            each["retailPrice"]
            for each in served(azure, arm)["Items"]
            if each["armRegionName"] == region
            and plain(each)
            and each["armSkuName"] == "Standard_ND96isr_H200_v5"
            and each["effectiveStartDate"] == "2025-01-01T00:00:00Z"
        )
        assert (region, price) in published


@pytest.mark.parametrize(
    ("size", "price"),
    [
        ("Standard_ND96isr_H100_v5", "98.32"),
        ("Standard_ND96is_H100_v5", "88.488"),
        ("Standard_ND96asr_v4", None),
        ("Standard_ND96amsr_A100_v4", None),
        ("Standard_ND40rs_v2", None),
    ],
)
def test_the_real_list_is_read(replay: Replay, size: str, price: str | None) -> None:
    """One hour on demand on Linux, and nothing where only look-alikes are sold."""
    replay.stub.tell(body=real())
    now = datetime(2026, 7, 27, tzinfo=UTC)
    quote = replay.prices(size, "eastus").quote(now)
    expected = price and Quote(price_per_hour=Decimal(price), currency="USD", at=now)
    assert quote == expected


def test_the_lists_429(azure: LocalAzure, arm: httpx.Client) -> None:
    """The observed status and its two private headers."""
    seen = evidence("retail/observed_nd_rows.json")["rate_limit"]
    azure.faults.arm("prices_throttled")
    answer = arm.get(azure.prices_url)
    assert answer.status_code == seen["http"]
    for header in seen["headers"]:
        name, _, value = header.partition(": ")
        assert answer.headers[name] == (value or answer.headers[name])
