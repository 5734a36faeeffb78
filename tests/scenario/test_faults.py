"""Azure fails in the ways that were seen to begin with: what people then read."""

import pytest

from local.azure import Kind
from tests.scenario.world import SHORT, World


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


def test_an_answer_lost_after_the_start_was_taken_is_no_second_session(
    world: World,
) -> None:
    """Azure took it, the answer never came: one session, and it runs."""
    world.azure.faults.arm("answer_lost", kinds=frozenset({Kind.VM_START}))
    assert world.phone.post("/start").status_code == 202
    world.until("loading", most=15)
    assert len(world.sessions()) == 1
    assert world.sent(Kind.VM_START) <= 2


def test_the_kill_switch_ends_and_refuses_until_it_is_lifted(world: World) -> None:
    """Lock releases at once and 423s every start; a phone cannot unlock."""
    world.azure.vm.behave(takes=SHORT)
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
    world.azure.vm.behave(takes=SHORT)
    world.build_anew(BUDGET_LIMIT="300", STANDING_COST_PER_MONTH="0")
    answer = world.phone.post("/start", {"hours": 4})
    assert answer.json()["session"]["limited_by"] == "budget"
    status = world.until("ready")
    world.azure.vm.use(requests_running=1)
    world.hop(status["session"]["seconds_left"] / 60 - 1)
    world.minutes(5)
    line = world.sessions()[0]
    assert line["stop_reason"] == "budget"
    assert float(line["cost"]) < 300 + 2 * 1.42 + 1.42
    refused = world.phone.post("/start")
    assert refused.status_code == 402
    assert refused.json()["type"] == "/problems/budget-exhausted"
