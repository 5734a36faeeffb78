"""Each write of ours while Table Storage fails: one transition, or "unverified".

A trouble meets exactly the write that is named; the person who reads 503 presses again,
as the sentence says.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from random import Random
from threading import Lock

import pytest

from control import keys
from control.azure.table import AzureTable
from control.errors import LedgerError
from control.ledger import Ledger
from local.azure import Kind
from local.tables import TableProxy, batches, creates, everything, reads, writes
from local.tables.calls import Call, Meets
from tests.scenario.troubles import HARD, TROUBLES, Evening, settled
from tests.scenario.world import PHONE, SHORT, World


@pytest.fixture
def evening(world: World, proxy: TableProxy, trouble: str) -> Evening:
    world.azure.vm.behave(takes=SHORT, ends_itself=False)
    return Evening(world=world, proxy=proxy, trouble=TROUBLES[trouble])


@pytest.mark.parametrize("trouble", TROUBLES)
def test_c04_what_a_phone_asks_for_is_decided_once(evening: Evening) -> None:
    """Start, extend and stop, each with its write in trouble."""
    world = evening.world
    evening.press("/start", {"minutes": 60})
    status = world.until("ready", most=8)
    world.azure.vm.use(requests_running=1)
    until = evening.press("/extend", {"minutes": 30}).json()["session"]["expires_at"]
    asked = timedelta(minutes=90)
    assert until == _later(status["session"]["billing_since"], asked)
    evening.press("/stop")
    assert world.sent(Kind.VM_DEALLOCATE) >= 1
    world.until("off", most=10)
    events = evening.events()
    for event in ("opened", "extended", "stop", "closed"):
        assert events.count(event) == 1, events
    assert len(world.sessions()) == 1
    assert world.sent(Kind.VM_START) == 1
    settled(world)


def _later(at: str, by: timedelta) -> str:
    return f"{datetime.fromisoformat(at) + by:%Y-%m-%dT%H:%M:%SZ}"


@pytest.mark.parametrize("trouble", HARD)
def test_c04_what_the_timer_decides_is_decided_once(evening: Evening) -> None:
    """Adopt, release and close, each with its write in trouble."""
    world = evening.world
    world.azure.vm.start_outside()
    evening.tick()
    world.minutes(2)
    assert evening.events().count("adopted") == 1
    world.clock.advance(timedelta(hours=4))
    world.azure.settle()
    sent = world.sent(Kind.VM_DEALLOCATE)
    evening.tick()
    assert world.sent(Kind.VM_DEALLOCATE) == sent + 1
    evening.tick()
    world.minutes(2)
    events = evening.events()
    for event in ("adopted", "released", "closed"):
        assert events.count(event) == 1, events
    assert len(world.sessions()) == 1
    assert world.sent(Kind.VM_START) == 0
    settled(world)


@pytest.mark.parametrize("trouble", ["reset", "lost_then_silence"])
def test_c04_the_lock_is_set_and_lifted_once(evening: Evening) -> None:
    """And it takes the lease away whatever became of its answer."""
    world = evening.world
    world.phone.post("/start")
    evening.press("/lock")
    assert world.phone.post("/start").status_code in {409, 423}
    world.until("off", most=10)
    events = evening.events()
    assert events.count("locked") == events.count("closed") == 1
    evening.press("/unlock")
    assert not world.phone.status()["locked"]
    settled(world)


def _troubled_start(world: World, proxy: TableProxy) -> None:
    """After the trouble: one session, at most one start in a minute, and it runs."""
    proxy.faults.clear()
    world.until("ready", most=12)
    lines = world.sessions()
    assert len(lines) == 1
    events = [line["event"] for line in world.journal(lines[0]["id"])]
    assert events.count("opened") == 1
    world.phone.post("/stop")
    world.until("off", most=10)
    world.accounted()


@pytest.mark.parametrize("fault", ["answer_lost", "reset", "delayed"])
def test_c04_the_outcome_of_a_start_is_written_once(
    world: World, proxy: TableProxy, fault: str
) -> None:
    """The second write of a start: what Azure answered."""
    world.azure.vm.behave(takes=SHORT, ends_itself=False)
    TROUBLES[fault](proxy, _second(batches(keys.LEASE)))
    assert world.phone.post("/start").status_code == 202
    assert sum(proxy.faults.met.values()) == 1
    (line,) = world.sessions()
    events = [entry["event"] for entry in world.journal(line["id"])]
    assert events.count("start_accepted") == 1
    assert world.sent(Kind.VM_START) == 1
    _troubled_start(world, proxy)
    assert world.sent(Kind.VM_START) == 1


def _second(on: Meets) -> Meets:
    met: list[bool] = []

    def meets(call: Call) -> bool:
        if on(call):
            met.append(True)
            return len(met) > 1
        return False

    return meets


@pytest.mark.parametrize("fault", ["delayed", "held_back"])
def test_c04_a_start_whose_write_takes_longer_than_we_wait_is_one_start(
    world: World, proxy: TableProxy, fault: str
) -> None:
    """Given up after 3 s; it is in by then, or arrives behind the second try."""
    world.azure.vm.behave(takes=SHORT, ends_itself=False)
    proxy.faults.arm(fault, on=batches(keys.LEASE), seconds=3.4)
    assert world.phone.post("/start").status_code in {200, 202}
    proxy.settle()
    _troubled_start(world, proxy)
    assert world.sent(Kind.VM_START) == 1


def test_c04_a_failed_deallocate_is_noted_once_and_sent_again(
    world: World, proxy: TableProxy
) -> None:
    """The outcome's write is lost; the release goes on."""
    world.ready()
    world.azure.faults.arm("unavailable", kinds=frozenset({Kind.VM_DEALLOCATE}))
    proxy.faults.arm("answer_lost", on=_second(batches(keys.LEASE)))
    assert world.phone.post("/stop").status_code == 202
    (line,) = world.sessions()
    events = [entry["event"] for entry in world.journal(line["id"])]
    assert events.count("deallocate_failed") == events.count("stop") == 1
    world.until("off", most=5)
    assert world.sent(Kind.VM_DEALLOCATE) >= 2
    world.accounted()


FORESEEN = {200, 202, 409, 422, 429, 503}
AWAY = ("reset", "server_busy", "table_being_deleted", "too_many_requests")


@pytest.mark.parametrize("fault", ["reset", "table_being_deleted"])
def test_c09_a_ledger_that_takes_nothing_refuses_a_start_and_never_a_stop(
    world: World, proxy: TableProxy, fault: str
) -> None:
    """Whether it cannot be read or only not written: no start, and a deallocate."""
    world.ready(minutes=60)
    for on in (writes(), everything()):
        proxy.faults.arm(fault, on=on, times=None)
        assert world.phone.post("/stop").status_code == 202
        assert world.sent(Kind.VM_DEALLOCATE) >= 1
        refused = world.phone.post("/extend", {"minutes": 5})
        assert refused.json()["type"] == "/problems/ledger-unverified"
        assert world.phone.get("/status").status_code == 200
        world.tick()
        proxy.faults.clear()
    world.phone.post("/stop")
    world.until("off", most=5)
    starts = world.sent(Kind.VM_START)
    for on in (writes(), everything()):
        proxy.faults.arm(fault, on=on, times=None)
        refused = world.phone.post("/start")
        assert refused.status_code == 503
        assert refused.json()["type"] == "/problems/ledger-unverified"
        world.tick()
        proxy.faults.clear()
    assert world.sent(Kind.VM_START) == starts
    world.minutes(1)
    assert len(world.sessions()) == 1
    world.accounted()


ROWS = ("observed", "heartbeat", "tick", "reported", "quote", "token:")


def test_a_plain_row_that_is_not_written_is_written_by_the_next_run(
    world: World, proxy: TableProxy
) -> None:
    """Each row five times in trouble: no 500, nothing is held up, and all are there."""
    world.azure.vm.behave(takes=SHORT, ends_itself=False)
    world.build_anew(BUDGET_NAME="monthly")
    faults = (*AWAY, "answer_lost")
    for fault in faults:
        for row in ROWS:
            proxy.faults.arm(fault, on=writes(row))
    assert world.phone.post("/start").status_code == 202
    for _ in faults:
        world.minutes(1)
        assert world.phone.get("/status").status_code == 200
    assert proxy.faults.met == dict.fromkeys(faults, len(ROWS))
    world.minutes(1)
    assert all(f" {row}" in world.rows() for row in ROWS)
    assert len(world.sessions()) == 1
    world.phone.post("/stop")
    settled(world)


@pytest.mark.parametrize("fault", ["answer_lost", "reset", "table_being_deleted"])
def test_a_pairing_code_is_spent_at_most_once(
    world: World, proxy: TableProxy, fault: str
) -> None:
    """In trouble when it is made, spent, and exchanged: a token, or a clean answer."""
    for prefix in ("code:", "token:"):
        made = world.operator.post("/devices/iphone/code").json()["code"]
        proxy.faults.arm(fault, on=writes(prefix))
        answer = world.stranger.post("/pair", {"code": made})
        assert answer.status_code == 503
        assert answer.json()["type"] == "/problems/ledger-unverified"
        again = world.stranger.post("/pair", {"code": made})
        spent = fault == "answer_lost" or prefix == "token:"
        assert again.status_code == (410 if spent else 200), again.text
    proxy.faults.arm(fault, on=writes("code:"))
    assert world.operator.post("/devices/iphone/code").status_code == 503
    made = world.operator.post("/devices/iphone/code").json()["code"]
    assert world.stranger.post("/pair", {"code": made}).json()["token"] == PHONE
    assert world.stranger.post("/pair", {"code": made}).status_code == 410


@pytest.mark.parametrize("fault", ["answer_lost", "reset", "server_busy"])
def test_init_under_trouble_makes_one_ledger_with_what_is_carried_over(
    world: World, proxy: TableProxy, fault: str
) -> None:
    """Repeated until it is done; then another amount changes nothing."""
    name = f"init{world.environ['LEDGER_TABLE']}"
    ledger = Ledger(AzureTable.by_connection_string(proxy.connection_string, name=name))
    proxy.faults.arm(fault, on=creates())
    proxy.faults.arm(fault, on=writes(keys.META))
    for _ in range(3):
        with suppress(LedgerError):
            ledger.initialise(Decimal("12.50"), world.now)
    assert proxy.faults.met == {fault: 2}
    made = ledger.initialise(Decimal(7), world.now)
    assert made.carried_over == Decimal("12.50")
    assert ledger.meta() == made


def test_a_partition_that_is_away_does_not_hold_up_the_deadline(
    world: World, proxy: TableProxy
) -> None:
    """What is kept for all machines cannot be read: the lease's end is kept."""
    world.ready(minutes=60)
    proxy.faults.arm("server_busy", on=reads(partition="-"), times=None)
    assert world.phone.post("/start").status_code in {200, 503}
    assert world.phone.post("/extend", {"minutes": 5}).status_code == 503
    world.clock.advance(timedelta(minutes=62))
    world.azure.settle()
    world.tick()
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    proxy.faults.clear()
    world.until("off", most=5)
    assert world.sessions()[0]["stop_reason"] == "asked"
    world.accounted()


@pytest.mark.parametrize("seed", range(2))
def test_c04_taps_and_ticks_at_once_under_troubles_by_chance(
    world: World, proxy: TableProxy, seed: int
) -> None:
    """Every twelfth call fails somehow, three people at once: no line is lost."""
    chance, guard = Random(seed), Lock()

    def by_chance(_: Call) -> bool:
        with guard:
            return chance.random() < 0.015

    world.azure.vm.behave(takes=SHORT, ends_itself=False)
    for fault in ("answer_lost", "answer_empty", *AWAY):
        proxy.faults.arm(fault, on=by_chance, times=None)
    for _ in range(12):
        jobs = chance.choices(["start", "stop", "extend", "status", "tick"], k=3)
        with ThreadPoolExecutor(3) as pool:
            answers = list(pool.map(partial(_do, world), jobs))
        for job, status in zip(jobs, answers, strict=True):
            assert status in ({200, 202} if job == "stop" else FORESEEN), job
        world.minutes(chance.choice([0.5, 1, 2]))
    proxy.faults.clear()
    world.phone.post("/stop")
    world.minutes(3)
    settled(world)
    for line in world.sessions():
        events = [entry["event"] for entry in world.journal(line["id"])]
        assert events.count("opened") + events.count("adopted") == 1, events
        assert events.count("closed") == 1, events


def _do(world: World, job: str) -> int:
    if job == "tick":
        world.tick()
        return 200
    if job == "status":
        return world.phone.get("/status").status_code
    body = {"minutes": 30} if job == "extend" else {}
    return world.phone.post(f"/{job}", body).status_code
