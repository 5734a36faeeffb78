"""What must hold, whatever else fails: each promise of the README over real HTTP."""

import time
from datetime import timedelta

from local.azure import Kind, Verb
from local.tables import TableProxy
from tests.scenario.world import SHORT, World, build_anew


def test_a_stop_is_answered_without_waiting_for_the_operation(world: World) -> None:
    """A deallocate that never ends: the answer comes at once."""
    world.azure.vm.behave(takes=SHORT)
    world.phone.post("/start")
    world.until("ready")
    world.azure.faults.arm("never_ends", verb=Verb.DEALLOCATE)
    began, polls = time.monotonic(), world.sent(Kind.POLL)
    assert world.phone.post("/stop").status_code == 202
    assert time.monotonic() - began < 5
    assert world.sent(Kind.POLL) == polls


def test_the_ledger_is_gone_and_the_cap_still_holds(world: World) -> None:
    """No ledger, over its cap: one tick deallocates by ARM alone."""
    world.azure.vm.behave(takes=SHORT)
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
    world.azure.vm.behave(takes=SHORT)
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
    world.azure.vm.behave(takes=SHORT)
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
    world.azure.vm.behave(takes=SHORT)
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


def test_prices_are_gone_and_nothing_loosens(world: World) -> None:
    """Enforcement is as before, and the status says where the price is from."""
    world.azure.faults.arm("prices_unreachable", times=None)
    world.tick()
    status = world.ready(minutes=60)
    assert status["session"]["price_source"] == "configured"
    world.hop(56)
    world.minutes(status["session"]["seconds_left"] / 60 - 57)
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    world.minutes(1)
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    world.azure.vm.behave(beats=False)
    world.until("off", most=5)
    assert world.sessions()[0]["stop_reason"] == "asked"


def test_without_settings_the_first_call_says_which_are_missing(world: World) -> None:
    """The first call names every missing setting at once."""
    build_anew(world.host, {}, world.clock)
    answer = world.phone.post("/start")
    assert answer.status_code == 500
    for name in ("AZURE_SUBSCRIPTION_ID", "VM_NAME", "KEY_VAULT_URL", "BUDGET_LIMIT"):
        assert name in answer.text


def test_a_stop_without_a_ledger_tells_of_a_start_that_still_waits(
    world: World, proxy: TableProxy
) -> None:
    """Off for now: who hears "already off" would not press again, and it starts."""
    world.azure.faults.arm("allocation_failed")
    world.phone.post("/start")
    world.minutes(1)
    proxy.faults.arm("reset", times=None)
    told = world.phone.say("/stop")
    assert told.startswith("Off now, but")
    assert "Press stop again" in told
    proxy.faults.clear()
    assert world.phone.say("/stop").startswith("Already off.")
    world.minutes(4)
    assert world.sent(Kind.VM_START) == 1
    world.accounted()
