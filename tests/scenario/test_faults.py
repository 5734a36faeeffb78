"""Azure fails in the ways that were seen to begin with: what people then read."""

from datetime import timedelta

import pytest

from local.azure import Kind
from tests.scenario.world import World


def test_a03_no_capacity_is_asked_for_again_and_costs_nothing(world: World) -> None:
    """Refused only in the operation: asked again after 1, 2, 4, 8... minutes."""
    world.azure.faults.arm("allocation_failed", times=None)
    assert world.phone.post("/start").status_code == 202
    world.minutes(1)
    assert world.phone.status()["state"] == "waiting_for_capacity"
    world.minutes(33)
    status = world.phone.status()
    assert status["state"] == "off"
    line = world.sessions()[0]
    assert line["stop_reason"] == "no_capacity"
    assert line["cost"] in {"0", "0.00"}
    assert line["problem"] == "AllocationFailed"
    assert 4 <= world.sent(Kind.VM_START) <= 7
    assert world.phone.status()["budget"]["spent"] == status["budget"]["spent"]


def test_capacity_comes_back_and_the_hunt_ate_no_paid_time(world: World) -> None:
    """Two refusals, then it starts: the hour that was asked for counts from there."""
    world.azure.faults.arm("allocation_failed", times=2)
    world.phone.post("/start", {"minutes": 60})
    status = world.until("loading", most=15)
    session = status["session"]
    assert session["billing_since"] > "2026-11-30T10:02:00Z"
    assert session["expires_at"][11:16] == f"11:{session['billing_since'][14:16]}"


@pytest.mark.parametrize("fault", ["conflict", "unavailable", "throttled_by_arm"])
def test_a_refusal_that_passes_is_tried_again_by_the_timer(
    world: World, fault: str
) -> None:
    """The phone reads 202; a later tick sends the start that Azure takes."""
    world.azure.faults.arm(fault, kinds=frozenset({Kind.VM_START}))
    answer = world.phone.post("/start")
    assert answer.status_code == 202
    assert "Azure has not answered yet" in answer.json()["summary"]
    world.until("loading", most=15)
    assert world.sent(Kind.VM_START) == 2
    assert len(world.sessions()) == 1


def test_retry_after_of_a_throttled_start_is_honoured(world: World) -> None:
    """429 with 300 s: no start goes out before."""
    world.azure.faults.arm("throttled_by_compute", retry_after=300)
    world.phone.post("/start")
    world.minutes(4)
    assert world.sent(Kind.VM_START) == 1
    world.minutes(2)
    assert world.sent(Kind.VM_START) == 2


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        ("quota", "quota"),
        ("sku_not_available", "size"),
        ("permission", "let"),
        ("disabled_subscription", "disabled"),
        ("scope_lock", "lock"),
    ],
)
def test_a03_a_cause_that_waiting_does_not_mend_is_said_at_once(
    world: World, fault: str, word: str
) -> None:
    """503 start-failed with the cause in words; nothing is left open or billed."""
    world.azure.faults.arm(fault)
    answer = world.phone.post("/start")
    assert answer.status_code == 503
    assert answer.json()["type"] == "/problems/start-failed"
    assert word in answer.json()["detail"]
    line = world.sessions()[0]
    assert line["stop_reason"] == "start_failed"
    assert line["cost"] in {"0", "0.00"}
    world.minutes(3)
    assert world.sent(Kind.VM_START) == 1
    assert world.phone.post("/start").status_code == 202


def test_an_answer_lost_after_the_start_was_taken_is_no_second_session(
    world: World,
) -> None:
    """Azure took it, the answer never came: one session, and it runs."""
    world.azure.faults.arm("answer_lost", kinds=frozenset({Kind.VM_START}))
    assert world.phone.post("/start").status_code == 202
    world.until("loading", most=15)
    assert len(world.sessions()) == 1
    assert world.sent(Kind.VM_START) <= 2


def test_a08_without_a_power_state_the_cap_still_holds(world: World) -> None:
    """The view says nothing of power for hours: at the deadline it is deallocated."""
    world.phone.post("/start", {"minutes": 60})
    world.until("ready")
    world.azure.vm.use(requests_running=1)
    world.azure.vm.behave(ends_itself=False)
    world.azure.faults.arm("no_power_state", times=None)
    world.minutes(20)
    assert world.sessions()[0]["ended_at"] is None
    world.minutes(25)
    assert world.sent(Kind.VM_DEALLOCATE) >= 1
    world.azure.faults.clear()
    world.until("off", most=10)


def test_a12_started_in_the_portal_it_is_adopted_once(world: World) -> None:
    """Neither killed at once nor unlimited: one row, one notice, the usual cap."""
    world.azure.vm.start_outside()
    world.minutes(3)
    status = world.phone.status()
    assert status["session"]["started_by"] == "outside"
    assert status["session"]["limited_by"] == "max_runtime"
    assert len(world.sessions()) == 1
    assert world.sent(Kind.VM_START) == world.sent(Kind.VM_DEALLOCATE) == 0
    adopted = [n for n in world.azure.sink.notices if "adopted" in str(n.body)]
    assert len(adopted) == 1


def test_a01_a_start_declared_dead_that_boots_later_is_stopped(world: World) -> None:
    """OSProvisioningTimedOut at 20 min, running at 25: deallocated, and charged."""
    world.azure.faults.arm("os_provisioning_timed_out", stubborn=True)
    world.azure.vm.behave(beats=False)
    world.phone.post("/start")
    world.minutes(40)
    world.until("off", most=60)
    assert world.sent(Kind.VM_DEALLOCATE) >= 1
    billed = sum(line["billed_seconds"] for line in world.sessions())
    assert billed >= world.azure.vm.billed_seconds()


def test_a17_gone_from_azure_closes_the_session(world: World) -> None:
    """One 404 may be nothing; three ticks of it end the session at the first."""
    world.phone.post("/start")
    world.until("ready")
    world.azure.vm.behave(beats=False)
    world.minutes(2)
    world.azure.vm.remove()
    gone_at = world.now + timedelta(minutes=1)
    world.minutes(2)
    assert world.sessions()[0]["ended_at"] is None
    world.minutes(2)
    line = world.sessions()[0]
    assert line["stop_reason"] == "outside"
    assert line["ended_at"] == f"{gone_at:%Y-%m-%dT%H:%M:%SZ}"
    refused = world.phone.post("/start")
    assert refused.status_code == 503
    assert refused.json()["type"] == "/problems/no-machine"


def test_a_foreign_tag_keeps_us_away_but_not_a_person(world: World) -> None:
    """Another switch's machine is never started or adopted; a person's stop works."""
    world.azure.vm.machine.tags["controlled-by"] = "staging"
    refused = world.phone.post("/start")
    assert refused.status_code == 409
    assert refused.json()["type"] == "/problems/other-controller"
    world.azure.vm.start_outside()
    world.minutes(5)
    assert world.sessions() == []
    assert world.phone.status()["state"] == "unmanaged"
    assert world.phone.post("/stop").status_code == 202
    world.until("off", most=5)


def test_the_kill_switch_ends_and_refuses_until_it_is_lifted(world: World) -> None:
    """Lock releases at once and 423s every start; a phone cannot unlock."""
    world.phone.post("/start")
    world.until("ready")
    assert world.operator.post("/lock").status_code == 200
    assert world.phone.post("/start").status_code in {409, 423}
    world.until("off", most=5)
    assert world.sessions()[0]["stop_reason"] == "locked"
    assert world.phone.post("/start").status_code == 423
    assert world.phone.post("/unlock").status_code == 403
    assert world.operator.post("/unlock").status_code == 200
    assert world.phone.post("/start").status_code == 202


def test_the_budget_refuses_names_what_is_left_and_ends_a_session(
    world: World,
) -> None:
    """With 150 left two hours become less; when Azure says more is gone, it ends."""
    world.build_anew(BUDGET_LIMIT="300", STANDING_COST_PER_MONTH="0")
    answer = world.phone.post("/start", {"hours": 4})
    assert answer.json()["session"]["limited_by"] == "budget"
    status = world.until("ready")
    world.azure.vm.use(requests_running=1)
    world.minutes(status["session"]["seconds_left"] / 60 + 4)
    line = world.sessions()[0]
    assert line["stop_reason"] == "budget"
    assert float(line["cost"]) < 300 + 2 * 1.42 + 1.42
    refused = world.phone.post("/start")
    assert refused.status_code == 402
    assert refused.json()["type"] == "/problems/budget-exhausted"
