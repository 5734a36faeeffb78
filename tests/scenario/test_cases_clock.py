"""Changes of the clock, zones, and the edges of days and months (A16)."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from control.ledger import Ledger
from control.rules import money
from local.azure import Kind
from tests.scenario.world import MACHINE, SHORT, World

ROOT = Path(__file__).parents[2]
AUTUMN = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
SPRING = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)
EVENING = datetime(2026, 11, 30, 22, 45, tzinfo=UTC)
YEAR = {"BUDGET_FROM": "2026-01-01", "BUDGET_TO": "2027-01-01"}
KOLKATA, AUCKLAND = "Asia/Kolkata", "Pacific/Auckland"


@pytest.fixture
def zone(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Let the worker's own machine be in another zone."""
    name: str = request.param
    with monkeypatch.context() as patched:
        patched.setenv("TZ", name)
        time.tzset()
        assert time.timezone != 0
        yield name
    time.tzset()


@pytest.mark.parametrize(
    ("start_at", "zone", "asked", "usually"),
    [
        (AUTUMN, KOLKATA, "02:30", "02:00"),
        (SPRING, AUCKLAND, "01:30", "03:00"),
    ],
    indirect=["zone"],
)
def test_a16_two_hours_are_two_hours_on_the_night_of_a_change(
    world: World, zone: str, asked: str, usually: str
) -> None:
    """Started at 00:30Z it ends at 02:30Z; people read the local times."""
    world.build_anew(MAX_RUNTIME_HOURS="2", **YEAR)
    world.azure.vm.behave(takes=SHORT, ends_itself=False)
    answer = world.phone.post("/start", {"hours": 2})
    assert answer.json()["session"]["expires_at"][11:] == "02:30:00Z", zone
    summary = world.phone.status()["summary"]
    assert summary == f"Starting, asked at {asked}. Usually ready at {usually}."
    world.minutes(2)
    world.azure.vm.use(requests_running=1)
    world.hop(117)
    assert world.phone.status()["state"] == "ready"
    assert world.phone.status()["session"]["seconds_left"] == 60
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=4)
    line = world.sessions()[0]
    assert line["stop_reason"] == "asked"
    assert 7200 <= line["billed_seconds"] <= 7320
    world.accounted()


@pytest.mark.parametrize(
    ("start_at", "zone", "until", "ends"),
    [
        (AUTUMN.replace(minute=10), KOLKATA, "02:50", "00:50"),
        (AUTUMN.replace(minute=55), AUCKLAND, "02:50", "01:50"),
        (SPRING, AUCKLAND, "02:50", "01:00"),
        (SPRING, KOLKATA, "03:50", "01:50"),
    ],
    indirect=["zone"],
)
def test_a16_a_time_of_day_that_is_doubled_or_missing_is_defined(
    world: World, zone: str, until: str, ends: str
) -> None:
    """The earlier one that is still to come; a missing one is the change itself."""
    world.build_anew(**YEAR)
    answer = world.phone.post("/start", {"until": until})
    assert answer.status_code == 202
    assert answer.json()["session"]["expires_at"][11:16] == ends, zone


@pytest.mark.parametrize("start_at", [EVENING])
@pytest.mark.parametrize("zone", [AUCKLAND], indirect=True)
def test_a16_months_turn_at_midnight_utc_not_at_a_local_one(
    world: World, zone: str
) -> None:
    """Billed across 00:00Z: split there to the second, and it sums to the session."""
    status = world.ready(hours=2)
    assert status["session"]["expires_at"] == "2026-12-01T00:45:00Z", zone
    world.hop(118)
    world.until("off", most=4)
    line = world.sessions()[0]
    ledger = Ledger(world.table)
    start, end = datetime(2026, 11, 1, tzinfo=UTC), datetime(2027, 2, 1, tzinfo=UTC)
    months = {t.month: t for t in ledger.totals(MACHINE, start, end)}
    assert sorted(months) == ["2026-11", "2026-12"]
    price = Decimal(line["price_per_hour"])
    assert months["2026-11"].cost == money.cents(price * 5 / 4)
    assert sum(total.cost for total in months.values()) == Decimal(line["cost"])
    world.accounted()


@pytest.mark.parametrize("start_at", [EVENING])
@pytest.mark.parametrize("zone", [KOLKATA], indirect=True)
def test_a16_a_budget_ends_with_its_last_second_utc(world: World, zone: str) -> None:
    """BUDGET_TO 1 December: on at 23:59:59Z, whatever the clocks say; then no start."""
    world.build_anew(BUDGET_TO="2026-12-01")
    status = world.ready(hours=4)
    session = status["session"]
    assert session["limited_by"] == "budget_period", zone
    assert session["expires_at"] == "2026-12-01T00:00:00Z"
    world.hop(72)
    world.clock.set(datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC))
    world.azure.settle()
    world.tick()
    assert world.phone.status()["state"] == "ready"
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1 / 60)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=4)
    assert world.sessions()[0]["stop_reason"] == "budget_period"
    refused = world.phone.post("/start")
    assert refused.status_code == 402
    assert refused.json()["type"] == "/problems/budget-period-over"
    world.accounted()


def test_a16_no_setting_of_ours_moves_the_platforms_clock() -> None:
    """On Linux these break TLS or are ignored; TIME_ZONE only says how to show it."""
    files = [ROOT / "host.json", ROOT / "local.settings.sample.json"]
    files += [ROOT / "function_app.py", *(ROOT / "control").rglob("*.py")]
    for file in files:
        text = file.read_text()
        assert "WEBSITE_TIME_ZONE" not in text, file
        assert '"TZ"' not in text, file
