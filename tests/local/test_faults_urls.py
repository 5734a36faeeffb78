"""What an accepted operation's URL looks like, and odd answers to those who poll it."""

from collections.abc import Callable
from datetime import timedelta

import httpx
import pytest

from local.azure import LocalAzure, Power
from local.clock import SharedClock
from tests.local.faults_support import follow, poll, sees

ASYNC, PLACE = "azure-asyncoperation", "location"


@pytest.fixture
def start(arm: httpx.Client, vm_path: str) -> Callable[[], httpx.Headers]:
    """Start the machine and return the headers of what was accepted."""

    def ask() -> httpx.Headers:
        answer = arm.post(f"{vm_path}/start")
        assert answer.status_code == 202
        return answer.headers

    return ask


@sees("offset_times")
def test_times_at_another_offset(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """The same instant, told as in Shanghai, until it is cleared."""
    azure.faults.arm("offset_times")
    accepted = arm.post(f"{vm_path}/start")
    assert poll(arm, accepted)["startTime"] == "2026-11-30T18:00:00.0000000+08:00"
    azure.faults.clear()
    assert poll(arm, accepted)["startTime"] == "2026-11-30T10:00:00.0000000+00:00"


@sees("other_api_version")
def test_the_url_carries_another_version_than_the_request(
    azure: LocalAzure, start: Callable[[], httpx.Headers]
) -> None:
    """Both URLs; the local Azure's own one again when it is cleared."""
    azure.faults.arm("other_api_version")
    old = start()
    azure.faults.clear()
    new = start()
    for name in (ASYNC, PLACE):
        assert httpx.URL(old[name]).params["api-version"] == "2019-03-01"
        assert httpx.URL(new[name]).params["api-version"] == "2025-04-01"


@sees("location_only")
def test_only_a_location_in_lower_case(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """202 while it goes on, 200 and empty when it is done; once, then both URLs."""
    azure.faults.arm("location_only")
    answer = arm.post(f"{vm_path}/start")
    assert (b"location", answer.headers[PLACE].encode()) in answer.headers.raw
    assert ASYNC not in answer.headers
    assert follow(arm, answer.headers[PLACE]).status_code == 202
    clock.advance(timedelta(minutes=1))
    done = follow(arm, answer.headers[PLACE])
    assert (done.status_code, done.content) == (200, b"")
    assert ASYNC in arm.post(f"{vm_path}/start").headers


@sees("no_operation_url")
def test_no_url_at_all(azure: LocalAzure, start: Callable[[], httpx.Headers]) -> None:
    """The start is taken all the same."""
    azure.faults.arm("no_operation_url")
    assert {ASYNC, PLACE}.isdisjoint(start())
    assert azure.vm.power is Power.STARTING
    assert {ASYNC, PLACE} <= set(start())


@sees("long_url")
def test_urls_of_four_kilobytes_lead_to_the_operation(
    azure: LocalAzure, arm: httpx.Client, start: Callable[[], httpx.Headers]
) -> None:
    """As long as Azure says they may be, to be followed as they are."""
    azure.faults.arm("long_url")
    headers = start()
    assert {len(headers[name]) for name in (ASYNC, PLACE)} == {4096}
    assert follow(arm, headers[ASYNC]).json()["status"] == "InProgress"
    assert len(start()[ASYNC]) < 400


@sees("done_at_once")
def test_a_write_is_done_at_once(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """200, no URL, no body, and the machine starts; a refusal stays one."""
    azure.faults.arm("done_at_once")
    answer = arm.post(f"{vm_path}/start")
    assert (answer.status_code, answer.content) == (200, b"")
    assert ASYNC not in answer.headers
    assert azure.vm.power is Power.STARTING
    assert arm.post(f"{vm_path}/start").status_code == 202
    azure.faults.arm("done_at_once")
    arm.post(f"{vm_path}/deallocate")
    azure.faults.arm("done_at_once")
    assert arm.post(f"{vm_path}/start").status_code == 409


@sees("long_wait")
def test_every_answer_asks_to_wait(
    azure: LocalAzure, arm: httpx.Client, start: Callable[[], httpx.Headers]
) -> None:
    """600 s on the 202 and on each poll; the usual waits when it is cleared."""
    azure.faults.arm("long_wait", times=None)
    headers = start()
    polls = [follow(arm, headers[ASYNC]).headers["retry-after"] for _ in range(2)]
    assert [headers["retry-after"], *polls] == ["600"] * 3
    azure.faults.clear()
    assert start()["retry-after"] == "10"
    assert "retry-after" not in follow(arm, headers[ASYNC]).headers


@sees("poll_other_status")
def test_another_word_for_in_progress(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """Any other status means that it goes on; the end is told as ever."""
    azure.faults.arm("poll_other_status", times=2)
    accepted = arm.post(f"{vm_path}/start")
    assert poll(arm, accepted)["status"] == "Updating"
    clock.advance(timedelta(minutes=1))
    assert poll(arm, accepted)["status"] == "Succeeded"
    assert azure.faults.armed == []


@sees("poll_nested_error")
def test_what_failed_stands_inside(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """The code of the deployment without, the one of the capacity within."""
    azure.faults.arm("poll_nested_error", times=2)
    azure.faults.arm("allocation_failed", code="ZonalAllocationFailed")
    accepted = arm.post(f"{vm_path}/start")
    assert "error" not in poll(arm, accepted)
    clock.advance(timedelta(minutes=1))
    error = poll(arm, accepted)["error"]
    assert error["code"] == "ResourceOperationFailure"
    assert [each["code"] for each in error["details"]] == ["ZonalAllocationFailed"]
    assert poll(arm, accepted)["error"]["code"] == "ZonalAllocationFailed"


def test_a_poll_of_nothing_is_not_found(arm: httpx.Client, azure: LocalAzure) -> None:
    """An id that Azure never gave out, or has forgotten."""
    scope = f"/subscriptions/{azure.subscription_id}/providers/Microsoft.Compute"
    answer = arm.get(f"{scope}/locations/eastus2/operations/nothing")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NotFound")
