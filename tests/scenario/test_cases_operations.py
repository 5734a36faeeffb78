"""Operations that are overtaken, collide or never end (A05, A15)."""

import time

import pytest

from local.azure import Kind, Phase
from tests.scenario.world import SHORT, World

STOPS = frozenset({Kind.VM_DEALLOCATE})


def test_a05_the_guest_deallocates_while_our_start_is_open(world: World) -> None:
    """The start ends as preempted: closed with the guest's reason, asked no more."""
    world.azure.faults.arm("never_ends")
    world.azure.vm.behave(
        takes=SHORT, fixed=Phase.BROKEN, gives_up_after=4 * SHORT[Phase.DISK]
    )
    world.phone.post("/start")
    world.minutes(1)
    assert world.phone.status()["problem"] == "broken"
    world.until("off", most=6)
    assert world.sent(Kind.VM_DEALLOCATE, caller="vm") == 1
    assert [each.status for each in world.azure.arm.operations.all] == [
        "Failed",
        "Succeeded",
    ]
    line = world.sessions()[0]
    assert line["stop_reason"] == "broken"
    assert line["problem"] is None
    assert world.phone.status()["problem"] is None
    world.hop(20)
    assert world.sent(Kind.VM_START) == 1
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.accounted()


@pytest.mark.parametrize("status", ["Failed", "Canceled"])
def test_a05_a_start_that_was_overtaken_before_it_came_is_no_error(
    world: World, status: str
) -> None:
    """Preempted while off: read again, closed as done by others, no new start."""
    world.azure.faults.arm("start_preempted", status=status)
    world.phone.post("/start")
    world.until("off", most=6)
    line = world.sessions()[0]
    assert line["stop_reason"] == "outside"
    assert line["problem"] is None
    assert not world.told("may still bill")
    world.minutes(3)
    assert world.sent(Kind.VM_START) == 1
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    assert world.phone.post("/start").status_code == 202
    assert world.until("loading", most=3)


def test_a05_a_stop_that_meets_a_conflict_three_times_is_sent_a_fourth(
    world: World,
) -> None:
    """409 on 3 ticks running: once a tick, open until it is off; no tag is written."""
    world.ready()
    world.azure.vm.behave(beats=False)
    world.azure.faults.arm("conflict", times=3, kinds=STOPS)
    assert world.phone.post("/stop").status_code == 202
    for tick in (2, 3, 4):
        assert world.phone.status()["state"] == "stopping"
        assert world.sessions()[0]["ended_at"] is None
        world.minutes(1)
        assert world.sent(Kind.VM_DEALLOCATE) == tick
    world.until("off", most=3)
    assert world.sent(Kind.VM_DEALLOCATE) == 4
    assert world.sessions()[0]["stop_reason"] == "user"
    world.accounted()
    methods = {each.method for each in world.azure.log.seen if each.service == "arm"}
    assert methods == {"GET", "POST"}


def test_a15_an_operation_that_never_ends_holds_nobody(world: World) -> None:
    """InProgress for ever, `Retry-After: 600`: one look a tick, a stop goes at once."""
    world.azure.faults.arm("start_takes", seconds=360_000)
    world.azure.faults.arm("long_wait", times=None)
    began = time.monotonic()
    assert world.phone.post("/start").status_code == 202
    assert time.monotonic() - began < 5
    assert world.sent(Kind.POLL) == 0
    for tick in (1, 2, 3):
        began = time.monotonic()
        world.minutes(1)
        assert time.monotonic() - began < 5
        assert world.sent(Kind.POLL) == tick
    assert world.phone.status()["state"] == "starting"
    began = time.monotonic()
    assert world.phone.post("/stop").status_code == 202
    assert time.monotonic() - began < 5
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=4)
    assert world.sessions()[0]["stop_reason"] == "user"
    world.accounted()


def test_a15_our_own_deadline_ends_an_operation_that_never_does(world: World) -> None:
    """Left alone: 75 minutes after the start it is deallocated, and all is charged."""
    world.azure.faults.arm("start_takes", seconds=360_000)
    world.azure.faults.arm("long_wait", times=None)
    world.phone.post("/start")
    world.hop(74)
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    assert world.sent(Kind.VM_START) == 1
    world.until("off", most=4)
    line = world.sessions()[0]
    assert line["stop_reason"] == "never_ready"
    assert line["billed_seconds"] >= 75 * 60
    assert "The model was not ready in time." in world.phone.status()["summary"]
    world.accounted()


def test_a15_a_machine_serves_while_its_start_is_still_open(world: World) -> None:
    """The power and the heartbeats say that it is there: ready, until its deadline."""
    world.azure.faults.arm("never_ends")
    status = world.ready(minutes=30)
    assert status["session"]["limited_by"] == "asked"
    world.hop(26)
    assert world.phone.status()["state"] == "ready"
    world.minutes(2)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=4)
    assert world.sessions()[0]["stop_reason"] == "asked"
    world.accounted()
