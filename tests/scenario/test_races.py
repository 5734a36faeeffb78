"""People, timer and a ledger that comes and goes, all at once, by seeded chance."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from random import Random

import pytest

from control.ledger import Ledger
from local.azure import Power
from tests.scenario.conftest import START
from tests.scenario.world import MACHINE, World


def _do(world: World, job: str) -> int:
    if job == "tick":
        world.tick()
        return 200
    if job == "status":
        return world.phone.get("/status").status_code
    body = {"minutes": 30} if job == "extend" else {}
    return world.phone.post(f"/{job}", body).status_code


def _ended_well(world: World) -> None:
    """Off, every session closed, nothing billed that is in no session."""
    assert world.azure.vm.power is Power.DEALLOCATED
    lines = world.sessions()
    assert all(line["ended_at"] for line in lines)
    billed = sum(line["billed_seconds"] for line in lines)
    assert billed >= world.azure.vm.billed_seconds() - 1
    after = START + timedelta(days=60)
    totals = Ledger(world.table).totals(MACHINE, START, after)
    cost = sum(Decimal(line["cost"]) for line in lines)
    assert sum(total.cost for total in totals) == cost


@pytest.mark.parametrize("seed", range(2))
def test_b07_taps_and_ticks_at_once_lose_no_line(world: World, seed: int) -> None:
    """Six calls in parallel, six times: no 5xx, and the ledger has every second."""
    chance = Random(seed)
    for _ in range(6):
        jobs = chance.choices(["start", "stop", "extend", "tick", "status"], k=6)
        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda job: _do(world, job), jobs))
        assert max(answers) < 500
        world.minutes(chance.choice([0.2, 0.5, 1, 2, 5]))
    world.phone.post("/stop")
    world.until("off", most=12)
    world.minutes(3)
    _ended_well(world)


@pytest.mark.parametrize("seed", range(2))
def test_a_ledger_that_comes_and_goes_loses_no_line(world: World, seed: int) -> None:
    """90 minutes with outages by chance: off in the end, and every second is there."""
    chance, away = Random(seed), False
    world.phone.post("/start", {"minutes": 60})
    for _ in range(90):
        if chance.random() < 0.15:
            (world.azurite.start if away else world.azurite.stop)()
            away = not away
        world.minutes(1)
    if away:
        world.azurite.start()
    world.until("off", most=20)
    world.minutes(2)
    _ended_well(world)
