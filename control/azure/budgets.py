"""Azure's own budget figure through azure-mgmt-consumption.

It is late and often absent; whatever is not plainly a figure is unknown, never 0.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import TYPE_CHECKING, Any

from control.azure.arm import call_options, client_options
from control.azure.deadline import within
from control.azure.faults import translated
from control.azure.instance_view import instant
from control.azure.lazy import Lazy
from control.model import Report

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential

_SECONDS = 10.0
_OPTIONS = call_options(_SECONDS)
_MONTHS = {"monthly": 1, "quarterly": 3, "annually": 12}


class AzureReports:
    """`ports.Reports` on one budget of a scope, `/subscriptions/...` for example."""

    def __init__(
        self,
        *,
        credential: "TokenCredential",
        endpoint: str,
        scope: str,
        budget: str,
        currency: str,
    ) -> None:
        self._scope = scope
        self._budget = budget
        self._currency = currency
        self._client = Lazy(partial(_client, credential, endpoint, scope))

    def read(self, now: datetime) -> Report | None:
        """Return the figure of the budget's window that holds `now`."""
        with translated():
            get = partial(self._client().budgets.get, self._scope, self._budget)
            text = within(
                _SECONDS,
                lambda deadline: get(cls=_text, deadline=deadline, **_OPTIONS),
            )
            body = json.loads(text, parse_float=Decimal, parse_constant=Decimal)
            return report(body, self._currency, now)


def report(body: Mapping[str, Any], currency: str, now: datetime) -> Report | None:
    """Read a budget's body; None where it holds no usable figure."""
    budget = body.get("properties") or {}
    spend = budget.get("currentSpend") or {}
    amount = _amount(spend.get("amount"))
    unit = spend.get("unit")
    window = _window(budget, now)
    if amount is None or window is None or not isinstance(unit, str):
        return None
    if unit.upper() != currency.upper():
        return None
    start, end = window
    return Report(amount=amount, currency=currency, start=start, end=end, at=now)


def _amount(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, Decimal | int | str):
        return None
    try:
        amount = Decimal(value)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and amount >= 0 else None


def _window(
    budget: Mapping[str, Any], now: datetime
) -> tuple[datetime, datetime] | None:
    """Count windows from the budget's start; `Billing...` grains have no known days."""
    period = budget.get("timePeriod") or {}
    start, end = instant(period.get("startDate")), instant(period.get("endDate"))
    months = _MONTHS.get(str(budget.get("timeGrain")).lower())
    if months is None or start is None or now < start or (end and now >= end):
        return None
    passed = (now.year - start.year) * 12 + now.month - start.month
    first = passed - passed % months
    return _first_of_month(start, first), _first_of_month(start, first + months)


def _first_of_month(start: datetime, months: int) -> datetime:
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    return datetime(year, month + 1, 1, tzinfo=UTC)


def _text(response: Any, *_: Any) -> Any:
    """Take the text itself: the SDK's model has made a float of the amount."""
    return response.http_response.text()


def _client(credential: "TokenCredential", endpoint: str, scope: str) -> Any:
    from azure.mgmt.consumption import (  # noqa: PLC0415 - slow: made at first use
        ConsumptionManagementClient,
    )

    return ConsumptionManagementClient(
        credential, scope, **client_options(credential, endpoint)
    )
