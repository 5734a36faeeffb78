"""What others do to the machine: start it, take it, delete it (A12, A13, A17)."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from control.azure.table import AzureTable
from control.ledger import Ledger
from local.azure import Kind, Power
from tests.scenario.world import SHORT, VM, World

ONE_HOUR = {"MAX_RUNTIME_HOURS": "1", "DEFAULT_HOURS": "1"}


def test_a12_started_in_the_portal_it_is_adopted_once_and_has_the_usual_limits(
    world: World,
) -> None:
    """Neither killed at once nor unlimited: one row, one notice, off at the limit."""
    world.build_anew(**ONE_HOUR)
    world.azure.vm.behave(takes=SHORT, ends_itself=False)
    world.azure.vm.start_outside()
    world.minutes(3)
    status = world.phone.status()
    assert (status["state"], status["billing"]) == ("ready", True)
    assert status["session"]["started_by"] == "outside"
    assert status["session"]["limited_by"] == "max_runtime"
    [line] = world.sessions()
    assert "2026-11-30T10:00:00Z" <= line["billing_since"] <= "2026-11-30T10:01:00Z"
    assert len(world.told("found on (running)")) == 1
    assert world.sent(Kind.VM_START) == world.sent(Kind.VM_DEALLOCATE) == 0
    world.azure.vm.use(requests_running=1)
    world.hop(57)
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=3)
    [line] = world.sessions()
    assert line["stop_reason"] == "max_runtime"
    assert len(world.told("found on (running)")) == 1
    world.accounted()


def test_a12_a_watcher_that_says_idle_for_1112_minutes_does_not_kill_it(
    world: World,
) -> None:
    """Idle counts from when it was first seen ready here: then the limit holds."""
    world.azure.vm.behave(beats=False, ends_itself=False)
    world.azure.vm.start_outside()
    said = {"uptime_s": 90_000, "idle_seconds": 1112 * 60}
    said |= {"requests_running": 0, "requests_waiting": 0, "open_connections": 0}
    beat = {"machine": world.azure.vm.name, "boot_id": "b", "phase": "ready", **said}
    guest = replace(world.phone, token=VM)
    for _ in range(4):
        world.hop(7)
        assert guest.post("/vm/heartbeat", beat).status_code == 200
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    assert world.phone.status()["state"] == "ready"
    for _ in range(2):
        world.hop(7)
        guest.post("/vm/heartbeat", beat)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=5)
    assert world.sessions()[0]["stop_reason"] == "idle"


def test_a12_the_same_without_a_ledger_is_neither_killed_nor_unlimited(
    world: World,
) -> None:
    """Three ticks leave it alone, the phone sees it, the limit ends it by ARM alone."""
    world.build_anew(**ONE_HOUR)
    world.tick()
    world.azure.vm.behave(ends_itself=False)
    world.azurite.stop()
    try:
        world.azure.vm.start_outside()
        world.minutes(3)
        status = world.phone.status()
        assert (status["state"], status["billing"]) == ("unmanaged", True)
        assert status["problem"] == "ledger-unverified"
        assert "On and billed." in status["summary"]
        world.clock.advance(timedelta(minutes=57))
        world.tick()
        assert world.sent(Kind.VM_DEALLOCATE) == 0
        world.minutes(1)
        assert world.sent(Kind.VM_DEALLOCATE) == 1
    finally:
        world.azurite.start()
    world.until("off", most=3)
    assert world.azure.vm.power is Power.DEALLOCATED


def test_a12_a_ledger_that_comes_back_dates_it_by_azures_own_time(
    world: World,
) -> None:
    """Adopted 10 minutes late, it is charged from its start, and notified once."""
    world.tick()
    world.azurite.stop()
    try:
        world.azure.vm.start_outside()
        world.minutes(10)
    finally:
        world.azurite.start()
    world.minutes(2)
    [line] = world.sessions()
    assert "2026-11-30T10:00:00Z" <= line["billing_since"] <= "2026-11-30T10:01:00Z"
    assert len(world.told("found on (running)")) == 1
    world.phone.post("/stop")
    world.until("off", most=3)
    world.accounted()


def _two_switches(world: World) -> tuple[Callable[[], None], Callable[[], None]]:
    """Two control planes for one machine: other names, other ledgers, one process.

    Returns what turns to the first and what turns to the second.
    """
    name = f"{world.environ['LEDGER_TABLE']}other"
    connection = world.environ["LEDGER_CONNECTION_STRING"]
    table = AzureTable.by_connection_string(connection, name=name)
    Ledger(table).initialise(Decimal(0), world.now)
    module = vars(world.host.module)
    first = module["root"]
    world.build_anew(CONTROL_PLANE_NAME="staging", LEDGER_TABLE=name)
    second = module["root"]

    def turn_to(root: object) -> Callable[[], None]:
        return lambda: module.update(root=root)

    return turn_to(first), turn_to(second)


def test_a13_a_second_control_plane_keeps_its_hands_off(world: World) -> None:
    """Started from A, B ticks as well: A's session lives until A's own limit."""
    a, b = _two_switches(world)
    world.azure.vm.machine.tags["Controlled-By"] = "switch"
    a()
    world.ready(hours=2)
    for _ in range(11):
        a()
        world.hop(10)
        b()
        world.tick()
        assert world.sent(Kind.VM_DEALLOCATE) == 0
    status = world.phone.status()
    assert (status["state"], status["session"]) == ("unmanaged", None)
    assert "another switch (switch) controls it" in status["summary"]
    refused = world.phone.post("/start")
    assert refused.status_code == 409
    assert refused.json()["type"] == "/problems/other-controller"
    assert world.sessions() == []
    a()
    world.hop(8)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=3)
    assert world.sessions()[0]["stop_reason"] == "asked"
    world.accounted()


def test_a13_only_a_persons_stop_crosses_and_both_ledgers_say_so(world: World) -> None:
    """B's phone stops it: B's ledger says who, A's that it was not A."""
    a, b = _two_switches(world)
    world.azure.vm.machine.tags["controlled-by"] = "switch"
    a()
    world.ready(hours=2)
    world.azure.vm.behave(beats=False)
    b()
    assert world.phone.post("/stop").status_code == 202
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=3)
    line = world.sessions()[0]
    assert (line["stop_reason"], line["stopped_by"]) == ("user", "iphone")
    a()
    world.minutes(1)
    line = world.sessions()[0]
    assert (line["stop_reason"], line["stopped_by"]) == ("outside", None)
    assert (
        "It was switched off, but not by this switch."
        in (world.phone.status()["summary"])
    )
    assert world.sent(Kind.VM_START) == 1
    assert world.told("not by this switch")
    world.accounted()


@pytest.mark.parametrize("how", ["evict", "deallocate_outside"])
def test_a17_taken_away_by_others_it_is_closed_and_not_started_again(
    world: World, how: str
) -> None:
    """Deallocated at 20 minutes without a call of ours: charged until then, told."""
    world.ready()
    world.hop(18)
    getattr(world.azure.vm, how)()
    world.until("off", most=3)
    line = world.sessions()[0]
    assert line["stop_reason"] == "outside"
    assert world.azure.vm.billed_seconds() <= line["billed_seconds"] <= 23 * 60
    assert "2026-11-30T10:20" <= line["ended_at"] <= "2026-11-30T10:22:00Z"
    assert (
        "It was switched off, but not by this switch."
        in (world.phone.status()["summary"])
    )
    assert len(world.told("not by this switch")) == 1
    world.hop(16)
    assert world.sent(Kind.VM_START) == 1
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    assert world.phone.post("/start").status_code == 202
    world.until("ready", most=4)


def test_a17_one_404_is_nothing_and_a_404_that_stays_ends_it(world: World) -> None:
    """404 once, then 200, then for ever: closed at the first of three ticks with it."""
    world.ready()
    world.azure.vm.behave(beats=False)
    world.hop(6)
    world.azure.faults.arm("vm_not_found", kinds=frozenset({Kind.VM_GET}))
    world.minutes(1)
    assert world.sessions()[0]["ended_at"] is None
    world.minutes(1)
    status = world.phone.status()
    assert (status["power"]["state"], status["session"] is None) == ("running", False)
    world.azure.vm.remove()
    world.minutes(2)
    assert world.sessions()[0]["ended_at"] is None
    world.minutes(1)
    line = world.sessions()[0]
    assert (line["stop_reason"], line["ended_at"]) == (
        "outside",
        "2026-11-30T10:11:00Z",
    )
    assert line["billed_seconds"] == 11 * 60
    assert len(world.told("Azure does not know this machine any more")) == 1
    refused = world.phone.post("/start")
    assert refused.status_code == 503
    assert refused.json()["type"] == "/problems/no-machine"
    world.hop(16)
    assert world.sent(Kind.VM_START) == 1
    world.azure.vm.restore()
    world.minutes(1)
    assert world.sent(Kind.VM_START) == 1
    world.accounted()


def test_a17_a_404_about_a_machine_that_talks_ends_nothing(world: World) -> None:
    """ARM loses it for an hour while it reports: the session goes on to its limit."""
    world.ready(minutes=60)
    world.azure.faults.arm("vm_not_found", times=None)
    world.minutes(6)
    world.hop(51)
    status = world.phone.status()
    assert (status["state"], status["power"]["state"]) == ("ready", "unknown")
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    assert world.told("Azure does not find it. It may still bill.")
    world.azure.faults.clear()
    world.until("off", most=4)
    assert world.sessions()[0]["stop_reason"] == "asked"
    world.accounted()


@pytest.mark.parametrize("ticks", ["ticks that read nothing", "no ticks"])
def test_an_eviction_that_nobody_saw_is_billed_until_it_was_seen(
    world: World, ticks: str
) -> None:
    """ARM's time is then that of our start: as an end it would hide all of it."""
    world.azure.vm.behave(takes=SHORT, ends_itself=False)
    assert world.phone.post("/start", {"hours": 3}).status_code == 202
    world.azure.faults.arm("evicted", after=3000)
    world.azure.faults.arm("reads_throttled", times=None)
    world.minutes(55, ticks=ticks != "no ticks")
    world.azure.faults.clear()
    world.until("off", most=3)
    [line] = world.sessions()
    assert line["billed_seconds"] >= 3000
    world.accounted()
