"""Every fault by name: what it answers, whether the call was taken, how long."""

from datetime import timedelta

import httpx
import pytest

from local.azure import Kind, LocalAzure, Power
from local.clock import SharedClock

SECOND = timedelta(seconds=1)


def statuses(arm: httpx.Client, path: str) -> list[str]:
    view = arm.get(f"{path}/instanceView").json()
    return [status["code"] for status in view["statuses"]]


def power(azure: LocalAzure) -> Power:
    return azure.vm.power


def operation(arm: httpx.Client, answer: httpx.Response) -> httpx.Response:
    path = answer.headers["azure-asyncoperation"].partition("?")[0]
    return arm.get(path)


@pytest.mark.parametrize(
    ("name", "status", "code_and_words"),
    [
        ("conflict", 409, ("Conflict", "concurrent request")),
        ("quota", 409, ("OperationNotAllowed", "Cores quota")),
        ("sku_not_available", 409, ("SkuNotAvailable", "not available in location")),
        ("permission", 403, ("AuthorizationFailed", "does not have authorization")),
        ("disabled_subscription", 409, ("ReadOnlyDisabledSubscription", "read only")),
        ("scope_lock", 409, ("ScopeLocked", "are locked")),
        ("throttled_by_arm", 429, ("SubscriptionRequestsThrottled", "'306' seconds")),
        ("vm_not_found", 404, ("ResourceNotFound", "was not found")),
        ("subscription_not_found", 404, ("SubscriptionNotFound", "could not be found")),
    ],
)
def test_refusals_take_nothing(
    azure: LocalAzure,
    arm: httpx.Client,
    vm_path: str,
    name: str,
    status: int,
    code_and_words: tuple[str, str],
) -> None:
    """The call after an armed refusal fails, the machine stays, the next one works."""
    code, words = code_and_words
    azure.faults.arm(name, kinds=frozenset({Kind.VM_START}))
    refused = arm.post(f"{vm_path}/start")
    assert refused.status_code == status
    assert refused.json()["error"]["code"] == code
    assert words in refused.json()["error"]["message"]
    assert power(azure) is Power.DEALLOCATED
    assert arm.post(f"{vm_path}/start").status_code == 202


def test_compute_throttles_without_a_wrapper(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """Top-level code, TooManyRequests in the details, a wait that can be missing."""
    azure.faults.arm("throttled_by_compute")
    azure.faults.arm("throttled_by_compute", retry_after=None)
    first, second = (arm.post(f"{vm_path}/start") for _ in range(2))
    assert first.status_code == second.status_code == 429
    assert first.json()["code"] == "OperationNotAllowed"
    assert first.json()["details"][0]["code"] == "TooManyRequests"
    assert first.headers["retry-after"] == "1200"
    assert "retry-after" not in second.headers


def test_unavailable_has_an_empty_body(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """503 without a word, for as many calls as were armed."""
    azure.faults.arm("unavailable", times=2)
    answers = [arm.get(vm_path) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [503, 503, 200]
    assert answers[0].content == b""


def test_a_lost_answer_was_taken(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """The connection closes, the machine starts all the same."""
    azure.faults.arm("answer_lost")
    with pytest.raises(httpx.TransportError):
        arm.post(f"{vm_path}/start")
    assert power(azure) is Power.STARTING
    assert [entry.status for entry in azure.log.of(Kind.VM_START)] == [0]


def test_unreachable_takes_nothing(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """A reset before the call is taken, until it is cleared."""
    azure.faults.arm("unreachable", times=None)
    for _ in range(2):
        with pytest.raises(httpx.TransportError):
            arm.post(f"{vm_path}/start")
    azure.faults.clear("unreachable")
    assert arm.get(vm_path).status_code == 200
    assert power(azure) is Power.DEALLOCATED


def test_a_slow_answer_takes_real_seconds(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """A client with less patience gives up; others are answered meanwhile."""
    azure.faults.arm("slow", seconds=0.4)
    with pytest.raises(httpx.ReadTimeout):
        arm.get(vm_path, timeout=0.1)
    assert arm.get(vm_path, timeout=0.2).status_code == 200


def test_odd_instance_views(azure: LocalAzure, arm: httpx.Client, vm_path: str) -> None:
    """No power state, two of them, none at all, the power first."""
    succeeded = "ProvisioningState/succeeded"
    off, on = "PowerState/deallocated", "PowerState/running"
    for name in ("no_power_state", "two_power_states", "no_statuses", "power_first"):
        azure.faults.arm(name)
    assert statuses(arm, vm_path) == [succeeded]
    assert statuses(arm, vm_path) == [succeeded, off, on]
    assert statuses(arm, vm_path) == []
    assert statuses(arm, vm_path) == [off, succeeded]
    azure.faults.arm("no_power_state")
    body = arm.get(vm_path, params={"$expand": "instanceView"}).json()
    assert len(body["properties"]["instanceView"]["statuses"]) == 1


@pytest.mark.parametrize("code", ["AllocationFailed", "ZonalAllocationFailed"])
def test_capacity_is_seen_in_the_operation_alone(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str, code: str
) -> None:
    """202, then Failed in the operation and the provisioning state; nothing billed."""
    azure.faults.arm("allocation_failed", code=code)
    answer = arm.post(f"{vm_path}/start")
    assert answer.status_code == 202
    clock.advance(40 * SECOND)
    failed = operation(arm, answer)
    assert failed.status_code == 200
    assert failed.json()["status"] == "Failed"
    assert failed.json()["error"]["code"] == code
    assert statuses(arm, vm_path) == [
        f"ProvisioningState/failed/{code}",
        "PowerState/deallocated",
    ]
    assert azure.vm.billed_seconds() == 0


def test_a_failed_start_that_runs_later(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """OSProvisioningTimedOut beside running, and all of it is billed."""
    azure.faults.arm("os_provisioning_timed_out", after=60, runs_after=90)
    answer = arm.post(f"{vm_path}/start")
    clock.advance(90 * SECOND)
    assert operation(arm, answer).json()["error"]["code"] == "OSProvisioningTimedOut"
    assert statuses(arm, vm_path) == [
        "ProvisioningState/failed/OSProvisioningTimedOut",
        "PowerState/running",
    ]
    assert azure.vm.billed_seconds() == 90


def test_a_late_start_outlives_a_deallocate(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """VMStartTimedOut at 40 min, deallocated, and running at 52 min."""
    azure.faults.arm("start_timed_out")
    arm.post(f"{vm_path}/start")
    clock.advance(timedelta(minutes=41))
    arm.post(f"{vm_path}/deallocate")
    clock.advance(timedelta(minutes=10))
    assert power(azure) is Power.DEALLOCATED
    clock.advance(timedelta(minutes=1))
    assert power(azure) is Power.RUNNING


def test_a_stop_that_succeeds_while_the_machine_runs_on(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """The operation says Succeeded, the power and the bill say otherwise."""
    azure.vm.come_on()
    azure.faults.arm("stop_runs_on")
    answer = arm.post(f"{vm_path}/deallocate")
    clock.advance(60 * SECOND)
    assert operation(arm, answer).json()["status"] == "Succeeded"
    assert statuses(arm, vm_path)[1] == "PowerState/running"
    arm.post(f"{vm_path}/deallocate")
    clock.advance(60 * SECOND)
    assert azure.vm.billed_seconds() == 60


def test_preempted_and_endless(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """One start gives way to something newer, the next never ends but runs."""
    azure.faults.arm("start_preempted", after=20)
    azure.faults.arm("never_ends")
    first = arm.post(f"{vm_path}/start")
    clock.advance(30 * SECOND)
    assert operation(arm, first).json()["error"]["code"] == "OperationPreempted"
    assert power(azure) is Power.DEALLOCATED
    second = arm.post(f"{vm_path}/start")
    clock.advance(timedelta(hours=2))
    assert operation(arm, second).json()["status"] == "InProgress"
    assert power(azure) is Power.RUNNING


def test_polls_fail_in_three_ways(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """404, 403 and 500 for the operation's URL; the operation goes on."""
    answer = arm.post(f"{vm_path}/start")
    for name in ("poll_not_found", "poll_forbidden", "poll_error"):
        azure.faults.arm(name)
    found = [operation(arm, answer).status_code for _ in range(4)]
    assert found == [404, 403, 500, 200]


def test_force_alone_is_refused(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """A deallocate with `forceDeallocate` is 400 while a plain one is taken."""
    azure.vm.come_on()
    azure.faults.arm("force_refused", times=None)
    forced = arm.post(f"{vm_path}/deallocate", params={"forceDeallocate": "true"})
    assert forced.status_code == 400
    assert arm.post(f"{vm_path}/deallocate").status_code == 202


def test_a_fault_meets_whom_it_is_meant_for(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """By caller, by target, by kind; all others pass."""
    azure.faults.arm("conflict", times=None, caller="vm")
    azure.faults.arm("conflict", times=None, target="vm-other")
    azure.faults.arm("conflict", times=None, kinds=frozenset({Kind.VM_DEALLOCATE}))
    assert arm.post(f"{vm_path}/start").status_code == 202
    assert arm.post(f"{vm_path}/deallocate").status_code == 409
    assert [each.left for each in azure.faults.armed] == [None] * 3


def test_a_misspelt_fault_is_told(azure: LocalAzure) -> None:
    """An unknown name lists the known ones."""
    with pytest.raises(KeyError, match="allocation_failed"):
        azure.faults.arm("alocation_failed")
