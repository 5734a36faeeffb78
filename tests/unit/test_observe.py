"""One observation: fresh or of the last 8 seconds, and never older than our calls."""

from dataclasses import replace
from datetime import timedelta

import pytest

from control import keys
from control.errors import LedgerUnavailable
from control.observe import Observer, Sighting, read_machine
from control.ports import Row
from control.spend import Spending
from control.words import Fault, LeaseState, OperationState, Power, RunKind
from tests.unit.builders import (
    ASK,
    LOST,
    PRICE,
    SECOND,
    VM,
    World,
    error,
    lease,
    release,
    session,
    start,
    world,
)


def look(of: World, run: RunKind = RunKind.READ, *, fresh: bool = False) -> Sighting:
    """Take an observation for the lease as it is."""
    spending = Spending(of.ledger, of.policies)
    observer = Observer(of.ledger, of.machines, spending, of.clock)
    return observer.observe(of.state(), run, None, fresh=fresh)


@pytest.mark.parametrize(("seconds", "reads"), [(0, 1), (8, 1), (8.001, 2)])
def test_a_reading_is_kept_for_8_seconds(seconds: float, reads: int) -> None:
    """Any number of open pages cost one read."""
    of = world()
    for _ in range(5):
        look(of)
    of.clock.advance(timedelta(seconds=seconds))
    seen = look(of)
    assert of.count("read") == reads
    assert seen.observation.fresh is (reads == 2)


def test_a_fresh_look_reads_at_once_and_keeps_what_it_saw() -> None:
    """Whatever was read before."""
    of = world()
    look(of)
    of.reads(Power.RUNNING)
    seen = look(of, fresh=True)
    assert (seen.observation.power, seen.observation.fresh) == (Power.RUNNING, True)
    assert of.ledger.observed(VM) == seen.observation.seen
    assert look(of).observation.power is Power.RUNNING


@pytest.mark.parametrize(("seconds", "decides"), [(-1, True), (0, True), (1, False)])
@pytest.mark.parametrize("state", [LeaseState.HELD, LeaseState.RELEASING])
def test_no_reading_from_before_our_last_call_decides(
    state: LeaseState, seconds: int, decides: object
) -> None:
    """Neither before the start, nor before the deallocate."""
    of = world()
    look(of)
    sent = of.now() + seconds * SECOND
    newest = lease(start=start(sent_at=sent, operation_url=None))
    if state is LeaseState.RELEASING:
        newest = lease(state, start=None, release=release(sent_at=sent))
    known = replace(of.state(), lease=newest, session=session())
    of.clock.advance(2 * SECOND)
    observer = Observer(
        of.ledger, of.machines, Spending(of.ledger, of.policies), of.clock
    )
    old = observer.observe(known, RunKind.READ, None, fresh=False)
    assert old.decides is decides
    assert observer.observe(known, RunKind.READ, None, fresh=True).decides


def test_a08_what_azure_refuses_to_say_is_unknown() -> None:
    """With its cause."""
    of = world()
    of.machines.fail("read", error(Fault.PERMISSION, 403))
    reading = read_machine(of.machines, VM, of.clock)
    assert (reading.power, reading.problem) == (Power.UNKNOWN, "permission")
    assert reading.began_at == of.now()
    assert not reading.not_found


def test_the_operation_is_looked_at_while_the_start_is_in_flight() -> None:
    """Once per reading, and not after its end."""
    of = world()
    of.start()
    assert look(of, fresh=True).observation.operation is not None
    assert look(of).observation.operation is None
    url = of.operation()
    assert of.count("operation", url) == 1
    of.machines.finish(url)
    of.clock.advance(SECOND)
    of.switch.tick()
    assert look(of, fresh=True).observation.operation is None


def test_a03_an_operation_that_cannot_be_read_is_none() -> None:
    """Its URL is location-scoped, and gone after a while."""
    of = world()
    of.start()
    of.machines.fail("operation", error(Fault.PERMISSION, 403))
    assert look(of, fresh=True).observation.operation is None
    seen = look(of, fresh=True).observation.operation
    assert seen is not None
    assert seen.state is OperationState.IN_PROGRESS


def test_a_start_without_a_url_has_no_operation() -> None:
    """Nor has one that got no answer."""
    of = world()
    of.machines.fail("start", LOST)
    of.start()
    assert look(of, fresh=True).observation.operation is None
    assert of.machines.operations == {}


def test_what_was_seen_may_fail_to_be_kept() -> None:
    """A failing ledger never stops enforcement."""
    of = world()
    of.table.lose_answers()
    seen = look(of, fresh=True)
    assert seen.observation.power is Power.DEALLOCATED


def test_a_ledger_that_cannot_be_read_is_an_error() -> None:
    """The caller goes on by ARM alone."""
    of = world()
    state = of.state()
    of.table.unreachable = True
    observer = Observer(
        of.ledger, of.machines, Spending(of.ledger, of.policies), of.clock
    )
    with pytest.raises(LedgerUnavailable):
        observer.observe(state, RunKind.TICK, ASK, fresh=True)


def test_d04_an_unreadable_total_makes_the_spend_unknown() -> None:
    """And no less."""
    of = world()
    assert look(of).observation.spend is not None
    of.table.put(VM, keys.total("2026-11"), {"month": "2026-11", "cost": "?"})
    assert look(of).observation.spend is None


def test_the_stored_quote_and_the_ask_go_along() -> None:
    """With an id for a session that may be opened."""
    of = world()
    of.switch.tick()
    spending = Spending(of.ledger, of.policies)
    observer = Observer(of.ledger, of.machines, spending, of.clock)
    seen = observer.observe(of.state(), RunKind.START, ASK, fresh=False).observation
    assert seen.ask == ASK
    assert seen.quote is not None
    assert seen.quote.price_per_hour == PRICE
    assert keys.session(seen.new_id)


def test_what_is_kept_for_all_machines_may_be_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Then spend and quote are unknown; what was read of the lease goes on."""
    of = world()
    of.switch.tick()
    get = of.table.get

    def away(partition: str, key: str) -> Row | None:
        if partition == keys.DEPLOYMENT:
            raise LedgerUnavailable("503")
        return get(partition, key)

    monkeypatch.setattr(of.table, "get", away)
    seen = look(of, fresh=True).observation
    assert seen.spend is None
    assert seen.quote is None
    assert seen.power is Power.DEALLOCATED
