"""One evening, from the tap to the line in the ledger."""

from decimal import Decimal

from local.azure import Kind
from tests.scenario.world import SHORT, World


def test_an_evening_from_start_to_idle_to_the_ledger_line(world: World) -> None:
    """Start, weights with progress, ready, used, idle, gone, and what it cost."""
    world.minutes(1)
    assert world.phone.status()["state"] == "off"

    answer = world.phone.post("/start", {"hours": 2, "note": "novel"})
    assert answer.status_code == 202
    session = answer.json()["session"]["id"]

    loading = world.until("loading")
    assert loading["billing"] is True
    assert loading["session"]["id"] == session
    world.minutes(5)
    weights = world.phone.status()
    assert weights["phase"] == "weights"
    assert 0 < weights["progress"] < 1

    ready = world.until("ready")
    assert ready["links"]["chat"] == "https://chat.example.com"
    world.azure.vm.use(requests_running=1)
    world.minutes(10)
    assert world.phone.status()["state"] == "ready"
    world.azure.vm.rest()

    world.until("off", most=40)
    line = world.sessions()[0]
    assert line["id"] == session
    assert line["stop_reason"] == "idle"
    assert line["note"] == "novel"
    assert world.sent(Kind.VM_START) == 1
    true_seconds = world.azure.vm.billed_seconds()
    assert true_seconds <= line["billed_seconds"] <= true_seconds + 180
    price = Decimal(line["price_per_hour"])
    exact = price * line["billed_seconds"] / 3600
    assert Decimal(line["cost"]) - exact < Decimal("0.01")


def test_a_person_stops_it_and_the_session_ends_with_the_reading(world: World) -> None:
    """The lease goes at the tap; the session ends only when deallocated was read."""
    world.azure.vm.behave(takes=SHORT)
    world.phone.post("/start")
    world.until("ready")
    answer = world.phone.post("/stop")
    assert answer.status_code == 202
    assert answer.json()["state"] == "stopping"
    assert world.sessions()[0]["ended_at"] is None
    world.until("off", most=5)
    line = world.sessions()[0]
    assert line["stop_reason"] == "user"
    assert line["stopped_by"] == "iphone"
    assert world.phone.post("/stop").status_code == 200


def test_the_asked_time_runs_out(world: World) -> None:
    """At `expires_at` one tick takes the machine away, whoever uses it."""
    world.azure.vm.behave(takes=SHORT)
    world.phone.post("/start", {"minutes": 60})
    world.until("ready")
    world.azure.vm.use(requests_running=1)
    world.azure.vm.behave(ends_itself=False)
    status = world.phone.status()
    world.minutes(status["session"]["seconds_left"] / 60 + 1)
    assert world.phone.status()["state"] == "stopping"
    world.until("off", most=5)
    assert world.sessions()[0]["stop_reason"] == "asked"
