"""The official definitions: the fields, the answers and the words they allow."""

from typing import Any

import httpx
import pytest

from control.azure.budgets import report
from local.azure import LocalAzure
from tests.evidence.asked import budget
from tests.evidence.replay import AT
from tests.evidence.shared import evidence, recorded

type Swagger = dict[str, Any]

_KINDS: dict[str, type | tuple[type, ...]] = {
    "integer": int,
    "number": (int, float),
    "string": str,
    "boolean": bool,
    "array": list,
    "object": dict,
}


def compute() -> Swagger:
    slice_of: Swagger = evidence("spec/compute-2024-03-01/_swagger_slice*.json")
    return slice_of


def consumption() -> Swagger:
    slice_of: Swagger = evidence("spec/consumption-2023-11-01/_swagger_slice*.json")
    return slice_of


def check_properties(ours: dict[str, Any], definition: Swagger) -> None:
    """Each of ours is defined, with its type where it is a plain one."""
    for name, value in ours.items():
        assert name in definition["properties"]
        kind = definition["properties"][name].get("type")
        assert value is None or kind is None or isinstance(value, _KINDS[kind])


@pytest.mark.parametrize("action", ["start", "deallocate", "powerOff"])
def test_an_action_is_answered_as_specified(
    arm: httpx.Client, vm_path: str, action: str
) -> None:
    """200 and 202 are the only good answers; anything else is an error."""
    path = next(p for p in compute()["paths"] if p.endswith(f"/{action}"))
    answers = compute()["paths"][path]["post"]["responses"]
    assert set(answers) == {"200", "202", "default"}
    assert "schema" not in answers["200"]
    assert str(arm.post(f"{vm_path}/{action}").status_code) in answers


def test_the_view_has_only_specified_fields(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """The view, its agent, and an error."""
    azure.vm.come_on()
    definitions = compute()["definitions"]
    view = arm.get(f"{vm_path}/instanceView").json()
    check_properties(view, definitions["VirtualMachineInstanceView"])
    agent = definitions["VirtualMachineAgentInstanceView"]
    check_properties(view["vmAgent"], agent)
    azure.faults.arm("conflict")
    error = arm.post(f"{vm_path}/start").json()
    check_properties(error, definitions["CloudError"])
    check_properties(error["error"], definitions["ApiError"])


def test_the_budget_has_only_specified_fields(
    azure: LocalAzure, arm: httpx.Client
) -> None:
    """And all that are required."""
    definitions = consumption()["definitions"]
    ours = budget(azure, arm).json()["properties"]
    check_properties(ours, definitions["BudgetProperties"])
    check_properties(ours["timePeriod"], definitions["BudgetTimePeriod"])
    check_properties(ours["currentSpend"], definitions["CurrentSpend"])
    assert set(definitions["BudgetProperties"]["required"]) <= set(ours)


def test_every_specified_time_grain_is_counted_or_unknown() -> None:
    """Months are counted; a billing period's days are known to nobody here."""
    grains = consumption()["definitions"]["BudgetProperties"]["properties"]["timeGrain"]
    counted = set()
    for grain in grains["enum"]:
        body = recorded("17")["body"]
        body["properties"]["timeGrain"] = grain
        body["properties"]["currentSpend"]["amount"] = 41
        if report(body, "USD", AT) is not None:
            counted.add(grain)
    assert counted == {"Monthly", "Quarterly", "Annually"}
    left = set(grains["enum"]) - counted
    assert all(grain.startswith("Billing") for grain in left)
