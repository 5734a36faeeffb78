"""What the local Azure is asked for by more than one of these modules."""

from datetime import UTC, datetime
from decimal import Decimal

import httpx

from local.azure import Budget, LocalAzure


def machine(arm: httpx.Client, path: str) -> httpx.Response:
    """The machine with its instance view."""
    return arm.get(path, params={"$expand": "instanceView"})


def budget(
    azure: LocalAzure, arm: httpx.Client, spent: str | None = "41.71"
) -> httpx.Response:
    """A budget of the subscription; None is one that was never reckoned."""
    azure.budgets.put(
        Budget(
            name="monthly",
            amount=Decimal(800),
            start=datetime(2026, 11, 1, tzinfo=UTC),
            end=datetime(2027, 2, 1, tzinfo=UTC),
            spent=None if spent is None else Decimal(spent),
        )
    )
    path = f"/subscriptions/{azure.subscription_id}/providers"
    return arm.get(f"{path}/Microsoft.Consumption/budgets/monthly")
