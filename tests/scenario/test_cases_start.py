"""Starts that fail, late or at once, and come all the same (A01, A02, A03)."""

from decimal import Decimal
from typing import Any

import pytest

from local.azure import Kind
from tests.scenario.world import SHORT, World

CENT = Decimal("0.01")


def _costs_nothing(line: dict[str, object]) -> bool:
    return line["cost"] == "0.00" and line["billed_seconds"] == 0


def test_a01_left_alone_a_dead_start_that_boots_is_stopped_and_charged(
    world: World,
) -> None:
    """Failed at 20 minutes, running at 25 all the same: nothing of it goes unseen."""
    world.azure.faults.arm("os_provisioning_timed_out", stubborn=True)
    world.azure.vm.behave(beats=False)
    world.phone.post("/start")
    world.hop(19)
    assert world.phone.status()["state"] == "starting"
    world.minutes(2)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    failed = world.sessions()[0]
    assert failed["stop_reason"] == "start_failed"
    assert failed["problem"] == "OSProvisioningTimedOut"
    status = world.phone.status()
    assert status["state"] == "off"
    assert "Azure did not start it." in status["summary"]
    assert len(world.told("Azure did not start it.")) == 1
    world.minutes(5)
    assert world.sent(Kind.VM_DEALLOCATE) == 2
    world.until("off", most=5)
    late = world.sessions()[0]
    assert late["stop_reason"] == "late_start"
    assert late["started_by"] == "outside"
    assert "2026-11-30T10:24" <= late["billing_since"] <= "2026-11-30T10:25:00Z"
    assert len(world.told("has come late")) == 1
    assert len(world.told("It came on long after its start was given up.")) == 1
    assert world.sent(Kind.VM_START) == 1
    world.accounted()


@pytest.mark.parametrize("ticks", [True, False])
def test_a01_no_verdict_of_ours_refuses_a_stop(world: World, *, ticks: bool) -> None:
    """Running since 25, whether we believe it failed or saw nothing: stop is taken."""
    world.azure.faults.arm("os_provisioning_timed_out", stubborn=True)
    world.azure.vm.behave(beats=False)
    world.phone.post("/start")
    world.hop(19)
    world.minutes(3, ticks=ticks)
    world.minutes(4, ticks=False)
    before = world.sent(Kind.VM_DEALLOCATE)
    answer = world.phone.post("/stop")
    assert answer.status_code == 202
    assert answer.json()["state"] == "stopping"
    assert world.sent(Kind.VM_DEALLOCATE) == before + 1
    world.until("off", most=5)
    assert world.sessions()[0]["stop_reason"] == "user"
    assert world.sessions()[0]["stopped_by"] == "iphone"
    world.accounted()


@pytest.mark.parametrize(
    ("fault", "parameters"),
    [
        ("start_timed_out", {}),
        ("boots_late", {"minutes": 12, "after": 2400}),
    ],
)
def test_a02_one_deallocate_when_it_dies_and_one_when_it_comes(
    world: World, fault: str, parameters: dict[str, Any]
) -> None:
    """Failed at 40, running at 52, shown as starting or as deallocated until then."""
    world.azure.faults.arm(fault, **parameters)
    world.azure.vm.behave(beats=False)
    world.phone.post("/start")
    world.hop(39)
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.minutes(11)
    assert world.phone.status()["state"] == "off"
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    assert world.sessions()[0]["stop_reason"] == "start_failed"
    world.minutes(2)
    assert world.sent(Kind.VM_DEALLOCATE) == 2
    world.until("off", most=4)
    assert [line["stop_reason"] for line in world.sessions()] == [
        "late_start",
        "start_failed",
    ]
    status = world.phone.status()
    assert "It came on long after its start was given up." in status["summary"]
    assert world.told("has come late")
    world.hop(30)
    assert world.sent(Kind.VM_START) == 1
    assert world.sent(Kind.VM_DEALLOCATE) == 2
    world.accounted()


@pytest.mark.parametrize("slowly", [False, True])
def test_a02_a_new_start_at_45_is_not_taken_for_the_late_one(
    world: World, *, slowly: bool
) -> None:
    """It owns the machine, even where the old start is what brings it on at 52."""
    world.azure.faults.arm("start_timed_out")
    world.azure.vm.behave(takes=SHORT, ends_itself=False)
    world.phone.post("/start")
    world.hop(40)
    world.minutes(5)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    if slowly:
        world.azure.faults.arm("start_takes", seconds=1800)
    answer = world.phone.post("/start", {"minutes": 60})
    assert answer.status_code == 202
    session = answer.json()["session"]["id"]
    status = world.until("ready", most=15)
    assert status["session"]["id"] == session
    world.azure.vm.use(requests_running=1)
    world.hop(40)
    assert world.phone.status()["state"] == "ready"
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    assert world.sent(Kind.VM_START) == 2
    assert len(world.sessions()) == 2
    world.phone.post("/stop")
    world.until("off", most=4)
    world.accounted()


def test_a03_no_capacity_is_asked_for_again_a_few_times_and_costs_nothing(
    world: World,
) -> None:
    """Refused only in the operation: asked again after 1, 2, 4, 8... minutes."""
    code = "ZonalAllocationFailed"
    world.azure.faults.arm("allocation_failed", times=None, code=code)
    assert world.phone.post("/start").status_code == 202
    world.minutes(1)
    status = world.phone.status()
    assert status["state"] == "waiting_for_capacity"
    assert status["billing"] is False
    assert "Waiting for a free machine in Azure" in status["summary"]
    remaining = Decimal(status["budget"]["remaining"])
    world.minutes(30)
    status = world.phone.status()
    assert status["state"] == "off"
    assert "Azure had no such machine free." in status["summary"]
    line = world.sessions()[0]
    assert line["stop_reason"] == "no_capacity"
    assert line["problem"] == code
    assert _costs_nothing(line)
    assert abs(Decimal(status["budget"]["remaining"]) - remaining) <= CENT
    assert world.sent(Kind.VM_START) == 6
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    assert len(world.told("no such machine free")) == 1
    world.azure.faults.clear()
    assert world.phone.post("/start").status_code == 202
    assert world.sent(Kind.VM_START) == 7


def test_a03_the_hunt_for_capacity_can_be_cancelled(world: World) -> None:
    """Stop while waiting: off at once, free, nothing asked any more, a start works."""
    world.azure.faults.arm("allocation_failed", times=None)
    world.phone.post("/start")
    world.minutes(1)
    answer = world.phone.post("/stop")
    assert answer.status_code == 200
    assert answer.json()["state"] == "off"
    world.minutes(5)
    assert world.sent(Kind.VM_START) == 1
    line = world.sessions()[0]
    assert line["stop_reason"] == "user"
    assert _costs_nothing(line)
    world.azure.faults.clear()
    assert world.phone.post("/start").status_code == 202


def test_a03_an_operation_that_vanishes_is_judged_by_the_machine(world: World) -> None:
    """InProgress for 5 minutes, then 404: what the view says of the start counts."""
    world.azure.faults.arm(
        "allocation_failed", times=None, code="ZonalAllocationFailed", after=300
    )
    world.phone.post("/start")
    world.minutes(2)
    assert world.phone.status()["state"] == "starting"
    world.azure.faults.arm("poll_not_found", times=None)
    world.minutes(2)
    assert world.phone.status()["state"] == "starting"
    world.minutes(1)
    assert world.phone.status()["state"] == "waiting_for_capacity"
    assert world.sent(Kind.VM_START) == 1
    assert world.phone.post("/stop").json()["state"] == "off"
    line = world.sessions()[0]
    assert line["problem"] == "ZonalAllocationFailed"
    assert _costs_nothing(line)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("sku_not_available", "does not offer this machine size"),
        ("quota", "quota does not allow"),
        ("permission", "does not let the switch start"),
        ("disabled_subscription", "subscription is disabled"),
        ("scope_lock", "lock in Azure forbids"),
    ],
)
def test_a03_a_cause_that_waiting_does_not_mend_is_said_at_once(
    world: World, fault: str, words: str
) -> None:
    """503 start-failed with the cause in words; nothing is left open or billed."""
    world.azure.faults.arm(fault)
    answer = world.phone.post("/start")
    assert answer.status_code == 503
    assert answer.json()["type"] == "/problems/start-failed"
    assert words in answer.json()["detail"]
    line = world.sessions()[0]
    assert line["stop_reason"] == "start_failed"
    assert line["problem"] == answer.json()["cause"] != ""
    assert _costs_nothing(line)
    status = world.phone.status()
    assert status["state"] == "off"
    assert words in status["summary"]
    world.minutes(3)
    assert world.sent(Kind.VM_START) == 1
    assert world.phone.post("/start").status_code == 202


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("SkuNotAvailable", "does not offer this machine size"),
        ("QuotaExceeded", "quota does not allow"),
    ],
)
def test_a03_such_a_cause_that_only_the_operation_shows_ends_it_too(
    world: World, code: str, words: str
) -> None:
    """Accepted, then failed: start_failed with the code, free, and the slot is too."""
    world.azure.faults.arm("start_fails", code=code, after=40)
    assert world.phone.post("/start").status_code == 202
    world.minutes(1)
    status = world.phone.status()
    assert status["state"] == "off"
    assert words in status["summary"]
    line = world.sessions()[0]
    assert (line["stop_reason"], line["problem"]) == ("start_failed", code)
    assert _costs_nothing(line)
    assert len(world.told(words)) == 1
    world.minutes(3)
    assert world.sent(Kind.VM_START) == 1
    assert world.phone.post("/start").status_code == 202
