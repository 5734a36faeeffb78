"""The local Azure's shapes against Azure's own traffic and specifications.

The evidence lies beside the repository; without it these tests are skipped, and the
other tests of this folder still hold what it taught.
"""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.azure import Budget, LocalAzure
from local.clock import SharedClock

SHARED = Path(__file__).parents[2].parent / "shared" / "azure"
SCOPE = "https://vault.azure.net"
_GUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def evidence(pattern: str) -> Any:
    """One evidence file by its name's beginning; skips where it is missing."""
    found = sorted(SHARED.glob(pattern))
    if not found:
        pytest.skip(f"no evidence {pattern}")
    return json.loads(found[0].read_text())


def recorded(number: str, chosen: int = 0) -> dict[str, Any]:
    """The response of one recorded interaction."""
    response: dict[str, Any] = evidence(f"recorded/{number}_*.json")["interactions"][
        chosen
    ]["response"]
    return response


def first(number: str, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The first recorded interaction of a kind."""
    interactions = evidence(f"recorded/{number}_*.json")["interactions"]
    chosen: dict[str, Any] = next(each for each in interactions if wanted(each))
    return chosen


def posts(verb: str) -> Callable[[dict[str, Any]], bool]:
    return lambda each: f"/{verb}?" in each["request"]["url"]


def shape(value: Any) -> Any:
    """Names and types, without the values."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in sorted(value.items())}
    if isinstance(value, list):
        return [shape(each) for each in value]
    return "number" if isinstance(value, int | float) else type(value).__name__


def pattern_of(value: str) -> str:
    """A URL or a number list with what differs each time taken out."""
    text = re.sub(_GUID, "{guid}", value)
    text = re.sub(r"https?://[^/]+", "{host}", text)
    text = re.sub(r"(subscriptions|locations)/[^/]+", r"\1/{}", text)
    return re.sub(r"(api-version=)[\w-]+", r"\1{}", text)


def windows(value: str) -> list[str]:
    """The names of a rate-limit header's windows, without what is left."""
    return [part.partition(";")[0] for part in value.split(",")]


def check_headers(ours: httpx.Headers, theirs: dict[str, Any]) -> None:
    """Every recorded header is there; URLs and windows are built alike."""
    assert set(theirs) - set(ours) == set()
    for name in ("location", "azure-asyncoperation"):
        assert pattern_of(ours[name]) == pattern_of(theirs[name])
    name = "x-ms-ratelimit-remaining-resource"
    assert windows(ours[name]) == windows(theirs[name])
    assert ours["content-length"] == theirs["content-length"] == "0"


@pytest.mark.parametrize(
    ("verb", "number"), [("start", "01"), ("powerOff", "01"), ("deallocate", "02")]
)
def test_an_accepted_operations_headers(
    arm: httpx.Client, vm_path: str, verb: str, number: str
) -> None:
    """The 202 of 2023: an empty body, two URLs, what is left of two windows."""
    theirs = first(number, posts(verb))["response"]
    ours = arm.post(f"{vm_path}/{verb}")
    assert (ours.status_code, ours.content) == (theirs["status"], b"")
    check_headers(ours.headers, theirs["headers"])
    notification = theirs["headers"]["azure-asyncnotification"]
    assert ours.headers["azure-asyncnotification"] == notification


@pytest.mark.parametrize("verb", ["start", "deallocate"])
def test_the_wait_and_the_id_that_other_recorders_kept(
    azure: LocalAzure, arm: httpx.Client, vm_path: str, verb: str
) -> None:
    """Retry-After is 10 on the 202; the request's id is the operation's name."""
    theirs = first("27", posts(verb))["response"]["headers"]
    azure.vm.come_on()
    ours = arm.post(f"{vm_path}/{verb}").headers
    assert set(theirs) - set(ours) == set()
    assert ours["retry-after"] == theirs["retry-after"]
    for headers in (ours, theirs):
        assert headers["x-ms-request-id"] in headers["azure-asyncoperation"]


def test_the_first_polls_wait(
    clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """36 s after a deallocate, 9 s after a start, nothing on later polls."""
    for verb in ("start", "deallocate"):
        index = 1 + next(
            at
            for at, each in enumerate(evidence("recorded/27_*.json")["interactions"])
            if posts(verb)(each)
        )
        theirs = [recorded("27", index + each)["headers"] for each in (0, 1)]
        url = arm.post(f"{vm_path}/{verb}").headers["azure-asyncoperation"]
        ours = [arm.get(url.partition("?")[0]).headers for _ in (0, 1)]
        assert [each.get("retry-after") for each in ours] == [
            each.get("retry-after") for each in theirs
        ]
        assert set(theirs[0]) - set(ours[0]) == set()
        clock.advance(timedelta(minutes=1))


def test_poll_bodies(clock: SharedClock, arm: httpx.Client, vm_path: str) -> None:
    """Working, succeeded, and the empty answer of the monitor's URL."""
    answer = arm.post(f"{vm_path}/deallocate")
    path = answer.headers["azure-asyncoperation"].partition("?")[0]
    check_poll(arm.get(path).json(), recorded("02", 1)["body"])
    clock.advance(timedelta(minutes=1))
    check_poll(arm.get(path).json(), recorded("02", 2)["body"])
    ended = arm.get(path, params={"monitor": "true"})
    theirs = recorded("02", 3)
    assert (ended.status_code, ended.text) == (theirs["status"], theirs["body"])
    assert set(theirs["headers"]) - set(ended.headers) == set()


def check_poll(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert shape(ours) == shape(theirs)
    assert ours["status"] == theirs["status"]
    assert len(ours["startTime"]) == len(theirs["startTime"])


def test_a_failed_operations_body(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """HTTP 200, Failed, an end and an error with code and message."""
    azure.faults.arm("allocation_failed")
    answer = arm.post(f"{vm_path}/start")
    clock.advance(timedelta(minutes=1))
    ours = arm.get(answer.headers["azure-asyncoperation"].partition("?")[0])
    theirs = recorded("10")
    assert ours.status_code == theirs["status"]
    assert shape(ours.json()) == shape(theirs["body"])


def seen_vm(arm: httpx.Client, vm_path: str) -> dict[str, Any]:
    body: dict[str, Any] = arm.get(vm_path, params={"$expand": "instanceView"}).json()
    return body


def statuses_of(vm: dict[str, Any]) -> list[dict[str, Any]]:
    statuses: list[dict[str, Any]] = vm["properties"]["instanceView"]["statuses"]
    return statuses


def test_a_deallocated_machine(arm: httpx.Client, vm_path: str) -> None:
    """Names in their order, types, statuses word for word; no agent."""
    theirs = recorded("02", 4)["body"]
    ours = seen_vm(arm, vm_path)
    assert list(ours) == [name for name in theirs if name != "resources"]
    assert list(ours["properties"]) == list(theirs["properties"])
    view, recorded_view = (
        each["properties"]["instanceView"] for each in (ours, theirs)
    )
    assert shape(view) == shape(recorded_view)
    assert [timeless(each) for each in view["statuses"]] == [
        timeless(each) for each in recorded_view["statuses"]
    ]


def timeless(status: dict[str, Any]) -> dict[str, Any]:
    """A status with its time's length in place of its time."""
    return {n: len(v) if n == "time" else v for n, v in status.items()}


def test_a_running_machine(azure: LocalAzure, arm: httpx.Client, vm_path: str) -> None:
    """The guest's agent speaks; extensions aside the view has the recorded shape."""
    azure.vm.come_on()
    theirs = first("01", _runs)["response"]["body"]["properties"]["instanceView"]
    del theirs["extensions"]
    theirs["vmAgent"]["extensionHandlers"] = []
    ours = seen_vm(arm, vm_path)["properties"]["instanceView"]
    assert shape(ours) == shape(theirs)
    assert ours["statuses"][1] == theirs["statuses"][1]
    inner = arm.get(f"{vm_path}/instanceView").json()
    assert inner == ours


def _runs(interaction: dict[str, Any]) -> bool:
    return "PowerState/running" in json.dumps(interaction["response"]["body"])


def test_a_starting_machine(
    clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """Starting, beside a provisioning state that has no time and a view w/o agent."""
    theirs = recorded("49")["body"]
    arm.post(f"{vm_path}/start")
    clock.advance(timedelta(seconds=20))
    ours = seen_vm(arm, vm_path)
    view, recorded_view = (
        each["properties"]["instanceView"] for each in (ours, theirs)
    )
    assert shape(view) == shape(recorded_view)
    assert view["statuses"][1] == recorded_view["statuses"][1]


@pytest.mark.parametrize("number", ["30", "49", "56"])
def test_what_is_under_way_has_no_time(number: str) -> None:
    """Updating and creating carry none in any recording, which ours follows."""
    body = recorded(number)["body"]
    statuses = body.get("statuses") or statuses_of(body)
    assert all("time" not in status for status in statuses)


def test_updating_is_said_as_recorded(arm: httpx.Client, vm_path: str) -> None:
    """The status of a machine that is being changed, word for word."""
    arm.post(f"{vm_path}/start")
    theirs = recorded("30")["body"]["statuses"][0]
    assert statuses_of(seen_vm(arm, vm_path)) == [theirs]


def check_error(ours: httpx.Response, theirs: dict[str, Any]) -> None:
    """Status, code and shape are the recorded ones, and so are the headers' names."""
    assert ours.status_code == theirs["status"]
    body, recorded_body = ours.json(), theirs["body"]
    assert shape(body) == shape(recorded_body)
    assert body["error"]["code"] == recorded_body["error"]["code"]
    assert set(theirs["headers"]) - set(ours.headers) == set()
    cause = theirs["headers"].get("x-ms-failure-cause")
    assert ours.headers.get("x-ms-failure-cause") == cause


def words(text: str) -> str:
    """A message without its names, times and numbers."""
    return re.sub(r"'[^']*'", "''", text)


def test_refusals_of_the_gateway(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """404, 403 and 409 as recorded, the words too."""
    pairs = [
        (arm.get(f"{vm_path}-x"), recorded("44")),
        (arm.get(vm_path.replace("rg-kimi", "rg-x")), recorded("09")),
    ]
    for fault, number in (("conflict", "08"), ("throttled_by_arm", "54")):
        azure.faults.arm(fault)
        answer = arm.post(f"{vm_path}/start")
        theirs = recorded(number)
        theirs["headers"] = {
            name: value
            for name, value in theirs["headers"].items()
            if "ratelimit" not in name
        }
        pairs.append((answer, theirs))
    for ours, theirs in pairs:
        check_error(ours, theirs)
        message, recorded_message = (
            each["error"]["message"] for each in (ours.json(), theirs["body"])
        )
        assert words(message) == words(recorded_message)


def test_a_locked_scope(azure: LocalAzure, arm: httpx.Client, vm_path: str) -> None:
    """ScopeLocked names the scope and the lock; the operation is another word."""
    azure.faults.arm("scope_lock")
    ours, theirs = arm.post(f"{vm_path}/start"), recorded("14")
    check_error(ours, theirs)
    message, recorded_message = (
        words(each["error"]["message"]) for each in (ours.json(), theirs["body"])
    )
    assert message.replace(" write ", " delete ") == recorded_message


def test_an_expired_token(azure: LocalAzure, arm: httpx.Client, vm_path: str) -> None:
    """401 with the recorded challenge, its message in American times."""
    life = timedelta(seconds=-60)
    token = azure.identity.issue("app", "https://management.azure.com", life).text
    ours = arm.get(vm_path, headers={"Authorization": f"Bearer {token}"})
    theirs = recorded("46")
    check_error(ours, theirs)
    challenge = theirs["headers"]["www-authenticate"]
    assert ours.headers["www-authenticate"] == challenge
    message = ours.json()["error"]["message"]
    assert words(message) == words(theirs["body"]["error"]["message"])
    assert re.search(r"'\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d\d:\d\d [AP]M'", message)


def test_a_budget(azure: LocalAzure, arm: httpx.Client) -> None:
    """The recorded fields but for filters; an id without its first slash."""
    azure.budgets.put(
        Budget(
            name="monthly",
            amount=Decimal(800),
            start=datetime(2026, 11, 1, tzinfo=UTC),
            end=datetime(2027, 2, 1, tzinfo=UTC),
            spent=Decimal("41.71"),
        )
    )
    path = f"/subscriptions/{azure.subscription_id}/providers"
    ours = arm.get(f"{path}/Microsoft.Consumption/budgets/monthly").json()
    theirs = recorded("17")["body"]
    newest = evidence("spec/consumption-2024-08-01/Budget.json")
    specified = newest["responses"]["200"]["body"]
    for other in (theirs, specified):
        other["properties"].pop("filters", None)
        other["properties"].pop("filter", None)
        other["properties"].pop("notifications")
        assert not other["id"].startswith("/")
    notice = ours["properties"].pop("notifications")["actual_GreaterThan_80_Percent"]
    assert shape(ours) == shape(theirs) == shape(specified)
    assert {"enabled", "operator", "threshold", "contactEmails"} <= set(notice)
    assert not ours["id"].startswith("/")


def test_a_vaults_three_answers(azure: LocalAzure) -> None:
    """The challenge, a secret's bundle, and the name that is still taken."""
    url = f"{azure.vault.url}/secrets/secret1"
    token = azure.identity.issue("operator", SCOPE).text
    good = {"Authorization": f"Bearer {token}"}
    body = {"value": "ABC123", "tags": {"file-encoding": "utf-8"}}
    with httpx.Client(verify=False, trust_env=False) as client:  # noqa: S501 - loopback
        challenged = client.put(url, json=body)
        made = client.put(url, json=body, headers=good)
        azure.remove_secret("secret1")
        taken = client.put(url, json=body, headers=good)
    check_error(challenged, recorded("21"))
    challenge = recorded("21")["headers"]["www-authenticate"]
    ours = re.sub(_GUID, "", challenged.headers["www-authenticate"])
    assert ours == re.sub(_GUID, "", challenge)
    assert challenged.json() == recorded("21")["body"]
    assert list(made.json()) == list(recorded("21", 1)["body"])
    assert shape(made.json()) == shape(recorded("21", 1)["body"])
    assert taken.json() == recorded("21", 2)["body"]


def test_the_retail_envelope_and_rows(azure: LocalAzure, arm: httpx.Client) -> None:
    """The envelope's names and each kind of row's names and types."""
    theirs = evidence("retail/azure_retail_*.json")
    ours = arm.get(azure.prices_url).json()
    assert set(theirs) <= set(ours)
    assert shape(row(ours, "Consumption")) == shape(row(theirs, "Consumption"))
    assert shape(row(ours, "Reservation")) == shape(row(theirs, "Reservation"))
    test_row = row(theirs, "DevTestConsumption")
    assert shape(row(ours, "DevTestConsumption")) == shape(test_row)


def row(envelope: dict[str, Any], kind: str) -> dict[str, Any]:
    return next(each for each in envelope["Items"] if each["type"] == kind)


def test_compute_429_in_the_documented_shape(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """No wrapper, and the words that the documentation prints."""
    rows = evidence("errors/real_error_bodies.json")
    documented = next(r for r in rows if r.get("http_status") == 429)
    azure.faults.arm("throttled_by_compute")
    body = arm.post(f"{vm_path}/start").json()
    assert "error" not in body
    assert body["code"] == documented["code"]
    assert body["message"] == documented["message"]
    assert "allowedRequestCount" in json.loads(body["details"][0]["message"])


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("sku_not_available", "SkuNotAvailable"),
        ("disabled_subscription", "ReadOnlyDisabledSubscription"),
        ("subscription_not_found", "SubscriptionNotFound"),
    ],
)
def test_refusals_that_nobody_recorded_on_a_vm(
    azure: LocalAzure, arm: httpx.Client, vm_path: str, fault: str, code: str
) -> None:
    """The words are those of public reports, the names in them aside."""
    rows = evidence("errors/real_error_bodies.json")
    reported = next(each for each in rows if each["code"] == code)
    azure.faults.arm(fault)
    answer = arm.post(f"{vm_path}/start")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (reported["http_status"], code)
    names = (words(each) for each in (error["message"], reported["message"]))
    ours, theirs = (each.partition(". ")[0] for each in names)
    assert ours == theirs
