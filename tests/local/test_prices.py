"""Retail prices: the filter, the look-alikes, the pages, the refusals."""

import ssl
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from local.azure import LocalAzure, Price
from local.azure.odata import FilterError, matches, read

H200 = "armSkuName eq 'Standard_ND96isr_H200_v5' and armRegionName eq 'eastus2'"


@pytest.fixture
def shop(azure: LocalAzure) -> Iterator[httpx.Client]:
    context = ssl.create_default_context(cafile=azure.certificate.authority)
    with httpx.Client(verify=context, trust_env=False) as client:
        yield client


def ask(
    azure: LocalAzure, shop: httpx.Client, text: str, **query: str
) -> dict[str, Any]:
    answer = shop.get(azure.prices_url, params={"$filter": text, **query})
    assert answer.status_code == 200
    body: dict[str, Any] = answer.json()
    return body


def test_the_right_row_stands_among_its_look_alikes(
    azure: LocalAzure, shop: httpx.Client
) -> None:
    """The type alone still leaves Spot, Low Priority, Windows, old and future rows."""
    body = ask(azure, shop, f"{H200} and priceType eq 'Consumption'")
    assert body["Count"] == len(body["Items"])
    found = {(row["skuName"], row["retailPrice"]) for row in body["Items"]}
    assert ("ND96isrH200v5 Spot", 84.80) in found
    assert ("ND96isrH200v5 Low Priority", 16.96) in found
    names = {row["productName"] for row in body["Items"]}
    assert "Virtual Machines NDsrH200v5 Series Windows" in names
    assert {row["effectiveStartDate"][:4] for row in body["Items"]} == {
        "2024",
        "2025",
        "2099",
    }


def test_a_reservation_is_priced_by_its_term(
    azure: LocalAzure, shop: httpx.Client
) -> None:
    """The whole term's price under `1 Hour`; other types have no term."""
    rows = ask(azure, shop, f"{H200} and priceType eq 'Reservation'")["Items"]
    assert {(r["reservationTerm"], r["retailPrice"]) for r in rows} == {
        ("1 Year", 407526.0),
        ("3 Years", 1109592.0),
    }
    assert {row["unitOfMeasure"] for row in rows} == {"1 Hour"}


def test_pages_are_turned_by_the_link(azure: LocalAzure, shop: httpx.Client) -> None:
    """NextPageLink leads through all rows once and ends with null."""
    everything = ask(azure, shop, "")["Items"]
    azure.prices.page_size = 4
    body, found = ask(azure, shop, ""), []
    while True:
        found += body["Items"]
        if body["NextPageLink"] is None:
            break
        body = shop.get(body["NextPageLink"]).json()
    assert found == everything


def test_case_region_and_currency_matter(azure: LocalAzure, shop: httpx.Client) -> None:
    """Another spelling, a region without the size, another currency: zero rows."""
    assert ask(azure, shop, H200.lower())["Count"] == 0
    assert ask(azure, shop, "armRegionName eq 'norwayeast'")["Items"] == []
    euro = ask(azure, shop, H200, currencyCode="'EUR'")
    assert (euro["BillingCurrency"], euro["Count"]) == ("EUR", 0)


def test_prices_can_be_others(azure: LocalAzure, shop: httpx.Client) -> None:
    """A test sells at its own prices."""
    azure.prices.replace([Price(price=12.5)])
    assert [row["retailPrice"] for row in ask(azure, shop, H200)["Items"]] == [12.5]


def test_throttling_says_how_long_in_a_header_of_its_own(
    azure: LocalAzure, shop: httpx.Client
) -> None:
    """429 without Retry-After; the next call is served."""
    azure.faults.arm("prices_throttled")
    refused = shop.get(azure.prices_url)
    assert refused.status_code == 429
    assert refused.headers["x-ms-ratelimit-retailprices-retry-after"] == "60"
    assert "retry-after" not in refused.headers
    assert shop.get(azure.prices_url).status_code == 200


def test_a_filter_it_cannot_read_is_400(azure: LocalAzure, shop: httpx.Client) -> None:
    """A typing error in a filter is told, never taken for `all rows`."""
    params = {"$filter": "retailPrice gt 5"}
    assert shop.get(azure.prices_url, params=params).status_code == 400


def test_the_filters_grammar() -> None:
    """`eq` and `and`, quotes doubled, true and false; everything else is refused."""
    terms = read("a eq 'it''s' and b eq true")
    assert terms == [("a", "it's"), ("b", True)]
    assert matches(terms, {"a": "it's", "b": True, "c": 1})
    assert not matches(terms, {"a": "it's", "b": False})
    for text in ("a eq 'x' or b eq 'y'", "a eq", "a ne 'x'"):
        with pytest.raises(FilterError):
            read(text)
