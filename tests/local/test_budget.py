"""Budgets as the real consumption client reads them, odd figures and refusals."""

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from azure.core.exceptions import HttpResponseError
from azure.identity import ManagedIdentityCredential
from azure.mgmt.consumption import ConsumptionManagementClient

from local.azure import Budget, LocalAzure


@pytest.fixture
def consumption(
    azure: LocalAzure, credential: ManagedIdentityCredential
) -> Iterator[ConsumptionManagementClient]:
    with ConsumptionManagementClient(
        credential,
        azure.subscription_id,
        base_url=azure.arm_url,
        credential_scopes=["https://management.azure.com/.default"],
        retry_total=0,
    ) as client:
        yield client


def budget(spent: str | None, group: str | None = None) -> Budget:
    return Budget(
        name="monthly",
        amount=Decimal(5000),
        start=datetime(2026, 11, 1, tzinfo=UTC),
        end=datetime(2027, 2, 1, tzinfo=UTC),
        spent=None if spent is None else Decimal(spent),
        resource_group=group,
    )


def test_a_budget_says_what_was_spent(
    azure: LocalAzure, consumption: ConsumptionManagementClient
) -> None:
    """Amount, spend with its unit, grain and period, at the subscription's scope."""
    azure.budgets.put(budget("1150.20"))
    read = consumption.budgets.get(f"/subscriptions/{azure.subscription_id}", "monthly")
    assert (read.amount, read.current_spend.amount) == (
        Decimal(5000),
        Decimal("1150.2"),
    )
    assert (read.current_spend.unit, read.time_grain) == ("USD", "Monthly")
    assert read.time_period.start_date == datetime(2026, 11, 1, tzinfo=UTC)


def test_scopes_are_apart(
    azure: LocalAzure, consumption: ConsumptionManagementClient
) -> None:
    """A resource group's budget is not the subscription's."""
    scope = f"subscriptions/{azure.subscription_id}"
    azure.budgets.put(budget("7", group="rg-kimi"))
    read = consumption.budgets.get(f"{scope}/resourceGroups/rg-kimi", "monthly")
    assert read.current_spend.amount == Decimal(7)
    with pytest.raises(HttpResponseError) as caught:
        consumption.budgets.get(scope, "monthly")
    assert caught.value.status_code == 404


def test_odd_figures_reach_the_client(
    azure: LocalAzure, consumption: ConsumptionManagementClient
) -> None:
    """Not evaluated yet is null; NaN and negative come as they are."""
    scope = f"subscriptions/{azure.subscription_id}"
    azure.budgets.put(budget(None))
    assert consumption.budgets.get(scope, "monthly").current_spend is None
    azure.budgets.put(budget("NaN"))
    assert math.isnan(consumption.budgets.get(scope, "monthly").current_spend.amount)
    azure.budgets.put(budget("-3.5"))
    assert consumption.budgets.get(scope, "monthly").current_spend.amount == Decimal(
        "-3.5"
    )


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [
        ("budget_unsupported", 400, "offer types"),
        ("budget_throttled", 429, "Too many requests"),
    ],
)
def test_refusals_carry_a_number_as_code(
    azure: LocalAzure,
    consumption: ConsumptionManagementClient,
    name: str,
    status: int,
    words: str,
) -> None:
    """An offer without Cost Management, and throttling with headers of its own."""
    azure.budgets.put(budget("1"))
    azure.faults.arm(name)
    with pytest.raises(HttpResponseError) as caught:
        consumption.budgets.get(f"subscriptions/{azure.subscription_id}", "monthly")
    assert caught.value.status_code == status
    assert caught.value.error is not None
    assert caught.value.error.code == str(status)
    assert words in str(caught.value.error.message)
