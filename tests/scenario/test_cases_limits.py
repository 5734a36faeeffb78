"""What ends a machine that says too little or too much of itself (A10, A18)."""

from dataclasses import replace

import pytest

from local.azure import Kind
from tests.scenario.world import SHORT, VM, World


def _beat(world: World, **changed: object) -> None:
    """Let somebody's watcher report: ready, and idle as it believes."""
    plain = {
        "machine": world.azure.vm.name,
        "boot_id": "boot-2",
        "phase": "ready",
        "uptime_s": 120,
        "idle_seconds": 18 * 3600,
        "requests_running": 0,
        "requests_waiting": 0,
        "open_connections": 0,
    }
    guest = replace(world.phone, token=VM)
    assert guest.post("/vm/heartbeat", plain | changed).status_code == 200


def test_a10_an_idle_clock_from_before_the_stop_does_not_end_the_next_boot(
    world: World,
) -> None:
    """Idle for 18 hours, says a boot of 2 minutes: it has its grace, then its limit."""
    world.azure.vm.behave(beats=False, ends_itself=False)
    world.phone.post("/start", {"hours": 2})
    world.minutes(2)
    _beat(world)
    world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    assert world.phone.status()["state"] == "ready"
    for _ in range(4):
        world.hop(7)
        _beat(world, uptime_s=18 * 3600)
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1)
    _beat(world, uptime_s=18 * 3600)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=5)
    assert world.sessions()[0]["stop_reason"] == "idle"
    world.accounted()


def test_a10_the_boot_before_does_not_speak_for_this_one(world: World) -> None:
    """A late report of the last boot, idle for hours, changes nothing."""
    world.ready()
    world.azure.vm.behave(beats=False)
    old = world.azure.vm.beats[-1].body["boot_id"]
    world.phone.post("/stop")
    world.until("off", most=4)
    stops = world.sent(Kind.VM_DEALLOCATE)
    world.phone.post("/start")
    world.minutes(2)
    before = world.phone.status()
    assert before["state"] == "starting"
    _beat(world, boot_id=old, uptime_s=18 * 3600)
    world.minutes(1)
    after = world.phone.status()
    assert (after["state"], after["phase"]) == ("starting", None)
    assert after["session"]["ready_at"] is None
    assert world.sent(Kind.VM_DEALLOCATE) == stops


def test_a10_the_starts_of_an_hour_are_capped(world: World) -> None:
    """Whatever kills it each time: the third start within the hour is 429."""
    world.build_anew(MAX_STARTS_PER_HOUR="2")
    world.azure.vm.behave(beats=False)
    for _ in range(2):
        assert world.phone.post("/start").status_code == 202
        world.minutes(1)
        world.azure.vm.evict()
        world.until("off", most=3)
    refused = world.phone.post("/start")
    assert refused.status_code == 429
    assert refused.json()["type"] == "/problems/too-many-starts"
    assert int(refused.headers["Retry-After"]) > 0
    assert world.phone.status()["offer"]["refused"] == "too-many-starts"
    assert world.sent(Kind.VM_START) == 2
    world.clock.set(world.now.replace(hour=11, minute=1))
    assert world.phone.post("/start").status_code == 202


@pytest.mark.parametrize(
    ("hours", "minute", "reason"), [("4", 75, "never_ready"), ("1", 60, "max_runtime")]
)
def test_a18_without_any_heartbeat_the_nearer_limit_ends_it(
    world: World, hours: str, minute: int, reason: str
) -> None:
    """The start's deadline or the longest time: nothing of the guest is needed."""
    world.build_anew(MAX_RUNTIME_HOURS=hours, DEFAULT_HOURS="1")
    world.azure.vm.behave(beats=False, ends_itself=False)
    world.phone.post("/start", {"until": "18:00"})
    world.hop(minute - 1)
    status = world.phone.status()
    assert (status["state"], status["billing"]) == ("starting", True)
    assert "It takes longer than usual" in status["summary"]
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=3)
    assert world.sessions()[0]["stop_reason"] == reason
    world.accounted()


@pytest.mark.parametrize(
    ("hours", "minute", "reason"),
    [("4", 80, "not_responding"), ("1", 60, "max_runtime")],
)
def test_a18_a_heartbeat_frozen_at_busy_lengthens_nothing(
    world: World, hours: str, minute: int, reason: str
) -> None:
    """The last word, at 5 minutes, was busy: shown as silent, and ended in time."""
    world.build_anew(MAX_RUNTIME_HOURS=hours, DEFAULT_HOURS="1")
    world.ready(until="18:00")
    world.minutes(3)
    world.azure.vm.behave(beats=False)
    world.hop(8)
    status = world.phone.status()
    assert (status["state"], status["problem"]) == ("loading", "stale")
    assert "Silent." in status["summary"]
    world.hop(minute - 14)
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=3)
    assert world.sessions()[0]["stop_reason"] == reason
    world.accounted()


def test_a18_a_watcher_that_reports_busy_for_ever_ends_at_the_longest_time(
    world: World,
) -> None:
    """Its heartbeats go on, the same each time: off at the longest time."""
    world.build_anew(MAX_RUNTIME_HOURS="1", DEFAULT_HOURS="1")
    world.azure.vm.behave(takes=SHORT)
    status = world.ready(until="18:00")
    assert status["session"]["limited_by"] == "max_runtime"
    world.hop(57)
    assert world.phone.status()["state"] == "ready"
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=3)
    assert world.sessions()[0]["stop_reason"] == "max_runtime"
    world.accounted()
