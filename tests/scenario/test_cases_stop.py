"""Stops that do not stop, and what must never be sent (A06, A07, A14)."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from local.azure import Kind, Power
from tests.scenario.world import World

ROOT = Path(__file__).parents[2]
STOPS = frozenset({Kind.VM_DEALLOCATE})


def _power(world: World) -> Power:
    return world.azure.vm.power


def test_a06_the_product_has_no_power_off_at_all() -> None:
    """On a deallocated machine it would begin a bill; only comments may name it."""
    files = [*(ROOT / "control").rglob("*.py"), ROOT / "function_app.py"]
    assert len(files) > 50
    for word in ("poweroff", "power_off", "begin_power"):
        assert [f for f in files if word in f.read_text().lower()] == []


def test_a06_stop_on_a_deallocated_machine_does_nothing(world: World) -> None:
    """Pressed three times: 200, nothing is sent, it stays deallocated and free."""
    for _ in range(3):
        answer = world.phone.post("/stop")
        assert answer.status_code == 200
        assert answer.json()["state"] == "off"
        world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == world.sent(Kind.VM_POWER_OFF) == 0
    assert world.azure.vm.power is Power.DEALLOCATED
    assert world.azure.vm.billed_seconds() == 0
    assert world.sessions() == []


def test_a06_powered_off_in_the_portal_it_bills_and_stop_ends_that(
    world: World,
) -> None:
    """`powerOff` makes a deallocated machine a billed one; three stops send one."""
    world.azure.vm.power_off_outside()
    world.minutes(1, ticks=False)
    assert _power(world) is Power.STOPPED
    assert world.azure.vm.billed_seconds() > 0
    for _ in range(3):
        assert world.phone.post("/stop").status_code == 202
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=3)
    assert _power(world) is Power.DEALLOCATED
    line = world.sessions()[0]
    assert (line["stop_reason"], line["stopped_by"]) == ("user", "iphone")
    world.accounted()


def _shut_down(world: World) -> None:
    world.azure.vm.shut_down_inside()
    world.clock.advance(timedelta(seconds=30))
    world.azure.settle()
    assert world.azure.vm.power is Power.STOPPED


@pytest.mark.parametrize("looks", [True, False])
def test_a07_shut_down_from_inside_bills_until_one_tick_ends_it(
    world: World, *, looks: bool
) -> None:
    """Inside its allowed time, 10 minutes on: still charged, and gone with a tick."""
    before = world.ready()
    world.minutes(10)
    _shut_down(world)
    if looks:
        status = world.phone.status()
        assert status["state"] == "stopped_but_billing"
        assert status["billing"] is True
        assert "Shut down but still billed" in status["summary"]
        assert Decimal(status["session"]["cost"]) > Decimal(before["session"]["cost"])
    else:
        world.tick()
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    assert world.sessions()[0]["ended_at"] is None
    world.until("off", most=3)
    line = world.sessions()[0]
    assert line["stop_reason"] == "guest_shutdown"
    [stretch] = world.azure.vm.machine.meter.stretches
    assert stretch.until is not None
    assert line["ended_at"] >= f"{stretch.until:%Y-%m-%dT%H:%M:%SZ}"
    assert world.told("shut down from inside")
    world.accounted()


@pytest.mark.parametrize("how", ["portal", "guest"])
def test_a07_stopped_without_any_session_is_gone_within_one_tick(
    world: World, how: str
) -> None:
    """Found stopped while nobody looked: adopted and deallocated in the same run."""
    if how == "guest":
        world.azure.vm.start_outside()
        world.minutes(3, ticks=False)
        _shut_down(world)
    else:
        world.azure.vm.power_off_outside()
        world.minutes(1, ticks=False)
    world.tick()
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    assert world.phone.status()["state"] in {"stopped_but_billing", "stopping"}
    world.until("off", most=3)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    [line] = world.sessions()
    assert (line["stop_reason"], line["started_by"]) == ("guest_shutdown", "outside")
    world.accounted()


FAILURES: list[Any] = [
    pytest.param("unreachable", STOPS, id="connection-reset"),
    pytest.param("stop_runs_on", None, id="succeeds-and-runs-on"),
    pytest.param("permission", STOPS, id="role-lost"),
    pytest.param("done_at_once", None, id="runs-on-without-an-operation"),
]


@pytest.mark.parametrize(("fault", "kinds"), FAILURES)
def test_a14_a_stop_is_finished_only_when_deallocated_was_read(
    world: World, fault: str, kinds: frozenset[Kind] | None
) -> None:
    """One POST a tick, the session open and charged, alarms; then it is off."""
    world.ready()
    world.hop(8)
    if fault == "done_at_once":
        world.azure.faults.arm("stop_runs_on", times=None)
    world.azure.faults.arm(fault, times=None, kinds=kinds)
    answer = world.phone.post("/stop")
    assert answer.status_code == 202
    assert answer.json()["state"] == "stopping"
    cost = Decimal(0)
    for tick in (1, 2, 3, 4):
        assert world.sent(Kind.VM_DEALLOCATE) == tick
        line = world.sessions()[0]
        assert line["ended_at"] is None
        assert line["stop_requested_at"] == "2026-11-30T10:10:00Z"
        assert Decimal(line["cost"]) > cost
        cost = Decimal(line["cost"])
        world.minutes(1)
    at_once = 5 if fault == "permission" else 0
    assert len(world.told("may still bill")) == 2 + at_once
    assert "billed until Azure says that it is off" in world.phone.status()["summary"]
    world.azure.faults.clear()
    world.until("off", most=5)
    assert world.sessions()[0]["stop_reason"] == "user"
    events = [line["event"] for line in world.journal(world.sessions()[0]["id"])]
    assert events.count("deallocate") == world.sent(Kind.VM_DEALLOCATE)
    world.accounted()


def test_a14_from_ten_minutes_on_every_second_stop_is_forced(world: World) -> None:
    """It runs on and on: one POST and one alarm a minute, and force in turn."""
    world.ready()
    world.azure.faults.arm("stop_runs_on", times=None)
    world.phone.post("/stop")
    world.minutes(14)
    sent = world.azure.log.of(Kind.VM_DEALLOCATE, caller="app")
    assert len(sent) == 15
    forced = [
        index for index, each in enumerate(sent) if "forceDeallocate" in each.query
    ]
    assert forced == [11, 13]
    assert len(world.told("may still bill")) == 12
    assert world.sessions()[0]["ended_at"] is None
