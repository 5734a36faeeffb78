"""What must hold, whatever else fails: each promise of the README over real HTTP."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from local.azure import Kind, Verb
from tests.scenario.world import MACHINE, World, build_anew

ROUTES = (
    "/start",
    "/stop",
    "/deallocate",
    "/extend",
    "/status",
    "/sessions",
    "/sessions/01JDQ0000000000000000000000",
    "/devices",
    "/devices/iphone/code",
    "/lock",
    "/unlock",
    "/vm/heartbeat",
    "/pair",
    "/healthz",
    "/openapi.json",
    "/",
    "/ledger",
    "/nowhere",
)


def test_a_start_is_answered_without_waiting_for_the_operation(world: World) -> None:
    """The operation never ends; the answer comes at once and polls nothing."""
    world.azure.faults.arm("never_ends", verb=Verb.START)
    began = time.monotonic()
    answer = world.phone.post("/start")
    assert answer.status_code == 202
    assert time.monotonic() - began < 5
    assert world.sent(Kind.POLL) == 0


def test_a_slow_azure_does_not_hold_the_phone(world: World) -> None:
    """ARM takes 20 s for its 202; the phone has its answer within the call's 8 s."""
    world.azure.faults.arm("slow", seconds=20, kinds=frozenset({Kind.VM_START}))
    began = time.monotonic()
    answer = world.phone.post("/start")
    assert answer.status_code == 202
    assert time.monotonic() - began < 9
    assert "Azure has not answered" in answer.json()["summary"]


def test_a_stop_is_answered_without_waiting_for_the_operation(world: World) -> None:
    """A deallocate that never ends: the answer comes at once."""
    world.phone.post("/start")
    world.until("ready")
    world.azure.faults.arm("never_ends", verb=Verb.DEALLOCATE)
    began, polls = time.monotonic(), world.sent(Kind.POLL)
    assert world.phone.post("/stop").status_code == 202
    assert time.monotonic() - began < 5
    assert world.sent(Kind.POLL) == polls


def test_b07_ten_taps_at_once_are_one_start(world: World) -> None:
    """Ten parallel starts: one ARM start, one session, ten answers with its id."""
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: world.phone.post("/start"), range(10)))
    assert sorted({answer.status_code for answer in answers}) in ([200, 202], [202])
    assert sum(answer.status_code == 202 for answer in answers) == 1
    assert len({answer.json()["session"]["id"] for answer in answers}) == 1
    assert world.sent(Kind.VM_START) == 1
    assert len(world.sessions()) == 1


def test_a07_shut_down_from_inside_is_gone_within_one_tick(world: World) -> None:
    """`stopped` is billed: the next tick deallocates it."""
    world.phone.post("/start")
    world.until("ready")
    world.azure.vm.shut_down_inside()
    world.clock.advance(timedelta(seconds=30))
    world.azure.settle()
    assert world.phone.status()["state"] in {"stopped_but_billing", "stopping"}
    world.tick()
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=5)
    assert world.sessions()[0]["stop_reason"] == "guest_shutdown"


def test_a07_stopped_without_any_session_is_gone_within_one_tick(world: World) -> None:
    """Found stopped while nobody looked: adopted and deallocated in the same run."""
    world.azure.vm.start_outside()
    world.minutes(3, ticks=False)
    world.azure.vm.shut_down_inside()
    world.clock.advance(timedelta(seconds=30))
    world.azure.settle()
    world.tick()
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=5)
    assert world.sessions()[0]["stop_reason"] == "guest_shutdown"


def test_a14_a_stop_that_succeeds_while_it_runs_on_is_repeated(world: World) -> None:
    """202 and Succeeded, but it runs: each tick sends another, the session is open."""
    world.phone.post("/start")
    world.until("ready")
    world.azure.faults.arm("stop_runs_on", times=3)
    world.azure.vm.behave(ends_itself=False)
    world.phone.post("/stop")
    world.minutes(2)
    assert world.sessions()[0]["ended_at"] is None
    world.until("off", most=8)
    assert world.sent(Kind.VM_DEALLOCATE) >= 4


def test_the_ledger_is_gone_and_the_cap_still_holds(world: World) -> None:
    """No ledger, over its cap: one tick deallocates by ARM alone."""
    world.phone.post("/start")
    world.until("ready")
    world.azure.vm.behave(ends_itself=False, beats=False)
    world.azurite.stop()
    try:
        world.clock.advance(timedelta(hours=4))
        world.tick()
        assert world.sent(Kind.VM_DEALLOCATE) == 1
    finally:
        world.azurite.start()
    world.until("off", most=5)


def test_stop_works_without_a_ledger(world: World) -> None:
    """The ledger is gone: stop deallocates all the same and says to press again."""
    world.phone.post("/start")
    world.until("ready")
    world.azurite.stop()
    try:
        answer = world.phone.post("/stop")
        assert answer.status_code == 202
        assert world.sent(Kind.VM_DEALLOCATE) == 1
        status = world.phone.status()
        assert status["session"] is status["budget"] is status["offer"] is None
        assert status["problem"] == "ledger-unverified"
        refused = world.phone.post("/start")
        assert refused.status_code == 503
        assert refused.json()["type"] == "/problems/ledger-unverified"
    finally:
        world.azurite.start()
    world.until("off", most=5)
    assert world.sent(Kind.VM_START) == 1


def test_a_ledger_that_hangs_does_not_hold_a_stop(world: World) -> None:
    """From a cold process, connections hang: the deallocate is out in ten seconds."""
    world.phone.post("/start")
    world.until("ready")
    world.build_anew()
    world.azurite.freeze()
    try:
        began = time.monotonic()
        assert world.phone.post("/stop").status_code == 202
        assert time.monotonic() - began < 10
        assert world.sent(Kind.VM_DEALLOCATE) == 1
    finally:
        world.azurite.thaw()
    world.until("off", most=5)


def test_the_vault_is_gone_and_a_known_phone_can_still_stop(world: World) -> None:
    """From a cold process: the `token:` row admits stop and status, nothing else."""
    world.phone.post("/start")
    world.until("ready")
    world.azure.faults.arm("vault_unreachable", times=None, target="app-vault")
    world.build_anew()
    world.minutes(2, ticks=False)
    assert world.phone.status()["state"] in {"ready", "loading"}
    assert world.phone.post("/extend", {"minutes": 5}).status_code == 503
    assert world.phone.post("/stop").status_code == 202
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    stranger = world.phone.call("POST", "/stop", {}, Authorization="Bearer guess")
    assert stranger.status_code == 503
    assert stranger.json()["type"] == "/problems/vault-unavailable"


def test_prices_and_budget_are_gone_and_nothing_loosens(world: World) -> None:
    """Enforcement is as before, and the status says where the price is from."""
    world.azure.faults.arm("prices_unreachable", times=None)
    world.azure.faults.arm("budget_unreachable", times=None)
    world.phone.post("/start", {"minutes": 60})
    status = world.until("ready")
    assert status["session"]["price_source"] == "configured"
    assert status["budget"]["reported_by_azure"] is None
    world.azure.vm.behave(ends_itself=False)
    world.azure.vm.use(requests_running=1)
    world.minutes(status["session"]["seconds_left"] / 60 - 1)
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.until("off", most=5)
    assert world.sessions()[0]["stop_reason"] == "asked"


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("known", [True, False])
def test_b10_what_only_looks_never_acts(
    world: World, method: str, *, known: bool
) -> None:
    """Link previews and scanners start, stop, extend and unlock nothing."""
    world.tick()
    world.operator.post("/lock")
    before = world.rows()
    person = world.phone if known else world.stranger
    for route in ROUTES:
        answer = person.call(method, route, **{"User-Agent": "TelegramBot"})
        assert answer.status_code < 500
    assert world.sent(Kind.VM_START) == world.sent(Kind.VM_DEALLOCATE) == 0
    kept = [line for line in before.splitlines() if f"{MACHINE} lease" in line]
    assert [line for line in world.rows().splitlines() if "lease" in line][:1] == kept
    assert world.phone.post("/start").status_code == 423


def test_b10_a_look_at_an_overdue_machine_takes_it_away(world: World) -> None:
    """The timer is frozen: an authenticated GET after the deadline releases."""
    world.phone.post("/start", {"minutes": 60})
    world.until("ready")
    world.azure.vm.behave(ends_itself=False, beats=False)
    world.clock.advance(timedelta(hours=2))
    assert world.phone.get("/status").status_code == 200
    assert world.sent(Kind.VM_DEALLOCATE) == 1


def test_without_settings_the_first_call_says_which_are_missing(world: World) -> None:
    """The first call names every missing setting at once."""
    build_anew(world.host, {}, world.clock)
    answer = world.phone.post("/start")
    assert answer.status_code == 500
    for name in ("AZURE_SUBSCRIPTION_ID", "VM_NAME", "KEY_VAULT_URL", "BUDGET_LIMIT"):
        assert name in answer.text
