"""What became of a start, when to try again, and whether one may come late."""

from dataclasses import replace
from datetime import datetime

import pytest

from control.model import Lease, Operation, Outcome, Provisioning, Start
from control.rules import starts
from control.words import Fault, LeaseState, OperationState
from tests.unit.builders import (
    ASKED_AT,
    IN_PROGRESS,
    MINUTE,
    NOW,
    SECOND,
    SUCCEEDED,
    UPDATING,
    at,
    last,
    lease,
    outcome,
    provisioning,
    release,
    start,
)

SILENT = start(accepted_at=None, operation_url=None)
FAILED = Operation(
    state=OperationState.FAILED,
    fault=Fault.CAPACITY,
    code="AllocationFailed",
    message="No.",
    ended_at=at("10:01"),
)


def test_a03_the_operation_tells_how_it_ended() -> None:
    """With its code, its own time and when it was learnt."""
    learnt = starts.learn(start(), FAILED, None, NOW).outcome
    assert learnt is not None
    assert (learnt.fault, learnt.code) == (Fault.CAPACITY, "AllocationFailed")
    assert (learnt.at, learnt.learnt_at) == (at("10:01"), NOW)
    assert learnt.message == "No."
    assert starts.learn(start(), SUCCEEDED, None, NOW).outcome == outcome(None, NOW)


@pytest.mark.parametrize("code", [None, "AllocationFailed"])
def test_a_provisioning_state_tells_whole(code: str | None) -> None:
    """With its own time, its code and when it was learnt."""
    good = provisioning("succeeded", at("10:02"))
    bad = provisioning("failed", at("10:02"), fault=Fault.CAPACITY, code=code)
    assert starts.learn(start(), None, good, NOW).outcome == Outcome(
        fault=None, at=at("10:02"), learnt_at=NOW
    )
    assert starts.learn(start(), None, bad, NOW).outcome == Outcome(
        fault=Fault.CAPACITY, code=code, at=at("10:02"), learnt_at=NOW
    )


def test_a_failure_without_a_known_cause_is_another() -> None:
    """It is not taken for a success."""
    failed = replace(FAILED, fault=None)
    assert starts.learn(start(), failed, None, NOW).fault is Fault.OTHER


def test_a15_while_the_operation_runs_nothing_else_is_believed() -> None:
    """Not even a provisioning state that says otherwise."""
    entry = provisioning("failed", at("10:05"), fault=Fault.CAPACITY)
    assert starts.learn(start(), IN_PROGRESS, entry, NOW).in_flight


def test_what_is_known_stays_known() -> None:
    """The first outcome counts."""
    known = start(Fault.CONFLICT)
    assert starts.learn(known, SUCCEEDED, None, NOW) is known


@pytest.mark.parametrize(
    ("entry", "in_flight", "fault"),
    [
        (None, True, None),
        (UPDATING, True, None),
        (provisioning("creating"), True, None),
        (provisioning("succeeded", ASKED_AT), False, None),
        (provisioning("succeeded", ASKED_AT - SECOND), True, None),
        (provisioning("succeeded"), True, None),
        (provisioning("failed", ASKED_AT, fault=Fault.SKU), False, Fault.SKU),
        (provisioning("failed", ASKED_AT), False, Fault.OTHER),
        (provisioning("failed", ASKED_AT - SECOND, fault=Fault.SKU), True, None),
        (provisioning("deleting", ASKED_AT), True, None),
    ],
)
def test_a03_an_unreadable_operation_leaves_the_provisioning_state(
    entry: Provisioning | None, in_flight: object, fault: Fault | None
) -> None:
    """Where it has a time not before the sending; however long that takes."""
    learnt = starts.learn(start(), None, entry, NOW)
    assert learnt.in_flight is in_flight
    assert learnt.fault is fault


@pytest.mark.parametrize(
    ("entry", "seconds", "fault"),
    [
        (None, 119, None),
        (None, 120, Fault.UNAVAILABLE),
        (UPDATING, 600, None),
        (provisioning("succeeded", ASKED_AT - SECOND), 120, Fault.UNAVAILABLE),
    ],
)
def test_a_start_without_an_answer_is_in_flight_for_two_minutes(
    entry: Provisioning | None, seconds: int, fault: Fault | None
) -> None:
    """Unless ARM says that it is at it."""
    learnt = starts.learn(SILENT, None, entry, ASKED_AT + seconds * SECOND)
    assert learnt.fault is fault


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        (None, None),
        (SILENT, ASKED_AT),
        (start(Fault.UNAVAILABLE, accepted_at=None), ASKED_AT),
        (start(Fault.CONFLICT, accepted_at=None), at("09:55")),
        (start(Fault.CAPACITY), None),
    ],
)
def test_the_next_start_remembers_the_first_that_got_no_answer(
    before: Start | None, kept: datetime | None
) -> None:
    """One that was taken replaces it; one that was refused at once does not."""
    earlier = at("09:55") if before and before.fault is Fault.CONFLICT else None
    of = lease(start=before, first_start_at=None, unanswered_at=earlier)
    made = starts.next_start(of, NOW)
    assert made.unanswered_at == kept
    assert made.start == Start(sent_at=NOW, attempts=2 if before else 1)
    assert made.first_start_at == NOW
    again = starts.next_start(made, NOW + MINUTE)
    assert again.first_start_at == NOW
    assert again.unanswered_at == (kept or NOW)


def test_an_accepted_start_replaces_the_unanswered_one() -> None:
    """Azure works on one start at a time."""
    of = lease(start=SILENT, unanswered_at=at("09:55"))
    made = starts.accepted(of, NOW, "op-2")
    assert made.unanswered_at is None
    assert made.start is not None
    assert (made.start.accepted_at, made.start.operation_url) == (NOW, "op-2")
    assert starts.taken_at(made) == NOW


@pytest.mark.parametrize(
    ("of", "taken"),
    [
        (lease(), ASKED_AT),
        (lease(start=SILENT), ASKED_AT),
        (lease(start=SILENT, unanswered_at=at("09:58")), at("09:58")),
        (lease(start=start(Fault.QUOTA, accepted_at=None)), None),
        (
            lease(
                start=start(Fault.QUOTA, accepted_at=None), unanswered_at=at("09:58")
            ),
            at("09:58"),
        ),
        (lease(start=None), None),
    ],
)
def test_a_start_is_taken_from_the_earliest_that_may_have_been(
    of: Lease, taken: datetime | None
) -> None:
    """The ledger is an upper bound."""
    assert starts.taken_at(of) == taken


@pytest.mark.parametrize(
    ("attempts", "minutes"), [(1, 1), (2, 2), (3, 4), (4, 8), (5, 8), (99, 8)]
)
def test_a03_capacity_is_asked_for_less_and_less_often(
    attempts: int, minutes: int
) -> None:
    """From when the failure was learnt."""
    failed = start(attempts=attempts, outcome=outcome(Fault.CAPACITY, NOW))
    assert starts.capacity_retry_at(failed) == NOW + minutes * MINUTE


@pytest.mark.parametrize(
    ("of", "sent"),
    [
        (lease(), ASKED_AT),
        (lease(ran=True), None),
        (lease(start=None), None),
        (lease(start=SILENT), ASKED_AT),
        (lease(start=start(Fault.OTHER)), ASKED_AT),
        (lease(start=start(Fault.CONFLICT, accepted_at=None)), ASKED_AT),
        (lease(start=start(Fault.CAPACITY)), None),
        (lease(start=start(Fault.THROTTLED)), None),
        (lease(start=start(Fault.QUOTA)), None),
        (lease(start=start(Fault.PERMISSION)), None),
        (lease(start=start(Fault.SKU)), None),
        (lease(start=start(Fault.DISABLED)), None),
        (lease(start=start(Fault.SCOPE_LOCK)), None),
        (lease(start=start(Fault.PREEMPTED)), None),
        (
            lease(
                start=start(outcome=outcome(Fault.PREEMPTED, at("10:20"))),
                release=release(at("10:21")),
            ),
            None,
        ),
        (
            lease(
                start=start(outcome=outcome(Fault.PREEMPTED, at("10:22"))),
                release=release(at("10:21")),
            ),
            ASKED_AT,
        ),
        (
            lease(
                start=start(Fault.QUOTA, accepted_at=None), unanswered_at=at("09:58")
            ),
            at("09:58"),
        ),
        (lease(start=start(Fault.QUOTA), unanswered_at=at("09:58")), None),
    ],
)
def test_a02_which_start_may_still_come(of: Lease, sent: datetime | None) -> None:
    """Not one that ran, that failed for good, or was preempted while held."""
    assert starts.late_start_sent_at(of) == sent


def test_a02_the_session_before_keeps_its_late_start() -> None:
    """When a later session, ran or not, closes without one."""
    before = last(late_start_sent_at=at("09:30"))
    assert starts.late_start_sent_at(lease(ran=True, last=before)) == at("09:30")
    assert starts.late_start_sent_at(lease(last=before)) == ASKED_AT


@pytest.mark.parametrize(
    ("on_since", "comes"),
    [
        (None, False),
        (ASKED_AT - SECOND, False),
        (ASKED_AT, True),
        (ASKED_AT + 120 * MINUTE - SECOND, True),
        (ASKED_AT + 120 * MINUTE, False),
    ],
)
def test_a02_a_late_start_comes_within_two_hours(
    on_since: datetime | None, comes: object
) -> None:
    """Counted from its sending to when the machine came on."""
    of = lease(LeaseState.NONE, last=last(late_start_sent_at=ASKED_AT))
    assert starts.may_still_come(of, on_since) is comes
    assert not starts.may_still_come(replace(of, last=last()), on_since)
    assert not starts.may_still_come(replace(of, last=None), on_since)


def test_a02_a_held_session_is_never_a_late_start() -> None:
    """The user's new start owns the machine."""
    of = lease(last=last(late_start_sent_at=ASKED_AT))
    assert not starts.may_still_come(of, ASKED_AT + MINUTE)


def test_a_start_without_an_answer_is_given_up_now() -> None:
    """Two minutes after it was sent."""
    made = starts.learn(replace(SILENT, sent_at=NOW - 2 * MINUTE), None, None, NOW)
    assert made.outcome == Outcome(fault=Fault.UNAVAILABLE, learnt_at=NOW)


@pytest.mark.parametrize(("seconds", "kept"), [(-1, False), (0, True)])
def test_a_preemption_at_the_release_may_still_come(seconds: int, kept: object) -> None:
    """One that was learnt before it was the deed of somebody else."""
    of = lease(
        LeaseState.RELEASING,
        start=start(outcome=outcome(Fault.PREEMPTED, NOW + seconds * SECOND)),
        release=release(NOW),
    )
    assert (starts.late_start_sent_at(of) is not None) is kept
