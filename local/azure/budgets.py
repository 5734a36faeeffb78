"""Microsoft.Consumption budgets: what Azure last reckoned, late and not always."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from local.azure.refusals import operators_only
from local.azure.routing import Call, Kind, Route, route
from local.azure.wire import Reply, error_reply, json_reply, zulu

_NAME = "/providers/Microsoft.Consumption/budgets/{budget}"
_SUBSCRIPTION = "/subscriptions/{subscription}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A budget; `spent` None is a budget that Azure has not evaluated yet."""

    name: str
    amount: Decimal
    start: datetime
    end: datetime
    spent: Decimal | None = None
    unit: str = "USD"
    grain: str = "Monthly"
    resource_group: str | None = None


class Budgets:
    """The budgets by scope and name; put one in to set or to change it."""

    def __init__(self) -> None:
        self._budgets: dict[tuple[str, str], Budget] = {}
        self._told_from = datetime.min.replace(tzinfo=UTC)
        self._kept: dict[tuple[str, str], Budget] = {}
        self._kept_until = self._told_from

    @property
    def routes(self) -> list[Route]:
        """At both scopes; ARM guards them."""
        group = f"{_SUBSCRIPTION}/resourceGroups/{{group}}"
        return [
            route(Kind.BUDGET, "GET", _SUBSCRIPTION + _NAME, self._get),
            route(Kind.BUDGET, "GET", group + _NAME, self._get),
            route(Kind.BUDGET, "DELETE", _SUBSCRIPTION + _NAME, self._delete),
        ]

    def put(self, budget: Budget) -> None:
        self._budgets[_key(budget.resource_group, budget.name)] = budget

    def hold_back(self, until: datetime) -> None:
        """Tell of no spend before then: Azure reckons once a day, and late."""
        self._told_from = until

    def keep(self, until: datetime) -> None:
        """Tell until then what is known now, whatever is put in later."""
        self._kept, self._kept_until = dict(self._budgets), until

    def starts(self, name: str) -> datetime | None:
        """When a budget of the subscription begins: that can never be changed."""
        found = self._budgets.get(_key(None, name))
        return found.start if found else None

    def remove(self, name: str, resource_group: str | None = None) -> None:
        self._budgets.pop(_key(resource_group, name), None)

    def _get(self, call: Call) -> Reply:
        key = _key(call.parts.get("group"), call.parts["budget"])
        kept = self._kept if call.at < self._kept_until else self._budgets
        budget = kept.get(key)
        if budget is None:
            return error_reply(404, "404", "Budget not found.")
        if call.at < self._told_from:
            budget = replace(budget, spent=Decimal(0))
        return json_reply(200, _body(budget, call.request.path))

    @operators_only("Microsoft.Consumption/budgets/delete")
    def _delete(self, call: Call) -> Reply:
        self.remove(call.parts["budget"])
        return Reply(status=200, body=b"{}")


def _key(group: str | None, name: str) -> tuple[str, str]:
    return ((group or "").lower(), name.lower())


def _body(budget: Budget, path: str) -> dict[str, Any]:
    spent = budget.spent
    return {
        "id": path.lstrip("/"),
        "name": budget.name,
        "type": "Microsoft.Consumption/budgets",
        "eTag": '"1d4877ebd701de2"',
        "properties": {
            "timePeriod": {
                "startDate": zulu(budget.start),
                "endDate": zulu(budget.end),
            },
            "timeGrain": budget.grain,
            "amount": float(budget.amount),
            "currentSpend": None
            if spent is None
            else {"amount": float(spent), "unit": budget.unit},
            "category": "Cost",
            "notifications": {"actual_GreaterThan_80_Percent": _notification()},
        },
    }


def _notification() -> dict[str, Any]:
    return {
        "enabled": True,
        "operator": "GreaterThan",
        "threshold": 80.0,
        "contactEmails": ["owner@example.com"],
        "contactRoles": [],
        "contactGroups": [],
        "thresholdType": "Actual",
    }
