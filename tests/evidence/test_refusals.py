"""The local Azure's refusals against the recorded ones."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx
import pytest

from local.azure import LocalAzure
from tests.evidence.allowances import (
    NOT_COUNTED,
    NOT_COUNTED_EITHER,
    SERVER,
    STRIPPED,
    ZEROED,
)
from tests.evidence.compare import Allowed, check_error, words
from tests.evidence.shared import recorded

_ID = {"x-ms-request-id": STRIPPED["x-ms-request-id"]}
_GATEWAY = Allowed(adds=SERVER | _ID)
_GATEWAY_WITH_ID = Allowed(adds=SERVER)
_OF_JAVA = Allowed(adds=SERVER, lacks=ZEROED)
_READS = frozenset({"vm_not_found", "group_missing", "token_expired"})


@dataclass(frozen=True, slots=True)
class Case:
    """A fault of the catalogue, the recording that it is held to, and headers."""

    number: str
    fault: str
    headers: Allowed
    shape: Mapping[str, str] = field(default_factory=dict)


def refused(
    azure: LocalAzure, arm: httpx.Client, path: str, fault: str, **shape: Any
) -> httpx.Response:
    """What the local Azure answers under a fault, to a read or to a start."""
    azure.faults.arm(fault, **shape)
    return arm.get(path) if fault in _READS else arm.post(f"{path}/start")


def message(body: Mapping[str, Any]) -> str:
    text: str = body.get("error", body)["message"]
    return text


_PREFLIGHT, _UNWRAPPED = {"wording": "preflight"}, {"wording": "unwrapped"}
_WORD_FOR_WORD = [
    Case("08", "conflict", Allowed(lacks=NOT_COUNTED_EITHER)),
    Case("09", "permission", _GATEWAY),
    Case("20", "throttled_by_storage", Allowed(adds=SERVER)),
    Case("25", "group_missing", _OF_JAVA),
    Case("34", "not_registered", _OF_JAVA),
    Case("44", "vm_not_found", _GATEWAY),
    Case("46", "token_expired", _GATEWAY_WITH_ID),
    Case("48", "vm_not_found", _GATEWAY_WITH_ID, {"wording": "old"}),
    Case("54", "throttled_by_arm", Allowed(adds=SERVER)),
]
_OF_OTHERS = [
    Case("04", "not_allowed", Allowed(lacks=NOT_COUNTED_EITHER)),
    Case("11", "quota", Allowed(adds=SERVER, lacks=NOT_COUNTED), _PREFLIGHT),
    Case("12", "network_busy", Allowed(lacks=NOT_COUNTED)),
    Case("33", "quota", Allowed(lacks=ZEROED | NOT_COUNTED | _ID), _UNWRAPPED),
]


@pytest.mark.parametrize("case", _WORD_FOR_WORD, ids=lambda case: case.number)
def test_a_refusal_in_the_recorded_words(
    azure: LocalAzure, arm: httpx.Client, vm_path: str, case: Case
) -> None:
    """Status, fields, codes, headers and, the names in it aside, the message."""
    theirs = recorded(case.number)
    ours = refused(azure, arm, vm_path, case.fault, **case.shape)
    check_error(ours, theirs, case.headers)
    assert words(message(ours.json())) == words(message(theirs["body"]))


@pytest.mark.parametrize("case", _OF_OTHERS, ids=lambda case: case.number)
def test_a_refusal_of_another_resource(
    azure: LocalAzure, arm: httpx.Client, vm_path: str, case: Case
) -> None:
    """Recorded on what we don't have: the shape and the codes, in our own words."""
    ours = refused(azure, arm, vm_path, case.fault, **case.shape)
    check_error(ours, recorded(case.number), case.headers)


def test_a_locked_scope(azure: LocalAzure, arm: httpx.Client, vm_path: str) -> None:
    """ScopeLocked names the scope and the lock; the operation is another word."""
    ours, theirs = refused(azure, arm, vm_path, "scope_lock"), recorded("14")
    check_error(ours, theirs, _GATEWAY)
    said = words(message(ours.json())).replace(" write ", " delete ")
    assert said == words(message(theirs["body"]))


def test_a_gateway_that_gave_up(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """504 on a write, whose outcome nobody knows."""
    ours, theirs = refused(azure, arm, vm_path, "gateway_timeout"), recorded("32")
    check_error(ours, theirs, _OF_JAVA)
    assert words(message(ours.json())) == words(message(theirs["body"]))


def test_an_expired_token_itself(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """401 with the recorded challenge, its message in American times."""
    life = timedelta(seconds=-60)
    token = azure.identity.issue("app", "https://management.azure.com", life).text
    ours = arm.get(vm_path, headers={"Authorization": f"Bearer {token}"})
    theirs = recorded("46")
    check_error(ours, theirs, _GATEWAY_WITH_ID)
    challenge = theirs["headers"]["www-authenticate"]
    assert ours.headers["www-authenticate"] == challenge
    times = r"'\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d\d:\d\d [AP]M'"
    for body in (ours.json(), theirs["body"]):
        assert len(re.findall(times, message(body))) == 2


def test_a_machine_and_a_group_that_are_not_there(
    arm: httpx.Client, vm_path: str
) -> None:
    """Without any fault armed: 404 for a machine, 403 for a group."""
    for path, number in (
        (f"{vm_path}-x", "44"),
        (vm_path.replace("rg-kimi", "rg-x"), "09"),
    ):
        ours, theirs = arm.get(path), recorded(number)
        check_error(ours, theirs, _GATEWAY)
        assert words(message(ours.json())) == words(message(theirs["body"]))
