"""What happens to the machine itself, at its own instant, and what that costs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx
import pytest

from local.azure import Kind, LocalAzure, Power
from local.clock import SharedClock
from local.tables import Faults
from local.wanted import wanted
from tests.local.faults_support import OFF, codes, each, said, sees

HOUR = timedelta(hours=1)
RUNS_FROM = 40


def seconds(count: float) -> timedelta:
    return timedelta(seconds=count)


@dataclass(frozen=True, kw_only=True)
class Row:
    """60 s after the machine ran (`at` = 100): the power then, at last, and the bill.

    `without` is what an hour costs when the fault is cleared before its time.
    """

    name: str
    then: Power
    at_last: Power
    billed: float
    starts: bool = True
    without: float = 3600
    parameters: Mapping[str, Any] = field(default_factory=dict)


DEALLOCATED, STOPPED = Power.DEALLOCATED, Power.STOPPED
EVENTS = [
    Row(name="shut_down_inside", then=Power.STOPPING, at_last=STOPPED, billed=3600),
    Row(name="rebooted", then=Power.RUNNING, at_last=Power.RUNNING, billed=3600),
    Row(name="host_moves", then=Power.RUNNING, at_last=Power.RUNNING, billed=3600),
    Row(name="evicted", then=DEALLOCATED, at_last=DEALLOCATED, billed=100),
    Row(
        name="subscription_disabled", then=DEALLOCATED, at_last=DEALLOCATED, billed=100
    ),
    Row(
        name="stopped_outside",
        then=Power.DEALLOCATING,
        at_last=DEALLOCATED,
        billed=100,
    ),
    Row(name="powered_off_outside", then=Power.STOPPING, at_last=STOPPED, billed=3600),
    Row(
        name="powered_off_while_off",
        starts=False,
        then=Power.STOPPING,
        at_last=STOPPED,
        billed=3540,
        without=0,
    ),
    Row(
        name="started_outside",
        starts=False,
        then=Power.STARTING,
        at_last=Power.RUNNING,
        billed=3540,
        without=0,
    ),
    Row(name="gone", then=DEALLOCATED, at_last=DEALLOCATED, billed=100),
]


@each(EVENTS)
def test_it_happens_at_its_own_instant_however_far_the_clock_jumps(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str, row: Row
) -> None:
    """In one jump of an hour the power is the last one and the bill is exact."""
    azure.faults.arm(row.name, after=60, **row.parameters)
    if row.starts:
        arm.post(f"{vm_path}/start")
    clock.advance(HOUR)
    assert (azure.vm.power, azure.vm.billed_seconds()) == (row.at_last, row.billed)


@each(EVENTS)
def test_it_happens_not_before_and_not_when_it_is_cleared(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str, row: Row
) -> None:
    """A second early there is nothing; then it is there; cleared before, it is not."""
    azure.faults.arm(row.name, after=60, **row.parameters)
    if row.starts:
        arm.post(f"{vm_path}/start")
        clock.advance(seconds(RUNS_FROM))
    before = azure.vm.power
    clock.advance(seconds(59))
    assert azure.vm.power is before
    azure.faults.clear()
    clock.advance(HOUR - seconds(99 if row.starts else 59))
    assert (azure.vm.power, azure.vm.billed_seconds()) == (before, row.without)
    assert arm.get(vm_path).status_code == 200


@each(EVENTS)
def test_it_is_seen_when_it_happens(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str, row: Row
) -> None:
    """The instance view says the power of that very second, or 404."""
    azure.faults.arm(row.name, after=60, **row.parameters)
    if row.starts:
        arm.post(f"{vm_path}/start")
        clock.advance(seconds(RUNS_FROM))
    clock.advance(seconds(60))
    shown = arm.get(f"{vm_path}/instanceView")
    assert azure.vm.power is row.then
    if row.name == "gone":
        assert shown.status_code == 404
        assert "ResourceNotFound" in said(shown)
    elif row.name == "started_outside":
        assert len(shown.json()["statuses"]) == 1
    else:
        assert shown.json()["statuses"][1]["code"] == f"PowerState/{row.then}"


def test_it_happens_once_and_counts_anew_when_the_machine_was_off(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """Stopped before its time, the next run has it, a minute after that began."""
    azure.faults.arm("evicted", after=60)
    for _ in range(2):
        arm.post(f"{vm_path}/start")
        clock.advance(seconds(70))
        assert azure.vm.power is Power.RUNNING
        arm.post(f"{vm_path}/deallocate")
        clock.advance(seconds(45))
    arm.post(f"{vm_path}/start")
    clock.advance(seconds(100))
    assert azure.vm.power is DEALLOCATED
    arm.post(f"{vm_path}/start")
    clock.advance(HOUR)
    assert azure.vm.power is Power.RUNNING


def test_other_people_are_in_the_log_and_azure_is_not(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """A portal's stop is an operation of the operator's; an eviction is nobody's."""
    azure.faults.arm("stopped_outside", after=60)
    arm.post(f"{vm_path}/start")
    clock.advance(HOUR)
    assert azure.vm.power is DEALLOCATED
    [stopped] = azure.log.of(Kind.VM_DEALLOCATE)
    assert (stopped.caller, stopped.status) == ("operator", 202)
    assert stopped.at == clock.now() - HOUR + seconds(100)
    azure.faults.arm("evicted", after=60)
    arm.post(f"{vm_path}/start")
    clock.advance(HOUR)
    assert azure.vm.power is DEALLOCATED
    assert len(azure.arm.operations.all) == 3


@sees("gone")
def test_what_is_gone_is_back_when_it_is_cleared(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """404 for every call of the machine; afterwards it is there, deallocated."""
    azure.faults.arm("gone", after=60)
    arm.post(f"{vm_path}/start")
    clock.advance(HOUR)
    answers = [arm.get(vm_path), arm.post(f"{vm_path}/start")]
    assert [each.status_code for each in answers] == [404, 404]
    azure.faults.clear()
    assert codes(arm, vm_path)[1] == "PowerState/deallocated"
    arm.post(f"{vm_path}/start")
    clock.advance(seconds(200))
    assert azure.vm.power is Power.RUNNING


@sees("subscription_disabled")
def test_a_disabled_subscription_reads_and_refuses_every_write(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """The guest's and the operator's stop too; all works when it is enabled again."""
    azure.faults.arm("subscription_disabled", after=60)
    arm.post(f"{vm_path}/start")
    clock.advance(HOUR)
    assert codes(arm, vm_path) == OFF
    for verb in ("start", "deallocate", "powerOff"):
        answer = arm.post(f"{vm_path}/{verb}")
        assert answer.status_code == 409
        assert "ReadOnlyDisabledSubscription" in said(answer)
    assert azure.vm.deallocate_outside().status == 409
    azure.faults.clear()
    assert arm.post(f"{vm_path}/start").status_code == 202


@sees("host_moves", "rebooted")
@pytest.mark.parametrize(
    ("fault", "same_boot", "uptime"),
    [
        ("host_moves", False, 10),
        ("host_moves:new_boot=false", True, 1610),
        ("rebooted", False, 10),
    ],
)
def test_a_guest_begins_anew_on_blank_disks(
    azure: LocalAzure,
    clock: SharedClock,
    fault: str,
    same_boot: bool,  # noqa: FBT001 - a column of the table
    uptime: int,
) -> None:
    """Ready, then from the first phase on, in this boot or another; ready again."""
    for wish in wanted(f"{fault}{',' if ':' in fault else ':'}after=1600"):
        wish.arm(azure.faults, Faults())
    azure.vm.start_outside()
    clock.advance(seconds(RUNS_FROM + 1500))
    first = beat(azure, clock)
    clock.advance(seconds(110))
    then = beat(azure, clock)
    assert (first["phase"], then["phase"]) == ("ready", "disk")
    assert (then["boot_id"] == first["boot_id"]) is same_boot
    assert then["uptime_s"] == uptime
    assert then["requests_running"] is then["idle_seconds"] is None
    clock.advance(seconds(50))
    assert beat(azure, clock)["phase"] == "weights"
    clock.advance(seconds(1440))
    assert beat(azure, clock)["phase"] == "ready"
    assert azure.vm.billed_seconds() == RUNS_FROM + 1600 + 1500


def beat(azure: LocalAzure, clock: SharedClock) -> dict[str, Any]:
    """What the guest would report now."""
    guest = azure.vm.guest
    assert azure.vm.power is Power.RUNNING
    assert guest.boot is not None
    return guest.heartbeat(guest.boot, clock.now())


def test_what_is_off_has_no_guest_to_shut_down_or_reboot(azure: LocalAzure) -> None:
    """Nothing happens to it, and nothing is billed."""
    azure.vm.shut_down_inside()
    azure.vm.reboot()
    azure.vm.move_host()
    assert (azure.vm.power, azure.vm.phase) == (DEALLOCATED, None)


def test_a_shutdown_does_not_outlive_a_deallocate(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """The machine is never `stopped` while it is being deallocated, nor billed."""
    azure.vm.come_on()
    clock.advance(seconds(60))
    azure.vm.shut_down_inside()
    clock.advance(seconds(5))
    arm.post(f"{vm_path}/deallocate")
    clock.advance(seconds(20))
    assert azure.vm.power is Power.DEALLOCATING
    clock.advance(HOUR)
    assert (azure.vm.power, azure.vm.billed_seconds()) == (DEALLOCATED, 65)


@sees("powered_off_while_off")
def test_a_power_off_of_what_is_off_is_billed_until_it_is_deallocated(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """Deallocated, stopped and billed, then deallocated and free."""
    azure.faults.arm("powered_off_while_off", after=60)
    clock.advance(HOUR)
    assert codes(arm, vm_path)[1] == "PowerState/stopped"
    arm.post(f"{vm_path}/deallocate")
    clock.advance(HOUR)
    assert (azure.vm.power, azure.vm.billed_seconds()) == (DEALLOCATED, 3540)


@sees("starting_is_free", "five_minutes_at_least")
@pytest.mark.parametrize(
    ("name", "billed"), [("starting_is_free", 80), ("five_minutes_at_least", 300)]
)
def test_azures_bill_can_be_read_otherwise(
    azure: LocalAzure,
    clock: SharedClock,
    arm: httpx.Client,
    vm_path: str,
    name: str,
    billed: float,
) -> None:
    """Two minutes from start to deallocate; by the usual reading when cleared."""
    azure.faults.arm(name)
    for expected in (billed, 120):
        before = azure.vm.billed_seconds()
        arm.post(f"{vm_path}/start")
        clock.advance(seconds(120))
        arm.post(f"{vm_path}/deallocate")
        clock.advance(HOUR)
        assert azure.vm.billed_seconds() - before == expected
        azure.faults.clear()
