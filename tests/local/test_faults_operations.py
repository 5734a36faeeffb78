"""An accepted operation that takes another course, told as a timeline of each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx
import pytest

from local.azure import LocalAzure, Power
from local.clock import SharedClock
from tests.local.faults_support import codes, each, poll, sees

GOES, DONE, FAILED = "InProgress", "Succeeded", "Failed"
STARTING, RUNNING = Power.STARTING, Power.RUNNING
STOPPED, OFF = Power.STOPPED, Power.DEALLOCATED
MINUTE, HOUR = 60, 3600

type At = tuple[float, Power, str, float]
type Late = tuple[str, int, int | None]


@dataclass(frozen=True, kw_only=True)
class Row:
    """After so many seconds: the true power, the operation's status, what is billed."""

    name: str
    course: tuple[At, ...]
    code: str | None = None
    words: str = ""
    verb: str = "start"
    parameters: Mapping[str, Any] = field(default_factory=dict)


def no_capacity(code: str, words: str) -> Row:
    return Row(
        name="allocation_failed",
        parameters={"code": code},
        course=((39, OFF, GOES, 0), (40, OFF, FAILED, 0), (4 * HOUR, OFF, FAILED, 0)),
        code=code,
        words=words,
    )


COURSES = [
    no_capacity("AllocationFailed", "sufficient capacity for the requested VM size in"),
    no_capacity("ZonalAllocationFailed", "VM size in this zone."),
    no_capacity("OverconstrainedAllocationRequest", "  - Networking Constraints\n"),
    no_capacity("OverconstrainedZonalAllocationRequest", "  - Availability Zone\n"),
    no_capacity("OverConstrainedAllocationRequest", "not currently available in the"),
    Row(
        name="allocation_failed",
        parameters={"shows_starting": True, "after": 90},
        course=((89, STARTING, GOES, 89), (90, OFF, FAILED, 90)),
        code="AllocationFailed",
    ),
    Row(
        name="start_fails",
        course=((89, STARTING, GOES, 89), (90, OFF, FAILED, 90)),
        code="FabricInternalOperationError",
        words="An internal error occurred.",
    ),
    Row(
        name="start_fails",
        parameters={"leaves": "stopped", "code": "OutOfTimeBudgetException"},
        course=(
            (89, STARTING, GOES, 89),
            (90, STOPPED, FAILED, 90),
            (HOUR, STOPPED, FAILED, HOUR),
        ),
        code="OutOfTimeBudgetException",
    ),
    Row(
        name="start_fails",
        parameters={"status": "Canceled", "after": HOUR},
        course=((HOUR - 1, STARTING, GOES, HOUR - 1), (HOUR, OFF, "Canceled", HOUR)),
        code="FabricInternalOperationError",
    ),
    Row(
        name="os_provisioning_timed_out",
        course=(
            (20 * MINUTE - 1, STARTING, GOES, 20 * MINUTE - 1),
            (20 * MINUTE, STARTING, FAILED, 20 * MINUTE),
            (25 * MINUTE, RUNNING, FAILED, 25 * MINUTE),
        ),
        code="OSProvisioningTimedOut",
        words="OS Provisioning for VM 'vm-kimi-01' did not finish in the allotted",
    ),
    Row(
        name="start_timed_out",
        course=(
            (40 * MINUTE, STARTING, FAILED, 40 * MINUTE),
            (52 * MINUTE, RUNNING, FAILED, 52 * MINUTE),
        ),
        code="VMStartTimedOut",
        words="VM 'vm-kimi-01' did not start in the allotted time.",
    ),
    Row(
        name="boots_late",
        course=(
            (20 * MINUTE - 1, OFF, GOES, 0),
            (20 * MINUTE, OFF, FAILED, 0),
            (70 * MINUTE - 1, OFF, FAILED, 0),
            (71 * MINUTE, RUNNING, FAILED, MINUTE),
        ),
        code="VMStartTimedOut",
    ),
    Row(
        name="boots_late",
        parameters={"minutes": 20, "shows": "starting"},
        course=(
            (20 * MINUTE, STARTING, FAILED, 20 * MINUTE),
            (40 * MINUTE, RUNNING, FAILED, 40 * MINUTE),
        ),
        code="VMStartTimedOut",
    ),
    Row(
        name="extension_failed",
        course=((40, RUNNING, GOES, 40), (300, RUNNING, FAILED, 300)),
        code="VMExtensionProvisioningError",
        words="processing extension 'AzureMonitorLinuxAgent'",
    ),
    Row(
        name="extension_failed",
        parameters={"code": "VMAgentStatusCommunicationError", "after": 50},
        course=((50, RUNNING, FAILED, 50),),
        code="VMAgentStatusCommunicationError",
        words="VM 'vm-kimi-01' has not reported status for VM agent or extensions.",
    ),
    Row(
        name="start_preempted",
        course=(
            (19, STARTING, GOES, 19),
            (20, OFF, FAILED, 20),
            (HOUR, OFF, FAILED, 20),
        ),
        code="OperationPreempted",
        words="preempted by a more recent operation.",
    ),
    Row(
        name="start_preempted",
        parameters={"status": "Canceled", "after": 5},
        course=((5, OFF, "Canceled", 5),),
        code="OperationPreempted",
    ),
    Row(
        name="never_ends",
        course=(
            (39, STARTING, GOES, 39),
            (40, RUNNING, GOES, 40),
            (9 * HOUR, RUNNING, GOES, 9 * HOUR),
        ),
    ),
    Row(
        name="never_ends",
        parameters={"verb": "deallocate"},
        verb="deallocate",
        course=((45, OFF, GOES, 0), (9 * HOUR, OFF, GOES, 0)),
    ),
    Row(
        name="lingers",
        course=(
            (40, RUNNING, GOES, 40),
            (90 * MINUTE - 1, RUNNING, GOES, 90 * MINUTE - 1),
            (90 * MINUTE, RUNNING, DONE, 90 * MINUTE),
        ),
    ),
    Row(
        name="lingers",
        parameters={"verb": "deallocate", "minutes": 30},
        verb="deallocate",
        course=((45, OFF, GOES, 0), (30 * MINUTE, OFF, DONE, 0)),
    ),
    Row(
        name="start_takes",
        course=(
            (30 * MINUTE - 1, STARTING, GOES, 30 * MINUTE - 1),
            (30 * MINUTE, RUNNING, DONE, 30 * MINUTE),
        ),
    ),
    Row(
        name="starts_as_stopped",
        course=((39, STOPPED, GOES, 39), (40, RUNNING, DONE, 40)),
    ),
    Row(
        name="stop_takes",
        verb="deallocate",
        course=(
            (20 * MINUTE - 1, Power.DEALLOCATING, GOES, 0),
            (20 * MINUTE, OFF, DONE, 0),
        ),
    ),
    Row(
        name="stop_runs_on",
        verb="deallocate",
        course=(
            (44, RUNNING, GOES, 44),
            (45, RUNNING, DONE, 45),
            (HOUR, RUNNING, DONE, HOUR),
        ),
    ),
    Row(
        name="stop_fails",
        verb="deallocate",
        course=(
            (29, RUNNING, GOES, 29),
            (30, RUNNING, FAILED, 30),
            (HOUR, RUNNING, FAILED, HOUR),
        ),
        code="InternalOperationError",
    ),
]


def send(arm: httpx.Client, path: str, verb: str) -> httpx.Response:
    answer = arm.post(f"{path}/{verb}")
    assert (answer.status_code, answer.content) == (202, b"")
    return answer


@each(COURSES)
def test_an_operation_takes_the_course_that_was_armed(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str, row: Row
) -> None:
    """202, then power, status, code and bill at each instant; once, then as usual."""
    if row.verb == "deallocate":
        azure.vm.come_on()
    azure.faults.arm(row.name, **row.parameters)
    accepted, start = send(arm, vm_path, row.verb), clock.now()
    for seconds, power, status, billed in row.course:
        clock.set(start + timedelta(seconds=seconds))
        body = poll(arm, accepted)
        assert (azure.vm.power, body["status"]) == (power, status), seconds
        assert azure.vm.billed_seconds() == billed
        assert ("endTime" in body) is (status != GOES)
    error = poll(arm, accepted).get("error", {})
    assert error.get("code") == row.code
    assert row.words in error.get("message", "")
    if row.code:
        assert codes(arm, vm_path)[0] == f"ProvisioningState/failed/{row.code}"
    assert azure.faults.armed == []
    go_as_usual(azure, clock, arm, vm_path, last=row.verb)


USUAL = [("deallocate", OFF), ("start", RUNNING)]


def go_as_usual(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, path: str, *, last: str
) -> None:
    """The next operations, the opposite first, are not the fault's any more."""
    for verb, power in sorted(USUAL, key=lambda usual: usual[0] == last):
        accepted = send(arm, path, verb)
        clock.advance(timedelta(seconds=45))
        assert (azure.vm.power, poll(arm, accepted)["status"]) == (power, DONE)


def test_an_operation_fault_holds_until_it_is_cleared(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """Every start fails, whoever asks for it; then none."""
    azure.faults.arm("allocation_failed", times=None, after=1)
    for _ in range(3):
        accepted = send(arm, vm_path, "start")
        clock.advance(timedelta(seconds=1))
        assert poll(arm, accepted)["status"] == FAILED
    azure.faults.clear("allocation_failed")
    go_as_usual(azure, clock, arm, vm_path, last="start")


@sees("start_timed_out", "boots_late", "os_provisioning_timed_out")
@pytest.mark.parametrize(
    "late",
    [
        ("start_timed_out", 41, 52),
        ("boots_late", 41, 70),
        ("os_provisioning_timed_out", 22, None),
    ],
)
def test_a_dead_start_outlives_a_deallocate_where_it_is_stubborn(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str, late: Late
) -> None:
    """Stopped after it was declared dead, and running, and billed, after that."""
    name, stop, boots = late
    azure.faults.arm(name)
    send(arm, vm_path, "start")
    clock.advance(timedelta(minutes=stop))
    before = azure.vm.billed_seconds()
    send(arm, vm_path, "deallocate")
    clock.advance(timedelta(minutes=2))
    assert azure.vm.power is OFF
    clock.advance(timedelta(minutes=100 - 2 - stop))
    assert azure.vm.power is (RUNNING if boots else OFF)
    ran = (100 - boots) * MINUTE if boots else 0
    assert azure.vm.billed_seconds() == before + ran


@sees("start_timed_out")
def test_a_machine_that_was_deleted_does_not_boot_late(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """Nothing is left that could run or be billed."""
    azure.faults.arm("start_timed_out")
    send(arm, vm_path, "start")
    clock.advance(timedelta(minutes=41))
    azure.vm.remove()
    clock.advance(timedelta(hours=1))
    assert (azure.vm.power, azure.vm.billed_seconds()) == (OFF, 41 * MINUTE)


@sees("never_ends")
def test_a_start_that_hangs_does_not_swallow_the_next(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """It is joined while it may arrive; once the machine is off, a start starts."""
    azure.faults.arm("never_ends")
    first, second = (send(arm, vm_path, "start") for _ in range(2))
    clock.advance(timedelta(minutes=5))
    assert {poll(arm, each)["status"] for each in (first, second)} == {GOES}
    azure.vm.evict()
    third = send(arm, vm_path, "start")
    clock.advance(timedelta(seconds=40))
    assert azure.vm.power is RUNNING
    assert poll(arm, third)["status"] == DONE
    assert poll(arm, first)["error"]["code"] == "OperationPreempted"


def test_joined_operations_end_together(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """Three starts are one course, billed once; they fail as one, too."""
    azure.faults.arm("allocation_failed", after=30, shows_starting=True)
    azure.faults.arm("os_provisioning_timed_out", after=60, runs_after=60)
    send(arm, vm_path, "start")
    clock.advance(timedelta(seconds=30))
    three = [send(arm, vm_path, "start") for _ in range(3)]
    clock.advance(timedelta(seconds=60))
    bodies = [poll(arm, accepted) for accepted in three]
    assert {body["error"]["code"] for body in bodies} == {"OSProvisioningTimedOut"}
    assert len({body["endTime"] for body in bodies}) == 1
    assert azure.vm.billed_seconds() == 90
