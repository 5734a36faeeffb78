"""An operation that comes while its opposite is under way: every answer that may be."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import httpx
import pytest

from local.azure import LocalAzure, Power, Verb
from local.clock import SharedClock
from tests.local.faults_support import RUNNING, codes, poll, said, sees

HOUR = timedelta(hours=1)
RUNS_FROM = 40
DEALLOCATED = Power.DEALLOCATED


def seconds(count: float) -> timedelta:
    return timedelta(seconds=count)


REFUSES = {
    "not_allowed": "changing power state of Virtual Machine vm-kimi-01 to {}",
    "other_operation": "since another operation is in progress.",
    "marked": "either deallocated or marked to be deallocated.",
    "conflict": "conflict with a concurrent request",
}
DOES = {
    # answer: the first's end, the later's end, the power 50 s later, and at last
    "preempts": ("OperationPreempted", "Succeeded", "later", "later"),
    "is_preempted": ("Succeeded", "OperationPreempted", "first", "first"),
    "waits": ("Succeeded", "Succeeded", "going", "later"),
}
POWER = {"start": Power.RUNNING, "deallocate": DEALLOCATED}
GOING = {"start": Power.STARTING, "deallocate": Power.DEALLOCATING}


def under_way(
    azure: LocalAzure, arm: httpx.Client, path: str, later: str
) -> httpx.Response:
    """The opposite of a later operation has just begun."""
    if later == "start":
        azure.vm.come_on()
    first = "deallocate" if later == "start" else "start"
    return arm.post(f"{path}/{first}")


@sees("while_busy")
@pytest.mark.parametrize("later", ["start", "deallocate"])
@pytest.mark.parametrize("answer", REFUSES)
def test_an_operation_is_refused_while_its_opposite_is_under_way(
    azure: LocalAzure, arm: httpx.Client, vm_path: str, later: str, answer: str
) -> None:
    """409 in each wording, the machine goes on; cleared, it is as it was."""
    under_way(azure, arm, vm_path, later)
    before = azure.arm.while_busy.copy()
    azure.faults.arm("while_busy", verb=later, answer=answer)
    refused = arm.post(f"{vm_path}/{later}")
    assert refused.status_code == 409
    reaching = "deallocated" if later == "start" else "running"
    assert REFUSES[answer].format(reaching) in said(refused)
    assert azure.vm.power is GOING["deallocate" if later == "start" else "start"]
    assert len(azure.arm.operations.all) == 1
    azure.faults.clear()
    assert azure.arm.while_busy == before


@sees("while_busy")
@pytest.mark.parametrize("later", ["start", "deallocate"])
@pytest.mark.parametrize("answer", DOES)
def test_an_operation_is_taken_while_its_opposite_is_under_way(
    azure: LocalAzure,
    clock: SharedClock,
    arm: httpx.Client,
    vm_path: str,
    answer: str,
    later: str,
) -> None:
    """One gives way to the other, or waits for its end; both are told as they end."""
    first = under_way(azure, arm, vm_path, later)
    azure.faults.arm("while_busy", verb=later, answer=answer)
    second = arm.post(f"{vm_path}/{later}")
    assert second.status_code == 202
    opposite = "deallocate" if later == "start" else "start"
    ends = {"later": POWER[later], "first": POWER[opposite], "going": GOING[later]}
    first_ends, second_ends, soon, at_last = DOES[answer]
    clock.advance(seconds(50))
    assert azure.vm.power is ends[soon]
    clock.advance(seconds(50))
    assert azure.vm.power is ends[at_last]
    assert outcome(poll(arm, first)) == first_ends
    assert outcome(poll(arm, second)) == second_ends


def outcome(body: Mapping[str, Any]) -> str:
    return str(body["error"]["code"] if "error" in body else body["status"])


@sees("while_busy")
def test_what_waits_begins_when_the_first_ends(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """Not before, in one jump too; it has what was armed for it, and is billed so."""
    azure.vm.come_on()
    azure.faults.arm("while_busy", answer="waits")
    azure.faults.arm("start_takes", seconds=100)
    arm.post(f"{vm_path}/deallocate")
    starts = [arm.post(f"{vm_path}/start") for _ in range(2)]
    clock.advance(seconds(44))
    assert azure.vm.power is Power.DEALLOCATING
    assert {poll(arm, each)["status"] for each in starts} == {"InProgress"}
    clock.advance(HOUR)
    ended = {poll(arm, each)["endTime"] for each in starts}
    assert ended == {"2026-11-30T10:02:25.0000000+00:00"}
    assert azure.vm.billed_seconds() == HOUR.total_seconds() - 1


@sees("while_busy")
def test_a_newer_stop_takes_the_place_of_a_start_that_waits(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """The start never begins and says so; where stops wait as well, they come last."""
    azure.vm.come_on()
    azure.faults.arm("while_busy", answer="waits")
    arm.post(f"{vm_path}/deallocate")
    start = arm.post(f"{vm_path}/start")
    stop = arm.post(f"{vm_path}/deallocate")
    clock.advance(HOUR)
    assert (azure.vm.power, azure.vm.billed_seconds()) == (DEALLOCATED, 0)
    assert outcome(poll(arm, start)) == "OperationPreempted"
    assert outcome(poll(arm, stop)) == "Succeeded"
    azure.faults.arm("while_busy", verb=Verb.DEALLOCATE, answer="waits")
    azure.vm.come_on()
    for verb in ("deallocate", "start", "deallocate"):
        arm.post(f"{vm_path}/{verb}")
    clock.advance(seconds(60))
    assert azure.vm.power is Power.STARTING
    clock.advance(HOUR)
    assert (azure.vm.power, azure.vm.billed_seconds()) == (DEALLOCATED, RUNS_FROM)


def test_a_machine_that_is_deleted_ends_what_waits(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """Nothing stays InProgress, nothing begins; there again, it works as before."""
    azure.vm.come_on()
    azure.faults.arm("while_busy", answer="waits")
    both = [arm.post(f"{vm_path}/{verb}") for verb in ("deallocate", "start")]
    azure.vm.remove()
    clock.advance(HOUR)
    assert {outcome(poll(arm, each)) for each in both} == {"OperationPreempted"}
    azure.vm.restore()
    assert azure.vm.power is DEALLOCATED
    azure.vm.come_on()
    assert codes(arm, vm_path)[1:] == RUNNING[1:]
