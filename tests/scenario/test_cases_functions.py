"""The timer as it really is: lost, late, doubled, or silent (B01, B02, B03)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

import pytest

from local.azure import Kind
from tests.scenario.world import SHORT, World

HOURLY = Decimal("84.80")


def _silence(world: World) -> None:
    """From now on nothing but the timer and people could end it."""
    world.azure.vm.behave(beats=False, ends_itself=False)


def _at(world: World, minutes: float) -> None:
    """Jump to so many minutes after the start, with nobody looking between."""
    asked = world.azure.log.of(Kind.VM_START, caller="app")[0].at
    world.clock.set(asked + timedelta(minutes=minutes))
    world.azure.settle()


def _cost(minutes: float) -> Decimal:
    return (HOURLY * Decimal(minutes) / 60).quantize(Decimal("0.01"))


@pytest.mark.parametrize("late_first", [True, False])
def test_b01_the_first_tick_after_a_gap_ends_it_and_charges_the_gap(
    world: World, *, late_first: bool
) -> None:
    """2 h were allowed, no tick from 1:55 to 6:40: gone at once, 6:40 charged."""
    world.ready(hours=2)
    world.hop(113)
    _at(world, 115)
    world.tick()
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    _silence(world)
    _at(world, 119.5)
    timer = world.phone.status()["enforcers"]["timer"]
    assert timer == {"last_tick_at": "2026-11-30T11:55:00Z", "stale": True}
    _at(world, 400)
    world.build_anew()
    health = world.stranger.get("/healthz")
    assert health.status_code == 503
    assert health.json()["last_tick_age_s"] == 285 * 60
    assert "285 minutes" in health.json()["detail"]

    world.host.tick("tick", past_due=late_first)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.host.tick("tick", past_due=not late_first)
    assert world.sent(Kind.VM_DEALLOCATE) == 1

    status = world.phone.status()
    assert status["state"] == "stopping"
    assert status["session"]["stop_reason"] == "asked"
    assert Decimal(status["session"]["cost"]) == _cost(400) + Decimal("0.01")
    timer = status["enforcers"]["timer"]
    assert timer == {"last_tick_at": "2026-11-30T16:40:00Z", "stale": False}
    world.until("off", most=3)
    line = world.sessions()[0]
    assert 400 * 60 <= line["billed_seconds"] <= 402 * 60
    world.accounted()


@pytest.mark.parametrize(
    ("limit", "settings"),
    [
        ("asked", {}),
        ("max_runtime", {"MAX_RUNTIME_HOURS": "3"}),
        ("budget", {"BUDGET_LIMIT": "170", "STANDING_COST_PER_MONTH": "0"}),
        ("budget_period", {"BUDGET_TO": "2026-12-01"}),
        ("never_ready", {}),
    ],
)
def test_b01_the_first_tick_after_a_gap_enforces_every_limit(
    world: World, limit: str, settings: dict[str, str]
) -> None:
    """Whichever limit fell into the gap; only `never_ready` gives two minutes more."""
    world.build_anew(**settings)
    if limit == "budget_period":
        world.clock.advance(timedelta(hours=12, minutes=30))
    world.azure.vm.behave(beats=False, ends_itself=False)
    began = world.now
    if limit == "max_runtime":
        world.azure.vm.start_outside()
    else:
        asked = {"hours": 2 if limit == "asked" else 4}
        assert world.phone.post("/start", asked).status_code == 202
    world.minutes(2)
    world.clock.set(began + timedelta(minutes=200))
    world.host.tick("tick", past_due=True)
    if limit == "never_ready":
        assert world.sent(Kind.VM_DEALLOCATE) == 0
        world.minutes(2)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=3)
    assert world.sessions()[0]["stop_reason"] == limit
    world.accounted()


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A tick that has something to do: what it sends, and the words it tells."""

    prepare: Callable[[World], None]
    starts: int = 0
    deallocates: int = 0
    told: str | None = None


def _runs(world: World) -> None:
    world.ready(hours=2)
    world.minutes(10)


def _is_over(world: World) -> None:
    world.ready(hours=2)
    _silence(world)
    _at(world, 120)


def _ends_soon(world: World) -> None:
    world.ready(minutes=60)
    _at(world, 44.9)
    world.clock.advance(timedelta(seconds=6))


def _is_found(world: World) -> None:
    _silence(world)
    world.azure.vm.start_outside()
    world.minutes(3, ticks=False)


def _waits_for_capacity(world: World) -> None:
    world.azure.faults.arm("allocation_failed")
    world.phone.post("/start")
    world.minutes(1)
    _at(world, 3)


def _is_off_at_last(world: World) -> None:
    world.ready(hours=2)
    world.phone.post("/stop")
    world.minutes(1.2, ticks=False)


def _does_not_go(world: World) -> None:
    world.ready(hours=2)
    world.azure.faults.arm("stop_runs_on", times=None)
    world.phone.post("/stop")
    _silence(world)
    world.minutes(3)
    world.minutes(1, ticks=False)


def _may_not_be_stopped(world: World) -> None:
    _is_over(world)
    kinds = frozenset({Kind.VM_DEALLOCATE})
    world.azure.faults.arm("permission", times=None, kinds=kinds)


def _is_silent(world: World) -> None:
    world.tick()
    world.azure.faults.arm("no_power_state", times=None)
    world.minutes(1)
    world.minutes(10, ticks=False)


def _is_gone(world: World) -> None:
    world.ready(hours=2)
    _silence(world)
    world.minutes(2, ticks=False)
    world.azure.vm.remove()
    world.minutes(2)
    world.minutes(1, ticks=False)


MOMENTS = {
    "runs": Moment(prepare=_runs),
    "is over": Moment(prepare=_is_over, deallocates=1),
    "ends soon": Moment(prepare=_ends_soon, told="ends in 15 minutes"),
    "is found": Moment(prepare=_is_found, told="found on"),
    "waits for capacity": Moment(prepare=_waits_for_capacity, starts=1),
    "is off at last": Moment(prepare=_is_off_at_last, told="It cost"),
    "does not go": Moment(prepare=_does_not_go, deallocates=1, told="still bill"),
    "may not be stopped": Moment(
        prepare=_may_not_be_stopped, deallocates=1, told="cannot be switched off"
    ),
    "is silent": Moment(prepare=_is_silent, told="has not said for 10 minutes"),
    "is gone": Moment(prepare=_is_gone, told="It cost"),
}


def _done(world: World) -> tuple[int, int, int]:
    notices = len(world.azure.sink.notices)
    return world.sent(Kind.VM_START), world.sent(Kind.VM_DEALLOCATE), notices


def _recorded(world: World) -> tuple[str, list[str]]:
    """Return what is spent, and every row of the ledger that counts or tells."""
    spent = world.phone.status()["budget"]["spent"]
    rows = world.rows().splitlines()
    words = (" lease ", " session:", " journal:", " total:")
    return spent, [row for row in rows if any(word in row for word in words)]


@pytest.mark.parametrize("name", MOMENTS)
def test_b02_twelve_ticks_in_one_second_are_as_one(world: World, name: str) -> None:
    """Two at once, then ten in a row: money, calls and notices as after one."""
    moment = MOMENTS[name]
    moment.prepare(world)
    before = _done(world)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: world.tick(), range(2)))
    told = 1 if moment.told else 0
    after = _done(world)
    made = tuple(now - then for now, then in zip(after, before, strict=True))
    assert made == (moment.starts, moment.deallocates, told)
    assert moment.told is None or moment.told in str(world.azure.sink.notices[-1].body)
    recorded = _recorded(world)
    for _ in range(10):
        world.tick()
    assert _done(world) == after
    assert _recorded(world) == recorded


def test_b02_time_is_counted_by_the_clock_and_not_by_ticks(world: World) -> None:
    """Ticks 30 s apart, doubled, and none for a while: cost and phases are true."""
    world.ready(hours=2)
    for pause in (0.5, 0, 0.5, 0, 0, 7, 1):
        world.minutes(pause, ticks=False)
        world.tick()
    world.azure.vm.rest()
    world.minutes(6)
    began, now = world.azure.log.of(Kind.VM_START)[0].at, world.now
    elapsed = int((now - began).total_seconds())
    cost = Decimal(world.phone.status()["session"]["cost"])
    assert cost == (HOURLY * elapsed / 3600).quantize(Decimal("0.01"), "ROUND_UP")
    world.phone.post("/stop")
    world.until("off", most=3)
    line = world.sessions()[0]
    assert sum(line["phases"].values()) == line["billed_seconds"]
    assert 300 <= line["phases"]["idle_s"] <= 7 * 60


def test_b03_without_any_tick_every_call_enforces(world: World) -> None:
    """Never a tick: a look before the end changes nothing, one at 3 h ends it."""
    world.azure.vm.behave(beats=False, ends_itself=False, takes=SHORT)
    assert world.phone.post("/start", {"hours": 2}).status_code == 202
    _at(world, 60)
    status = world.phone.status()
    assert status["enforcers"]["timer"] == {"last_tick_at": None, "stale": True}
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    _at(world, 180)
    status = world.phone.status()
    assert status["state"] == "stopping"
    assert status["session"]["stop_reason"] == "asked"
    assert status["enforcers"]["timer"]["stale"] is True
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    _at(world, 182)
    assert world.phone.status()["state"] == "off"
    assert world.sessions()[0]["billed_seconds"] >= 180 * 60
    world.accounted()


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/sessions"),
        ("POST", "/extend"),
        ("POST", "/start"),
        ("POST", "/unlock"),
        ("BEAT", "/vm/heartbeat"),
    ],
)
def test_b03_whatever_is_called_overdue_ends_it(
    world: World, method: str, path: str
) -> None:
    """Not only the status: lists, a start, an extend and the VM's own heartbeat."""
    world.azure.vm.behave(beats=False, ends_itself=False, takes=SHORT)
    world.phone.post("/start", {"hours": 2})
    _at(world, 10)
    world.phone.status()
    _at(world, 180)
    if method == "BEAT":
        world.azure.vm.behave(beats=True)
        world.azure.vm.beat()
    else:
        body = {"minutes": 5} if path == "/extend" else {}
        world.operator.call(method, path, body if method == "POST" else None)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    assert world.sent(Kind.VM_START) == 1
