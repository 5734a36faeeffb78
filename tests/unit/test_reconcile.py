"""The loop: one observation, one decision, one intent, one call, whoever runs it."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from control import keys, requests
from control.act import Actor
from control.errors import LedgerConflict, LedgerError, LedgerUnavailable
from control.ledger import Ledger
from control.memory import MemoryMachines, MemoryTable
from control.model import Reading
from control.observe import Observer
from control.ports import Accepted, Write
from control.reconcile import TRIES, Reconciler
from control.spend import Spending
from control.switch import Switch
from control.views import Answer
from control.words import Fault, LeaseState, Phase, Power, RunKind, StopReason
from tests.unit.builders import (
    ASK,
    ASKED_AT,
    LOST,
    MINUTE,
    POLICY,
    SECOND,
    VM,
    World,
    at,
    error,
    provisioning,
    world,
)


def together[T](count: int, call: Callable[[], T]) -> list[T]:
    """Call at once from so many threads."""
    gate, made = threading.Barrier(count, timeout=10), list[T]()

    def run() -> None:
        gate.wait()
        made.append(call())

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(made) == count
    return made


def test_b07_ten_parallel_starts_make_one_session_and_one_call() -> None:
    """Ten answers with the same id; exactly one has opened it."""
    of = world()
    answers = together(10, lambda: of.switch.start(VM, ASK))
    assert of.count("start") == 1
    ids = {answer.view.session.id for answer in answers if answer.view.session}
    assert len(ids) == 1
    assert all(answer.refusal is None for answer in answers)
    assert sum(answer.opened for answer in answers) == 1
    assert len(list(of.ledger.sessions(VM))) == 1


def test_b02_ticks_at_the_same_time_act_as_one() -> None:
    """Two at once, then ten in a row: calls, journal and notices as after one."""
    of = world()
    of.running()
    of.clock.set(at("12:05"))
    together(2, of.switch.tick)
    for _ in range(10):
        of.switch.tick()
    assert of.count("deallocate") == 1
    session = of.state().session
    assert session is not None
    assert of.journal(session.id).count("released") == 1
    of.off()
    together(2, of.switch.tick)
    of.switch.tick()
    assert of.journal(session.id).count("closed") == 1
    assert len(of.notes()) == 1
    (total,) = of.ledger.totals(VM, POLICY.budget.start, POLICY.budget.end)
    assert total.cost == of.closed().cost
    assert total.sessions == 1


def test_b08_a_true_second_session_a_minute_after_a_stop() -> None:
    """It is not taken for a repeated tap."""
    of = world()
    of.running()
    of.switch.stop(VM, "iphone")
    of.pass_by(1)
    of.off()
    of.clock.advance(10 * SECOND)
    answer = of.start()
    assert answer.refusal is None
    assert answer.opened
    assert of.count("start") == 2
    first, second = [made for _, made in of.ledger.sessions(VM)][::-1]
    assert first is not None
    assert second is not None
    assert first.stop_reason is StopReason.USER
    assert "opened" in of.journal(second.id)


@pytest.mark.parametrize(
    ("fault", "slug", "reason"),
    [
        (Fault.QUOTA, "start-failed", StopReason.START_FAILED),
        (Fault.PERMISSION, "start-failed", StopReason.START_FAILED),
        (Fault.SKU, "start-failed", StopReason.START_FAILED),
        (Fault.DISABLED, "start-failed", StopReason.START_FAILED),
        (Fault.SCOPE_LOCK, "start-failed", StopReason.START_FAILED),
        (Fault.CONFLICT, None, None),
        (Fault.THROTTLED, None, None),
        (Fault.CAPACITY, None, None),
        (Fault.UNAVAILABLE, None, None),
    ],
)
def test_a03_each_refusal_of_the_start_leads_to_its_row(
    fault: Fault, slug: str | None, reason: StopReason | None
) -> None:
    """What waiting does not mend is answered at once; else the timer goes on asking."""
    of = world()
    of.machines.fail("start", error(fault, 503 if fault is Fault.UNAVAILABLE else 409))
    answer = of.start()
    assert (answer.refusal.slug if answer.refusal else None) == slug
    assert of.count("start") == 1
    if reason is not None:
        closed = of.closed()
        assert closed.stop_reason is reason
        assert closed.cost == 0
        assert of.state().lease.state is LeaseState.NONE
        return
    assert answer.unsent
    assert answer.opened
    of.pass_by(3)
    assert of.count("start") >= 2
    newest = of.state().lease.start
    assert newest is not None
    assert newest.fault is None


def test_a03_no_capacity_after_all_ends_for_nothing() -> None:
    """The operation says so each time; the last one frees the slot."""
    of = world()
    of.start()
    for _ in range(30):
        if of.state().lease.start is not None:
            of.machines.finish(of.operation(), Fault.CAPACITY, code="AllocationFailed")
        of.pass_by(1)
    closed = of.closed()
    assert closed.stop_reason is StopReason.NO_CAPACITY
    assert closed.cost == 0
    assert of.count("start") == 6
    assert of.count("deallocate") == 0


def test_a05_a_start_that_was_preempted_is_superseded() -> None:
    """The guest deallocated itself meanwhile: no error, and no new start."""
    of = world()
    of.start()
    of.machines.finish(of.operation(), Fault.PREEMPTED, code="OperationPreempted")
    of.pass_by(4)
    closed = of.closed()
    assert closed.stop_reason is StopReason.OUTSIDE
    assert of.count("start") == 1


def test_a05_a_deallocate_that_conflicts_is_sent_on_the_next_ticks() -> None:
    """Three times in vain, and then it is taken."""
    of = world()
    of.running()
    of.machines.fail("deallocate", error(Fault.CONFLICT), times=3)
    answer = of.switch.stop(VM, "iphone")
    assert answer.unsent
    of.pass_by(3)
    assert of.count("deallocate") == 4
    of.off()
    of.pass_by(1)
    assert of.closed().stop_reason is StopReason.USER


def test_a14_a_stop_that_succeeds_while_the_machine_runs_on() -> None:
    """One call a tick, an alarm, the session open and the cost running."""
    of = world()
    of.running()
    of.switch.stop(VM, "iphone")
    of.pass_by(5)
    assert of.count("deallocate") == 6
    assert sum("may still bill" in text for text in of.notes()) == 3
    view = of.view()
    assert view.session is not None
    assert view.cost is not None
    assert view.cost > Decimal(9)


def test_a14_a_deallocate_that_is_forbidden_is_told_at_once() -> None:
    """A role was taken away."""
    of = world()
    of.running()
    of.machines.fail("deallocate", error(Fault.PERMISSION, 403), times=None)
    of.switch.stop(VM, "iphone")
    assert any("Azure portal" in text for text in of.notes())
    of.pass_by(2)
    assert of.count("deallocate") == 3
    assert of.state().session is not None


def test_a_process_that_died_between_intent_and_start_sends_it_again() -> None:
    """Unanswered for two minutes, then it counts as unavailable; one session."""
    of = world()
    of.machines.fail("start", LOST)
    of.start()
    of.pass_by(1)
    assert of.count("start") == 1
    of.pass_by(1)
    assert of.count("start") == 2
    lease = of.state().lease
    assert lease.start is not None
    assert lease.start.attempts == 2
    assert lease.unanswered_at is None
    assert len(list(of.ledger.sessions(VM))) == 1


def test_a_process_that_died_between_intent_and_deallocate_sends_it_again() -> None:
    """On the next tick."""
    of = world()
    of.running()
    of.machines.fail("deallocate", LOST)
    of.switch.stop(VM, "iphone")
    of.pass_by(1)
    assert of.count("deallocate") == 2


class Flaky(MemoryTable):
    """A table that stops taking leases; it can be read all the same, or not."""

    broken = False
    readable = True

    def commit(self, partition: str, writes: Sequence[Write]) -> None:
        if self.broken and any(write.key == keys.LEASE for write in writes):
            self.unreachable = not self.readable
            raise LedgerUnavailable("not written")
        super().commit(partition, writes)


def flaky(of: World) -> tuple[Reconciler, Flaky]:
    """Return a reconciler of that world over a table that can break."""
    table = Flaky()
    ledger = Ledger(table)
    ledger.initialise(Decimal(0), ASKED_AT)
    spending = Spending(ledger, of.policies)
    observer = Observer(ledger, of.machines, spending, of.clock)
    actor = Actor(ledger, of.machines, of.notices, of.clock)
    return Reconciler(ledger, observer, actor, of.clock), table


@pytest.mark.parametrize("readable", [True, False])
def test_an_intent_that_cannot_be_written_lets_a_deallocate_out(
    readable: object,
) -> None:
    """The tick that adopts and releases a stopped machine; it is sent once."""
    of = world()
    reconciler, table = flaky(of)
    of.reads(Power.STOPPED, provisioning())
    table.broken, table.readable = True, bool(readable)
    with pytest.raises(LedgerError):
        reconciler.run(POLICY, RunKind.TICK)
    assert of.count("deallocate") == 1


def test_an_intent_that_cannot_be_written_lets_no_start_out() -> None:
    """Who starts without a ledger spends without one."""
    of = world()
    reconciler, table = flaky(of)
    table.broken = True
    with pytest.raises(LedgerError):
        reconciler.run(POLICY, RunKind.START, ASK, lambda c: requests.start(c, ASK, 0))
    assert of.count("start") == 0


class Contested(MemoryTable):
    """A table on which somebody else is always first."""

    def commit(self, partition: str, writes: Sequence[Write]) -> None:
        if any(write.key == keys.LEASE for write in writes):
            raise LedgerConflict("lost")
        super().commit(partition, writes)


def test_c04_a_race_is_lost_five_times_at_most() -> None:
    """Each time with a reading of its own."""
    of = world()
    ledger = Ledger(Contested())
    ledger.initialise(Decimal(0), ASKED_AT)
    observer = Observer(ledger, of.machines, Spending(ledger, of.policies), of.clock)
    actor = Actor(ledger, of.machines, of.notices, of.clock)
    of.reads(Power.RUNNING)
    with pytest.raises(LedgerConflict, match="five"):
        Reconciler(ledger, observer, actor, of.clock).run(POLICY, RunKind.TICK)
    assert of.count("read") == TRIES == 5


def test_c04_a_lost_answer_is_one_transition_and_no_error() -> None:
    """The start goes out once, for our own id stands in the row."""
    of = world()
    of.switch.tick()
    of.clock.advance(SECOND)
    of.table.lose_answers()
    answer = of.start()
    assert answer.refusal is None
    assert answer.opened
    assert of.count("start") == 1
    assert len(list(of.ledger.sessions(VM))) == 1


def test_a_notifier_that_fails_stops_nothing() -> None:
    """Neither the deallocate nor the close."""
    of = world()
    of.running()
    of.notices.fail(LOST, times=None)
    of.clock.set(at("12:05"))
    of.switch.tick()
    assert of.count("deallocate") == 1
    of.off()
    of.pass_by(1)
    assert of.closed().stop_reason is StopReason.ASKED
    assert of.notes() == []


def test_b10_a_read_within_the_lease_writes_and_sends_nothing() -> None:
    """It reckons with what it saw, shows that, and leaves writing it to a tick."""
    of = world()
    of.start()
    of.reads(Power.RUNNING, provisioning("succeeded", of.now()))
    of.machines.finish(of.operation())
    of.clock.advance(5 * MINUTE)
    row = of.table.get(VM, keys.LEASE)
    view = of.view()
    assert of.table.get(VM, keys.LEASE) == row
    assert view.session is not None
    assert view.session.billing_since == ASKED_AT
    stored = of.state().session
    assert stored is not None
    assert stored.billing_since is None
    assert of.count("start") == 1
    assert of.count("deallocate") == 0


@pytest.mark.parametrize("power", [Power.DEALLOCATED, Power.UNKNOWN])
def test_b10_a_read_sends_no_start(power: Power) -> None:
    """Not one that is due either."""
    of = world()
    of.machines.fail("start", error(Fault.CONFLICT))
    of.start()
    of.reads(power)
    of.clock.advance(2 * MINUTE)
    of.view()
    assert of.count("start") == 1
    of.switch.tick()
    assert of.count("start") == (2 if power is Power.DEALLOCATED else 1)


def test_b03_a_read_takes_away_what_is_overdue() -> None:
    """The timer has been silent since the start."""
    of = world()
    of.running()
    of.clock.set(at("13:00"))
    view = of.view()
    assert of.count("deallocate") == 1
    assert view.lease is not None
    assert view.lease.state is LeaseState.RELEASING
    assert view.lease.release is not None
    assert view.lease.release.by == "call"


def test_b03_a_read_adopts_and_closes_too() -> None:
    """It records what is so."""
    of = world()
    of.reads(Power.RUNNING)
    view = of.view()
    assert view.session is not None
    assert view.session.adopted
    of.clock.advance(10 * SECOND)
    of.off()
    of.view()
    assert of.closed().stop_reason is StopReason.OUTSIDE


def test_what_weighs_is_decided_on_a_reading_of_the_same_run() -> None:
    """A kept reading of `running` adopts nothing: the machine is off by now."""
    of = world()
    of.reads(Power.RUNNING, tag="theirs")
    of.view()
    of.clock.advance(SECOND)
    seen = of.ledger.observed(VM)
    assert seen is not None
    of.ledger.put_observed(
        VM, replace(seen, reading=replace(seen.reading, controlled_by=None))
    )
    of.off()
    of.view()
    assert list(of.ledger.sessions(VM)) == []


def test_an_adoption_inside_a_release_weighs_too() -> None:
    """A read that adopts writes it, and by a reading of its own."""
    of = world()
    of.reads(Power.UNKNOWN)
    of.switch.stop(VM, "iphone")
    of.clock.advance(10 * SECOND)
    of.reads(Power.RUNNING)
    view = of.view()
    assert view.session is not None
    kept = of.state().session
    assert kept is not None
    assert (kept.started_by, kept.stopped_by) == ("outside", "iphone")


def test_a_page_that_looks_right_after_the_start_decides_nothing() -> None:
    """Its reading is from before the start was sent."""
    of = world()
    of.view()
    before = of.ledger.observed(VM)
    of.clock.advance(SECOND)
    of.start()
    assert before is not None
    of.ledger.put_observed(VM, before)
    row = of.table.get(VM, keys.LEASE)
    of.says(Phase.DISK)
    assert of.table.get(VM, keys.LEASE) == row
    assert "moments ago" in of.view().reason


def test_unknown_for_ten_minutes_is_told_once() -> None:
    """By whichever run sees it, and again only after it was known."""
    of = world()
    of.reads(Power.UNKNOWN)
    of.pass_by(15)
    of.view()
    assert len(of.notes()) == 1
    before = of.ledger.observed(VM)
    assert before is not None
    of.ledger.put_observed(VM, replace(before, alarmed=False))
    of.pass_by(1)
    assert len(of.notes()) == 1
    of.off()
    of.pass_by(1)
    of.reads(Power.UNKNOWN)
    of.pass_by(12)
    assert len(of.notes()) == 2
    assert of.count("deallocate") == 0


def test_a13_a_foreign_machine_is_never_touched_by_a_tick() -> None:
    """Only a person's stop deallocates it."""
    of = world()
    for power in Power:
        if power is Power.GONE:
            continue
        of.reads(power, provisioning(), tag="theirs")
        of.pass_by(2)
        of.view()
        of.switch.extend(VM, Decimal(30), "iphone", None)
    assert of.count("deallocate") == of.count("start") == 0
    assert list(of.ledger.sessions(VM)) == []
    of.reads(Power.RUNNING, tag="theirs")
    of.switch.stop(VM, "iphone")
    assert of.count("deallocate") == 1


class Throttled(MemoryMachines):
    """ARM refuses a reading, and while it does the phone's other tap goes through."""

    meanwhile: Callable[[], Answer] | None = None

    def read(self, machine: str) -> Reading:
        first, self.meanwhile = self.meanwhile, None
        if first is None:
            return super().read(machine)
        assert first().opened
        raise error(Fault.THROTTLED, 429)


def test_b07_a_refusal_on_a_lease_that_was_opened_meanwhile_is_no_refusal() -> None:
    """Two taps at once, and Azure answers one reading alone: both say the session."""
    of = world()
    throttled = Throttled(of.clock, (VM,))
    switch = switched(of, throttled)
    throttled.meanwhile = lambda: switch.start(VM, ASK)
    second = switch.start(VM, ASK)
    assert second.refusal is None
    assert second.view.session is not None
    assert not second.opened
    assert sum(call.verb == "start" for call in throttled.calls) == 1


def switched(of: World, machines: MemoryMachines) -> Switch:
    """Return the world's switch over other machines."""
    spending = Spending(of.ledger, of.policies)
    observer = Observer(of.ledger, machines, spending, of.clock)
    actor = Actor(of.ledger, machines, of.notices, of.clock)
    reconciler = Reconciler(of.ledger, observer, actor, of.clock)
    return Switch(replace(of.switch._parts, reconciler=reconciler))


class Slow(MemoryMachines):
    """ARM takes its time for a start, in which the phone asks again."""

    meanwhile: Callable[[], Answer] | None = None
    answers: list[Answer]

    def start(self, machine: str) -> Accepted:
        again, self.meanwhile = self.meanwhile, None
        if again is not None:
            self.answers = [again()]
        return super().start(machine)


def test_b06_a_second_start_while_azure_thinks_is_the_same_session() -> None:
    """And makes no second call."""
    of = world()
    slow = Slow(of.clock, (VM,))
    switch = switched(of, slow)
    slow.meanwhile = lambda: switch.start(VM, ASK)
    first = switch.start(VM, ASK)
    (second,) = slow.answers
    assert first.view.session is not None
    assert second.view.session is not None
    assert first.view.session.id == second.view.session.id
    assert (first.opened, second.opened) == (True, False)
    assert sum(call.verb == "start" for call in slow.calls) == 1
