"""People, timer and a ledger that comes and goes, all at once, by seeded chance."""

from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from tests.scenario.world import World


def _do(world: World, job: str) -> int:
    if job == "tick":
        world.tick()
        return 200
    if job == "status":
        return world.phone.get("/status").status_code
    body = {"minutes": 30} if job == "extend" else {}
    return world.phone.post(f"/{job}", body).status_code


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
    world.accounted()


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
    world.accounted()
