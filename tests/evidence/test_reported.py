"""The local Azure's refusals against what was reported, where nobody recorded it."""

import json
from typing import Any

import httpx
import pytest

from local.azure import LocalAzure
from tests.evidence.compare import words
from tests.evidence.shared import evidence


def reports() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = evidence("errors/real_error_bodies.json")
    return rows


def test_compute_429_in_the_documented_shape(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """No wrapper, the words that the documentation prints, and its wait."""
    documented = next(r for r in reports() if r.get("http_status") == 429)
    azure.faults.arm("throttled_by_compute")
    ours = arm.post(f"{vm_path}/start")
    body = ours.json()
    assert "error" not in body
    assert (body["code"], body["message"]) == (
        documented["code"],
        documented["message"],
    )
    assert body["details"][0]["code"] == "TooManyRequests"
    assert "allowedRequestCount" in json.loads(body["details"][0]["message"])
    assert ours.headers["retry-after"] == "1200"


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("sku_not_available", "SkuNotAvailable"),
        ("disabled_subscription", "ReadOnlyDisabledSubscription"),
        ("subscription_not_found", "SubscriptionNotFound"),
    ],
)
def test_a_refusal_that_nobody_recorded_on_a_machine(
    azure: LocalAzure, arm: httpx.Client, vm_path: str, fault: str, code: str
) -> None:
    """The words are those of public reports, the names in them aside."""
    reported = next(each for each in reports() if each["code"] == code)
    azure.faults.arm(fault)
    answer = arm.post(f"{vm_path}/start")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (reported["http_status"], code)
    names = (words(each) for each in (error["message"], reported["message"]))
    ours, theirs = (each.partition(". ")[0] for each in names)
    assert ours == theirs


def test_an_unsupported_offer(azure: LocalAzure, arm: httpx.Client) -> None:
    """HTTP 400, the code a number in a string, and the reported sentence."""
    reported = next(each for each in reports() if each["code"].startswith("400"))
    azure.faults.arm("budget_unsupported")
    path = f"/subscriptions/{azure.subscription_id}/providers"
    answer = arm.get(f"{path}/Microsoft.Consumption/budgets/monthly")
    error = answer.json()["error"]
    assert answer.status_code == reported["http_status"]
    assert error["code"] == "400"
    assert error["message"].split(". ")[0] == reported["message"].split(". ")[0]


def test_an_empty_503(azure: LocalAzure, arm: httpx.Client, vm_path: str) -> None:
    """For a write, a read and a poll alike: no body at all."""
    reported = next(r for r in reports() if r.get("http_status") == 503)
    assert "empty body" in json.dumps(reported)
    azure.faults.arm("unavailable", times=2)
    for answer in (arm.post(f"{vm_path}/deallocate"), arm.get(vm_path)):
        assert (answer.status_code, answer.content) == (503, b"")
