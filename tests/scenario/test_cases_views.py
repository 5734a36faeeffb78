"""What the instance view leaves out, adds or contradicts (A08, A09)."""

from typing import Any

import pytest

from local.azure import Kind
from tests.scenario.world import SHORT, World

BLIND = [
    "no_statuses",
    "null_statuses",
    "only_updating",
    "two_power_states",
    "power_unknown",
    "no_instance_view",
]
ODD = ["power_first", "power_code_lower_case"]


def _half_an_hour(world: World) -> None:
    """Run to the longest time that there is, whatever was asked."""
    world.build_anew(MAX_RUNTIME_HOURS="0.5", DEFAULT_HOURS="0.5")
    status = world.ready(until="18:00")
    assert status["session"]["limited_by"] == "max_runtime"
    assert status["session"]["expires_at"] == "2026-11-30T10:30:00Z"


@pytest.mark.parametrize("fault", BLIND)
def test_a08_an_unknown_power_state_ends_nothing_and_lifts_no_limit(
    world: World, fault: str
) -> None:
    """It keeps the session and the start's slot; at the longest time it must stop."""
    _half_an_hour(world)
    session = world.phone.status()["session"]["id"]
    world.azure.faults.arm(fault, times=None)
    world.minutes(1)
    assert world.phone.status()["state"] == "ready"
    world.hop(24)
    status = world.phone.status()
    assert status["billing"] is True
    assert status["power"]["state"] == "unknown"
    assert status["problem"] == "azure-unavailable"
    again = world.phone.post("/start")
    assert again.status_code == 200
    assert again.json()["session"]["id"] == session
    world.minutes(2)
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.minutes(2)
    assert world.sent(Kind.VM_DEALLOCATE) == 3
    assert world.sessions()[0]["ended_at"] is None
    assert world.phone.status()["state"] == "stopping"
    world.azure.faults.clear()
    world.minutes(1)
    line = world.sessions()[0]
    assert (line["id"], line["stop_reason"]) == (session, "max_runtime")
    assert world.sent(Kind.VM_START) == 1
    world.accounted()


@pytest.mark.parametrize("fault", ODD)
def test_a08_the_power_state_is_found_wherever_and_however_it_stands(
    world: World, fault: str
) -> None:
    """In another place or case it is read as ever: ready, then off at its time."""
    world.azure.faults.arm(fault, times=None)
    _half_an_hour(world)
    assert world.phone.status()["power"]["state"] == "running"
    world.hop(27)
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=3)
    assert world.sessions()[0]["stop_reason"] == "max_runtime"
    world.accounted()


@pytest.mark.parametrize("fault", ["no_statuses", "power_unknown"])
def test_a08_an_unknown_power_state_starts_nothing_and_refuses_no_stop(
    world: World, fault: str
) -> None:
    """Without a session: a start is 503, ten minutes of it are told, a stop is sent."""
    world.azure.faults.arm(fault, times=None)
    world.minutes(1)
    refused = world.phone.post("/start")
    assert refused.status_code == 503
    assert refused.json()["type"] == "/problems/azure-unavailable"
    assert world.phone.status()["state"] in {"off", "unknown"}
    world.hop(16)
    status = world.phone.status()
    assert (status["state"], status["billing"]) == ("unknown", None)
    assert len(world.told("Azure has not said for 10 minutes")) == 1
    assert world.sent(Kind.VM_DEALLOCATE) == world.sent(Kind.VM_START) == 0
    assert world.phone.post("/stop").status_code == 202
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.azure.faults.clear()
    world.until("off", most=3)
    assert world.sessions() == []


def test_a08_a_start_whose_view_is_blank_is_sent_once(world: World) -> None:
    """Nothing but `updating` through the transition: starting, and no second start."""
    world.azure.vm.behave(takes=SHORT)
    assert world.phone.post("/start").status_code == 202
    world.azure.faults.arm("only_updating", times=None)
    world.minutes(1)
    assert world.phone.status()["state"] in {"starting", "loading"}
    world.minutes(2)
    assert world.phone.status()["state"] == "ready"
    world.azure.faults.clear()
    world.minutes(1)
    assert world.sent(Kind.VM_START) == 1
    line = world.sessions()[0]
    assert line["billing_since"] == "2026-11-30T10:00:00Z"


@pytest.mark.parametrize(
    ("fault", "parameters"),
    [
        ("os_provisioning_timed_out", {"after": 100, "runs_after": 40}),
        ("failed_running", {"code": "OSProvisioningTimedOut"}),
        ("failed_running", {"code": ""}),
    ],
)
def test_a09_failed_and_running_with_heartbeats_is_ready(
    world: World, fault: str, parameters: dict[str, Any]
) -> None:
    """Money follows the power; the phone reads that Azure reports a failure."""
    times = 1 if "after" in parameters else None
    if times:
        world.azure.faults.arm(fault, times=times, **parameters)
    world.ready(minutes=60)
    if not times:
        world.azure.faults.arm(fault, times=times, **parameters)
    world.hop(24)
    status = world.phone.status()
    assert (status["state"], status["billing"]) == ("ready", True)
    assert status["problem"] == "provisioning-failed"
    assert "Azure says that its last work on the machine failed" in status["summary"]
    assert world.phone.post("/start").status_code == 200
    world.hop(33)
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=3)
    line = world.sessions()[0]
    assert line["stop_reason"] == "asked"
    assert world.sent(Kind.VM_START) == 1
    world.accounted()


def test_a09_failed_and_running_without_a_heartbeat_has_the_start_deadline(
    world: World,
) -> None:
    """Starting, and charged; at 75 minutes it is deallocated."""
    world.azure.faults.arm("os_provisioning_timed_out", after=100, runs_after=40)
    world.azure.vm.behave(beats=False, ends_itself=False)
    world.phone.post("/start", {"hours": 3})
    world.hop(40)
    status = world.phone.status()
    assert (status["state"], status["billing"]) == ("starting", True)
    assert status["problem"] == "provisioning-failed"
    world.hop(34)
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=3)
    line = world.sessions()[0]
    assert line["stop_reason"] == "never_ready"
    assert line["problem"] == "OSProvisioningTimedOut"
    world.accounted()
