"""The hands: what was decided is sent once, and what came of it is recorded."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from control import keys
from control.act import Actor
from control.decision import Decision, Notify, SendDeallocate, SendStart
from control.errors import AzureError, LedgerConflict
from control.ledger import Ledger, State
from control.memory import MemoryTable
from control.model import Lease
from control.ports import Write
from control.words import Fault, LeaseState, Power
from tests.unit.builders import (
    LOST,
    MINUTE,
    NEW_ID,
    SECOND,
    SESSION_ID,
    VM,
    World,
    error,
    lease,
    release,
    session,
    start,
    world,
)


def actor(of: World) -> Actor:
    return Actor(of.ledger, of.machines, of.notices, of.clock)


def written(of: World, *actions: SendStart | SendDeallocate | Notify) -> State:
    """Write a decision with its intent and carry it out."""
    now = of.now()
    intent = lease(start=start(sent_at=now, accepted_at=None, operation_url=None))
    if SendStart() not in actions:
        intent = lease(LeaseState.RELEASING, release=release(now, sent_at=now))
    decision = Decision(
        rows=(8,), reason="", lease=intent, session=session(), actions=actions
    )
    after = of.ledger.commit(of.state(), decision, now)
    actor(of).act(after, decision)
    return of.state()


def test_a_start_that_was_taken_is_recorded() -> None:
    """With its time and its operation; nobody waits for it."""
    of = world()
    state = written(of, SendStart())
    assert state.lease.start is not None
    assert state.lease.start.accepted_at == of.now()
    assert state.lease.start.operation_url == of.operation()
    assert of.journal(SESSION_ID) == ["start_accepted"]


@pytest.mark.parametrize("fault", [f for f in Fault if f is not Fault.UNAVAILABLE])
def test_a_start_that_azure_refuses_has_its_outcome_at_once(fault: Fault) -> None:
    """A03: for whatever cause, also where it stands in a 500."""
    of = world()
    of.machines.fail("start", error(fault, 500 if fault is Fault.CAPACITY else 409))
    state = written(of, SendStart())
    assert state.lease.start is not None
    assert state.lease.start.fault is fault
    assert state.lease.start.accepted_at is None
    assert of.journal(SESSION_ID) == ["start_refused"]


@pytest.mark.parametrize("lost", [LOST, error(Fault.UNAVAILABLE, 503)])
def test_a14_a_start_without_an_answer_stays_in_flight(lost: AzureError) -> None:
    """It may have been taken."""
    of = world()
    of.machines.fail("start", lost)
    state = written(of, SendStart())
    assert state.lease.start is not None
    assert state.lease.start.in_flight
    assert state.lease.start.unanswered


def test_retry_after_is_kept() -> None:
    """In seconds from now; zero is none."""
    of = world()
    of.machines.fail("start", error(Fault.THROTTLED, 429, retry_after=90))
    state = written(of, SendStart())
    assert state.lease.start is not None
    assert state.lease.start.retry_at == of.now() + 90 * SECOND


def test_an_answer_that_comes_after_another_run_is_recorded_all_the_same() -> None:
    """A stop was pressed meanwhile: the release stays, and the start is accepted."""
    of = world()
    now = of.now()
    intent = lease(start=start(sent_at=now, accepted_at=None))
    opened = Decision(rows=(8,), reason="", lease=intent, session=session())
    sent = of.ledger.commit(of.state(), opened, now)
    going = replace(intent, state=LeaseState.RELEASING, release=release(now))
    of.ledger.commit(sent, replace(opened, lease=going), now)
    actor(of).act(sent, replace(opened, actions=(SendStart(),)))
    state = of.state()
    assert state.lease.state is LeaseState.RELEASING
    assert state.lease.start is not None
    assert state.lease.start.accepted_at == now


@pytest.mark.parametrize("state", [LeaseState.RELEASING, LeaseState.NONE, None])
def test_a_start_that_was_overtaken_before_it_was_sent_is_not_sent(
    state: LeaseState | None,
) -> None:
    """Written, and then taken away, or sent anew by another run: no POST of ours."""
    of = world()
    now = of.now()
    intent = lease(start=start(sent_at=now, accepted_at=None))
    opened = Decision(
        rows=(8,), reason="", lease=intent, session=session(), actions=(SendStart(),)
    )
    newer = start(sent_at=now + MINUTE, accepted_at=None)
    since = {
        LeaseState.RELEASING: replace(
            intent, state=LeaseState.RELEASING, release=release(now)
        ),
        LeaseState.NONE: Lease(machine=VM),
        None: replace(intent, start=newer),
    }[state]
    assert actor(of).act(State(lease=since, session=session()), opened) is None
    assert of.machines.calls == []


def test_an_answer_of_an_older_start_changes_no_newer_one() -> None:
    """Each start has its own answer."""
    of = world()
    now = of.now()
    older = lease(start=start(sent_at=now, accepted_at=None))
    decision = Decision(rows=(8,), reason="", lease=older, session=session())
    sent = of.ledger.commit(of.state(), decision, now)
    newer = replace(older, start=start(sent_at=now + MINUTE, accepted_at=None))
    of.ledger.commit(sent, replace(decision, lease=newer), now)
    for failure in (None, error(Fault.QUOTA)):
        if failure is not None:
            of.machines.fail("start", failure)
        actor(of).act(sent, replace(decision, actions=(SendStart(),)))
        assert of.state().lease.start == newer.start


def test_an_answer_for_a_session_that_is_over_goes_to_its_journal_alone() -> None:
    """The next session knows nothing of it."""
    of = world()
    now = of.now()
    opened = Decision(
        rows=(8,), reason="", lease=lease(start=start(sent_at=now)), session=session()
    )
    sent = of.ledger.commit(of.state(), opened, now)
    other = replace(opened, lease=lease(session_id=NEW_ID), session=session(id=NEW_ID))
    of.ledger.commit(sent, other, now)
    actor(of).act(sent, replace(opened, actions=(SendStart(),)))
    assert replace(of.state().lease, decision_id=None) == other.lease
    assert of.journal(NEW_ID) == []
    assert of.journal(SESSION_ID) == ["start_accepted"]


def test_a_deallocate_goes_out_with_its_force() -> None:
    """And a success needs no row: the next reading tells."""
    of = world()
    before = written(of, SendDeallocate(force=True))
    (call,) = [call for call in of.machines.calls if call.verb == "deallocate"]
    assert call.force
    assert of.journal(SESSION_ID) == []
    assert before.lease.release is not None
    assert not before.lease.release.force_refused


@pytest.mark.parametrize(
    ("force", "status", "refused"),
    [(True, 409, True), (True, 500, False), (True, None, False), (False, 409, False)],
)
def test_a_forced_deallocate_that_gets_a_4xx_turns_force_off(
    force: object, status: int | None, refused: object
) -> None:
    """A 5xx says nothing of it."""
    of = world()
    of.machines.fail("deallocate", error(Fault.CONFLICT, status))
    state = written(of, SendDeallocate(force=bool(force)))
    assert state.lease.release is not None
    assert state.lease.release.force_refused is refused
    assert of.journal(SESSION_ID) == ["deallocate_failed"]


@pytest.mark.parametrize(
    ("fault", "status", "alarmed"),
    [
        (Fault.PERMISSION, 403, True),
        (Fault.NOT_FOUND, 404, True),
        (Fault.UNAVAILABLE, 404, True),
        (Fault.SCOPE_LOCK, 409, True),
        (Fault.CONFLICT, 409, False),
        (Fault.THROTTLED, 429, False),
        (Fault.UNAVAILABLE, 503, False),
    ],
)
def test_a14_what_waiting_does_not_mend_is_told_at_once(
    fault: Fault, status: int, alarmed: object
) -> None:
    """With or without a ledger to write the intent to."""
    of = world()
    of.machines.fail("deallocate", error(fault, status), times=2)
    written(of, SendDeallocate())
    assert bool(of.notes()) is alarmed
    going = Decision(
        rows=(4,), reason="", lease=lease(LeaseState.RELEASING), session=session()
    )
    actor(of).deallocate_blind(VM, going)
    assert len(of.notes()) == (2 if alarmed else 0)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault.PERMISSION, "Azure does not let the switch do it."),
        (Fault.SCOPE_LOCK, "a lock in Azure forbids it."),
        (Fault.DISABLED, "Azure refuses it."),
    ],
)
def test_a14_an_alarm_names_the_machine_the_cause_and_what_to_do(
    fault: Fault, words: str
) -> None:
    """Its title says what it is about."""
    of = world()
    of.machines.fail("deallocate", error(fault, 403))
    written(of, SendDeallocate())
    ((title, text),) = of.notices.sent
    assert title == f"{VM}: may still bill"
    assert text.startswith(f"{VM} cannot be switched off: {words}")
    assert "in the Azure portal" in text


def test_a_notice_that_cannot_be_sent_stops_nothing() -> None:
    """Nobody can be told of it either."""
    of = world()
    of.notices.fail(LOST)
    of.machines.fail("deallocate", error(Fault.PERMISSION, 403))
    written(of, SendDeallocate())
    assert of.notes() == []
    assert of.journal(SESSION_ID) == ["deallocate_failed"]


def test_an_outcome_that_cannot_be_recorded_stops_nothing() -> None:
    """The start counts as unanswered until a reading tells."""
    of = world()
    now = of.now()
    intent = lease(start=start(sent_at=now, accepted_at=None))
    opened = Decision(rows=(8,), reason="", lease=intent, session=session())
    sent = of.ledger.commit(of.state(), opened, now)
    of.table.unreachable = True
    actor(of).act(sent, replace(opened, actions=(SendStart(),)))
    of.table.unreachable = False
    assert of.count("start") == 1
    assert of.state().lease.start == intent.start


@pytest.mark.parametrize(
    ("decision", "sent"),
    [
        (Decision(rows=(8,), reason="", lease=lease(), actions=(SendStart(),)), 0),
        (Decision(rows=(4,), reason="", lease=lease(LeaseState.RELEASING)), 1),
        (
            Decision(
                rows=(11,),
                reason="",
                lease=lease(LeaseState.NONE),
                actions=(SendDeallocate(),),
            ),
            1,
        ),
    ],
)
def test_without_a_written_intent_a_deallocate_goes_out_and_a_start_does_not(
    decision: Decision, sent: int
) -> None:
    """The meter stops for certain before the ledger is right."""
    of = world()
    of.reads(Power.RUNNING)
    actor(of).deallocate_blind(VM, decision)
    assert (of.count("start"), of.count("deallocate")) == (0, sent)


class Contested(MemoryTable):
    """A table on which somebody else is first, so many times."""

    races = 0

    def commit(self, partition: str, writes: Sequence[Write]) -> None:
        if self.races and any(write.key == keys.LEASE for write in writes):
            self.races -= 1
            raise LedgerConflict("lost")
        super().commit(partition, writes)


@pytest.mark.parametrize(("races", "recorded"), [(1, True), (4, True), (5, False)])
def test_c04_an_outcome_is_recorded_after_a_few_races(
    races: int, recorded: object
) -> None:
    """Into the lease as it is by then; a start that is not recorded is unanswered."""
    of, table = world(), Contested()
    ledger = Ledger(table)
    now = of.now()
    intent = lease(start=start(sent_at=now, accepted_at=None))
    opened = Decision(rows=(8,), reason="", lease=intent, session=session())
    sent = ledger.commit(ledger.read(VM), opened, now)
    table.races = races
    hands = Actor(ledger, of.machines, of.notices, of.clock)
    assert hands.act(sent, replace(opened, actions=(SendStart(),))) is None
    kept = ledger.read(VM).lease.start
    assert kept is not None
    assert (kept.accepted_at == now) is recorded
    assert kept.unanswered is not recorded


def test_an_action_that_does_not_exist_is_an_error() -> None:
    """The type checker says so first."""
    of = world()
    odd = Decision(rows=(0,), reason="", lease=lease(), actions=cast("Any", ("dance",)))
    with pytest.raises(AssertionError):
        actor(of).act(of.state(), odd)
