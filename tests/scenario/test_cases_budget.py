"""Azure's figure unsupported or late, and a month's end (D01, D02, D06)."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

from control.ledger import Ledger
from local.azure import Budget, Kind, Price
from local.azure.faults.budgets import WORDINGS
from tests.scenario.world import MACHINE, World

HOURLY = Decimal("84.80")
OFFER = "offer"
SILENT = "does not answer"
NO_FIGURE = "no usable figure"
REFUSALS: dict[str, tuple[str, dict[str, Any], str]] = {
    **{
        f"400 {wording}": ("budget_unsupported", {"wording": wording}, OFFER)
        for wording in WORDINGS
    },
    "403": ("budget_forbidden", {}, "may not read"),
    "404": ("budget_missing", {}, "knows no budget"),
    "424": ("budget_failed_dependency", {}, SILENT),
    "429": ("budget_throttled", {}, SILENT),
    "500": ("budget_error", {}, SILENT),
    "reset": ("budget_unreachable", {}, SILENT),
    "HTML": ("budget_html", {}, SILENT),
    "null": ("budget_null", {}, NO_FIGURE),
    "NaN": ("budget_nan", {}, NO_FIGURE),
    "negative": ("budget_negative", {}, NO_FIGURE),
    "a word": ("budget_text", {}, NO_FIGURE),
    "euros": ("budget_other_currency", {}, NO_FIGURE),
}


@pytest.fixture
def start_at() -> datetime:
    return datetime(2026, 11, 10, 10, 0, tzinfo=UTC)


def _with_budget(world: World, spent: Decimal | None, **settings: str) -> None:
    """Deploy with a monthly budget at Azure, and no standing cost."""
    _azure_says(world, spent)
    world.build_anew(BUDGET_NAME="monthly", STANDING_COST_PER_MONTH="0", **settings)


def _azure_says(world: World, spent: Decimal | None) -> None:
    start = datetime(2026, 11, 1, tzinfo=UTC)
    end = datetime(2028, 11, 1, tzinfo=UTC)
    made = Budget(name="monthly", amount=Decimal(300), start=start, end=end)
    world.azure.budgets.put(
        Budget(name=made.name, amount=made.amount, start=start, end=end, spent=spent)
    )


@pytest.mark.parametrize("name", REFUSALS)
def test_d01_our_own_figure_enforces_whatever_azure_says(
    world: World, name: str
) -> None:
    """85 USD pay for an hour: it ends then, and the status says once what is amiss."""
    fault, parameters, why = REFUSALS[name]
    _with_budget(world, Decimal("41.50"), BUDGET_LIMIT="85")
    world.azure.faults.arm(fault, times=None, **parameters)
    world.azure.vm.behave(beats=False, ends_itself=False)
    world.tick()
    assert world.sent(Kind.BUDGET) == 1
    status = world.phone.status()
    budget = status["budget"]
    assert (budget["spent"], budget["reported_by_azure"]) == ("0.00", None)
    assert why in budget["reported_problem"]
    assert json.dumps(status).count(json.dumps(budget["reported_problem"])) == 1
    assert world.phone.post("/start").json()["session"]["limited_by"] == "budget"
    world.minutes(2)
    world.clock.advance(timedelta(minutes=52))
    world.tick()
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.clock.advance(timedelta(minutes=7))
    world.tick()
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    assert world.sent(Kind.BUDGET) == 2
    world.until("off", most=3)
    assert world.sessions()[0]["stop_reason"] == "budget"
    refused = world.phone.post("/start")
    assert refused.json()["type"] == "/problems/budget-exhausted"


def test_d01_a_figure_that_comes_back_takes_the_sentence_away(world: World) -> None:
    """The last one that was read stands, with its date; once it is read anew, alone."""
    _with_budget(world, Decimal("41.50"))
    world.tick()
    good = world.phone.status()["budget"]
    assert (good["reported_by_azure"], good["spent"]) == ("41.50", "41.50")
    assert "reported_problem" not in good
    world.azure.faults.arm("budget_unsupported")
    world.minutes(61, ticks=False)
    world.tick()
    bad = world.phone.status()["budget"]
    assert (bad["reported_at"], bad["spent"]) == (good["reported_at"], "41.50")
    assert OFFER in bad["reported_problem"]
    world.minutes(61, ticks=False)
    world.tick()
    again = world.phone.status()["budget"]
    assert again["reported_at"] == "2026-11-10T12:02:00Z"
    assert "reported_problem" not in again


def test_d02_time_and_price_end_it_long_before_azure_knows(world: World) -> None:
    """100 an hour of 300, and Azure says 0 for 20 hours: off by 3 h, and no start."""
    world.azure.prices.replace([Price(price=100.0)])
    _with_budget(world, Decimal(900), BUDGET_LIMIT="300", PRICE_PER_HOUR="100")
    world.azure.faults.arm("budget_late", hours=20)
    world.tick()
    status = world.ready(hours=4)
    assert status["session"]["limited_by"] == "budget"
    assert status["session"]["price_per_hour"] == "100.00"
    world.clock.set(datetime(2026, 11, 10, 10, 0, tzinfo=UTC) + timedelta(hours=2))
    world.hop(50)
    assert world.phone.status()["budget"]["reported_by_azure"] == "0.00"
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.azure.vm.behave(beats=False)
    world.minutes(10)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=4)
    line = world.sessions()[0]
    assert line["stop_reason"] == "budget"
    assert Decimal(285) <= Decimal(line["cost"]) < 300 + 2 * Decimal("1.67")

    world.clock.advance(timedelta(hours=20))
    world.tick()
    budget = world.phone.status()["budget"]
    assert (budget["spent"], budget["reported_by_azure"]) == ("900.00", "900.00")
    refused = world.phone.post("/start")
    assert refused.status_code == 402
    assert refused.json()["type"] == "/problems/budget-exhausted"
    assert line["cost"] in refused.json()["detail"]
    assert "900.00" in refused.json()["detail"]

    _azure_says(world, Decimal(0))
    world.clock.advance(timedelta(hours=2))
    world.tick()
    assert world.phone.status()["budget"]["spent"] == "900.00"
    assert world.phone.post("/start").status_code == 402
    assert world.sent(Kind.VM_START) == 1


def _query(since: str, until: str) -> str:
    return f"/sessions?from={since}-01T00:00:00Z&to={until}-01T00:00:00Z"


@pytest.mark.parametrize(
    ("begins", "hours", "months", "before"),
    [
        ("2026-11-30T22:00", 4, ("2026-11", "2026-12", "2027-01"), 2 * 3600),
        ("2026-12-31T22:00", 4, ("2026-12", "2027-01", "2027-02"), 2 * 3600),
        ("2026-12-31T23:59", 1, ("2026-12", "2027-01", "2027-02"), 60),
    ],
)
def test_d06_a_session_over_a_months_end_is_split_and_sums_up(
    world: World, begins: str, hours: int, months: tuple[str, ...], before: int
) -> None:
    """What came before 00:00Z counts in the old month, the rest in the new one."""
    world.build_anew(BUDGET_LIMIT="4500", STANDING_COST_PER_MONTH="0")
    world.clock.set(datetime.fromisoformat(f"{begins}:00+00:00"))
    world.tick()
    world.ready(hours=hours)
    world.azure.vm.behave(beats=False)
    world.minutes(2, ticks=False)
    world.azure.vm.behave(beats=True)
    world.clock.set(world.now + timedelta(hours=hours, minutes=-4))
    world.azure.settle()
    world.tick()
    world.azure.vm.behave(beats=False)
    world.until("off", most=6)
    [line] = world.sessions()
    assert line["stop_reason"] == "asked"
    billed = line["billed_seconds"]
    assert hours * 3600 <= billed <= hours * 3600 + 180
    first, second, third = (
        datetime.fromisoformat(f"{month}-01T00:00:00+00:00") for month in months
    )
    ledger = Ledger(world.table)
    [old] = ledger.totals(MACHINE, first, second)
    [new] = ledger.totals(MACHINE, second, third)
    assert (old.billed_seconds, new.billed_seconds) == (before, billed - before)
    assert old.cost == (HOURLY * before / 3600).quantize(Decimal("0.01"), "ROUND_UP")
    assert old.cost + new.cost == Decimal(line["cost"])
    pages = [
        world.operator.get(_query(since, until)).json()["totals"]
        for since, until in pairwise(months)
    ]
    assert sum(page["billed_seconds"] for page in pages) == billed
    assert sum(Decimal(page["cost"]) for page in pages) == Decimal(line["cost"])
    assert Decimal(world.phone.status()["budget"]["spent"]) == Decimal(line["cost"])


def test_d06_a_period_begins_and_ends_at_midnight_utc(world: World) -> None:
    """A second before it nothing starts, from 00:00Z on it does; it ends as sharply."""
    world.build_anew(BUDGET_FROM="2026-12-01", BUDGET_TO="2027-01-01")
    world.clock.set(datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC))
    refused = world.phone.post("/start")
    assert refused.status_code == 402
    assert refused.json()["type"] == "/problems/budget-period-over"
    world.clock.advance(timedelta(seconds=1))
    assert world.phone.post("/start").status_code == 202
    world.phone.post("/stop")
    world.clock.set(datetime(2026, 12, 31, 22, 30, tzinfo=UTC))
    world.azure.settle()
    world.tick()
    session = world.phone.post("/start", {"hours": 4}).json()["session"]
    assert session["limited_by"] == "budget_period"
    assert session["expires_at"] == "2027-01-01T00:00:00Z"


def test_d06_the_budgets_scope_and_version_are_pinned(world: World) -> None:
    """The whole subscription's, by name, in one version of the API."""
    _with_budget(world, Decimal(0))
    world.tick()
    [asked] = world.azure.log.of(Kind.BUDGET)
    scope = f"/subscriptions/{world.azure.subscription_id}"
    assert asked.path == f"{scope}/providers/Microsoft.Consumption/budgets/monthly"
    assert asked.query["api-version"] == "2024-08-01"
