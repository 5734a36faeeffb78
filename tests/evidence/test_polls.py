"""The local Azure's polls against the recorded ones."""

from datetime import timedelta

import httpx
import pytest

from local.azure import LocalAzure
from local.clock import SharedClock
from tests.evidence.allowances import STRIPPED, WAITS
from tests.evidence.compare import Allowed, check_fields, check_headers, windows
from tests.evidence.shared import Response, first, posts, recorded

_MINUTE = timedelta(minutes=1)
_STRIPPED = Allowed(adds=STRIPPED)


def path_of(answer: httpx.Response) -> str:
    """An operation's path, to which the client adds its own api-version."""
    return answer.headers["azure-asyncoperation"].partition("?")[0]


def check_poll(
    ours: httpx.Response, theirs: Response, headers: Allowed = _STRIPPED
) -> None:
    """Fields in their order, the status, and as many digits in a whole time."""
    body, other = ours.json(), theirs["body"]
    assert ours.status_code == theirs["status"]
    check_fields(body, other)
    assert list(body) == list(other)
    assert body["status"] == other["status"]
    assert len(body["startTime"]) == len(other["startTime"])
    check_headers(ours.headers, theirs["headers"], headers)
    name = "x-ms-ratelimit-remaining-resource"
    assert windows(ours.headers[name]) == windows(theirs["headers"][name])


def test_working_and_done(clock: SharedClock, arm: httpx.Client, vm_path: str) -> None:
    """InProgress, Succeeded with its end, and the empty answer of the monitor."""
    path = path_of(arm.post(f"{vm_path}/deallocate"))
    first_wait = Allowed(adds=STRIPPED | WAITS)
    check_poll(arm.get(path), recorded("02", 1), first_wait)
    clock.advance(_MINUTE)
    check_poll(arm.get(path), recorded("02", 2))
    ended, theirs = arm.get(path, params={"monitor": "true"}), recorded("02", 3)
    assert (ended.status_code, ended.text) == (theirs["status"], theirs["body"])
    check_headers(ended.headers, theirs["headers"], _STRIPPED)


@pytest.mark.parametrize("verb", ["start", "deallocate"])
def test_the_first_polls_wait(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str, verb: str
) -> None:
    """36 s after a deallocate, 9 s after a start, none later; at +08:00 too."""
    at = 1 + first("27", posts(verb))
    if verb == "deallocate":
        azure.vm.come_on()
    azure.faults.arm("offset_times")
    path = path_of(arm.post(f"{vm_path}/{verb}"))
    for step in (0, 1, 2, 3):
        theirs = recorded("27", at + step)
        monitor = {"monitor": "true"} if theirs["body"] == "" else {}
        ours = arm.get(path, params=monitor)
        check_headers(ours.headers, theirs["headers"])
        assert ours.headers.get("retry-after") == theirs["headers"].get("retry-after")
        if not monitor:
            check_poll(ours, theirs, Allowed())
            assert ours.json()["startTime"][-6:] == theirs["body"]["startTime"][-6:]
        if step == 1:
            clock.advance(_MINUTE)


def test_a_power_off_is_done_at_its_first_poll(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """As recorded twice, four years apart: an end and no wait."""
    azure.vm.come_on()
    path = path_of(arm.post(f"{vm_path}/powerOff"))
    clock.advance(_MINUTE)
    ours = arm.get(path)
    check_poll(ours, recorded("01", 1))
    check_poll(ours, recorded("29", 5), Allowed())


def test_a_failure(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """HTTP 200, Failed, an end and an error with code and message."""
    azure.faults.arm("extension_failed")
    path = path_of(arm.post(f"{vm_path}/start"))
    clock.advance(timedelta(minutes=6))
    wait = Allowed(adds=STRIPPED)
    ours, theirs = arm.get(path), recorded("10")
    check_poll(ours, theirs, wait)
    assert ours.json()["error"]["code"] == theirs["body"]["error"]["code"]
