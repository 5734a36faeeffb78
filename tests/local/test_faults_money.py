"""Azure's budget figure and the price list under their faults."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import httpx
import pytest

from local.azure import LocalAzure
from local.clock import SharedClock
from tests.local.faults_calls import H200, Services, budget, calling
from tests.local.faults_support import follow, sees

_RIGHT = 84.80


@pytest.fixture
def services(azure: LocalAzure, arm: httpx.Client) -> Iterator[Services]:
    with calling(azure, arm) as made:
        yield made


@sees(
    "budget_null",
    "budget_nan",
    "budget_negative",
    "budget_text",
    "budget_other_currency",
)
@pytest.mark.parametrize(
    ("name", "spend"),
    [
        ("budget_null", "null"),
        ("budget_nan", '{"amount": NaN, "unit": "USD"}'),
        ("budget_negative", '{"amount": -12.5, "unit": "USD"}'),
        ("budget_text", '{"amount": "unknown", "unit": "USD"}'),
        ("budget_other_currency", '{"amount": 1.0, "unit": "EUR"}'),
    ],
)
def test_a_spend_that_is_none(
    azure: LocalAzure, services: Services, name: str, spend: str
) -> None:
    """As it stands on the wire; the budget's limit and the next answer are right."""
    azure.faults.arm(name)
    answer = services.budget()
    assert f'"currentSpend": {spend}' in answer.text
    assert answer.json()["properties"]["amount"] == 5000
    assert services.spend() == {"amount": 12.5, "unit": "USD"}


@sees("budget_late", "budget_stale")
@pytest.mark.parametrize("late", [("budget_late", 0), ("budget_stale", 12.5)])
def test_a_spend_that_comes_late(
    azure: LocalAzure,
    clock: SharedClock,
    services: Services,
    late: tuple[str, float],
) -> None:
    """Whatever is spent, it is not told for 20 hours, or until it is cleared."""
    name, tells = late
    azure.faults.arm(name)
    azure.budgets.put(budget("800"))
    clock.advance(timedelta(hours=20, seconds=-1))
    assert services.spend()["amount"] == tells
    clock.advance(timedelta(seconds=1))
    assert services.spend()["amount"] == 800
    azure.faults.arm(name)
    azure.budgets.put(budget("900"))
    assert services.spend()["amount"] != 900
    azure.faults.clear()
    assert services.spend()["amount"] == 900


def rows(services: Services) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = services.prices().json()["Items"]
    return found


def right(row: Mapping[str, Any]) -> bool:
    """The on-demand price of Linux that is in force in November 2026."""
    names = f"{row['skuName']} {row['productName']}"
    other = ("Spot", "Low Priority", "Windows")
    return (
        not any(word in names for word in other)
        and row["effectiveStartDate"] <= "2026-11-30"
        and row.get("effectiveEndDate", "9999") > "2026-11-30"
    )


PRICES: list[tuple[str, list[float]]] = [
    ("prices_none", []),
    ("prices_look_alikes", []),
    ("prices_duplicates", [_RIGHT, 90.0, _RIGHT, 98.32]),
    ("prices_future", [_RIGHT]),
    ("prices_named_linux", [_RIGHT]),
    ("prices_zero", [0.0]),
    ("prices_far_off", [848.0]),
]


@sees(*(name for name, _ in PRICES))
@pytest.mark.parametrize(("name", "prices"), PRICES)
def test_a_price_list_that_misleads(
    azure: LocalAzure, services: Services, name: str, prices: list[float]
) -> None:
    """What is left when all look-alikes are taken out; the usual list when cleared."""
    usual = rows(services)
    azure.faults.arm(name)
    found = rows(services)
    assert [row["retailPrice"] for row in found if right(row)] == prices
    assert (name == "prices_none") is (found == [])
    azure.faults.clear()
    assert rows(services) == usual


@sees("prices_look_alikes")
def test_the_look_alikes_are_those_that_were_seen(
    azure: LocalAzure, services: Services
) -> None:
    """Terms and a twin of development on one meter, an ended row, a future one."""
    azure.faults.arm("prices_look_alikes")
    query = {"$filter": H200.replace(" and priceType eq 'Consumption'", "")}
    found = services.web.get(azure.prices_url, params=query).json()["Items"]
    assert len({row["meterId"] for row in found}) == 1
    kinds = {row["type"]: row for row in found}
    assert set(kinds) == {"Consumption", "DevTestConsumption", "Reservation"}
    assert kinds["Reservation"]["reservationTerm"] == "3 Years"
    assert kinds["Reservation"]["unitOfMeasure"] == "1 Hour"
    cheap = [row for row in rows(services) if row["retailPrice"] < _RIGHT]
    assert {row.get("effectiveEndDate") for row in cheap} == {
        None,
        "2026-06-01T00:00:00Z",
        "2099-01-01T00:00:00Z",
    }
    low = [row for row in found if row["skuName"].endswith(" Low Priority")]
    assert {(row["type"], row["productName"][-7:]) for row in low} == {
        ("Consumption", " Series"),
        ("Consumption", "Windows"),
        ("DevTestConsumption", "Windows"),
    }


@sees("prices_paged")
def test_the_right_price_stands_on_a_later_page(
    azure: LocalAzure, services: Services
) -> None:
    """Two rows a page and a link to the next; one page again when it is cleared."""
    azure.faults.arm("prices_paged")
    body, pages = services.prices().json(), []
    while True:
        pages.append(body["Items"])
        if body["NextPageLink"] is None:
            break
        body = follow(services.web, body["NextPageLink"]).json()
    assert {len(page) for page in pages[:-1]} == {2}
    found = [any(map(right, page)) for page in pages]
    assert found.index(True) > 0
    azure.faults.clear()
    assert services.prices().json()["NextPageLink"] is None
