"""The decision table: every row by name, every pair of lease and power, and always."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from itertools import product
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from control import decide as table
from control.decide import HELD, NONE, RELEASING, decide
from control.decision import Case, Decision, SendDeallocate
from control.model import Heartbeat, Lease, Session, Spend
from control.words import (
    Ending,
    Fault,
    LeaseState,
    Limit,
    OperationState,
    Phase,
    Power,
    Purpose,
    RunKind,
    StopReason,
)
from tests.unit.builders import (
    ASK,
    ASKED_AT,
    HOUR,
    IN_PROGRESS,
    MINUTE,
    NEW_ID,
    NOW,
    OTHER_VM,
    POLICY,
    SECOND,
    SUCCEEDED,
    UPDATING,
    adopted_lease,
    at,
    beat,
    busy_beat,
    case,
    deallocates,
    decided,
    held,
    last,
    lease,
    observation,
    outcome,
    provisioning,
    release,
    releasing,
    session,
    spend,
    start,
    starts,
    told,
    unbilled,
    unleased,
)

BILLING = (Power.STARTING, Power.RUNNING, Power.STOPPING, Power.STOPPED)
HOPELESS = (
    Fault.QUOTA,
    Fault.PERMISSION,
    Fault.SKU,
    Fault.DISABLED,
    Fault.SCOPE_LOCK,
)
SOON = (Fault.CONFLICT, Fault.THROTTLED, Fault.UNAVAILABLE)


def never_started() -> Lease:
    """Return a lease whose start was not sent yet."""
    return lease(start=None, first_start_at=None, recounted=False)


def failed(fault: Fault, minutes_ago: float = 1, **changed: Any) -> Lease:
    """Return a lease whose start failed so long ago."""
    learnt = NOW - minutes_ago * MINUTE
    plain: dict[str, Any] = {"outcome": outcome(fault, learnt), "sent_at": learnt}
    return lease(start=start(**(plain | changed)), recounted=False)


# --- Rows 1 to 4: releasing -------------------------------------------------------


def test_row_01_deallocated_without_a_start_in_flight_closes() -> None:
    """The session ends with the release's reason, and the machine has no lease."""
    made = releasing(Power.DEALLOCATED)
    assert made.rows[0] == 1
    assert made.lease.state is LeaseState.NONE
    assert made.closed is not None
    assert made.closed.stop_reason is StopReason.USER
    assert told(made) == ["ended"]


def test_row_01_gone_closes_at_the_first_404_whatever_is_in_flight() -> None:
    """The end is the first 404, not the third."""
    of = lease(LeaseState.RELEASING)
    made = releasing(Power.GONE, of)
    assert made.rows[0] == 1
    assert made.closed is not None
    assert made.closed.ended_at == NOW - 3 * MINUTE
    assert made.lease.last is not None
    assert made.lease.last.closed_on_gone


def test_row_01_a_release_without_a_session_closes_without_one() -> None:
    """Nothing was billed, so there is nothing to record or to tell."""
    of = lease(LeaseState.RELEASING, session_id=None, start=None)
    made = releasing(Power.DEALLOCATED, of, within=None)
    assert made.rows[0] == 1
    assert made.closed is None
    assert made.lease == lease(LeaseState.NONE)
    assert told(made) == []


@pytest.mark.parametrize("minutes", [0, 14.99])
def test_row_02_off_with_a_start_in_flight_is_told_again(minutes: float) -> None:
    """Azure may still bring it on, so it is told until the start has ended."""
    since = NOW - minutes * MINUTE
    of = lease(LeaseState.RELEASING, release=release(since))
    made = releasing(Power.DEALLOCATED, of, operation=IN_PROGRESS)
    assert made.rows == (2,)
    assert deallocates(made) == 1
    assert made.lease.state is LeaseState.RELEASING


def test_row_02_closes_15_minutes_after_the_release() -> None:
    """Then the start is given up, and may only come late."""
    of = lease(LeaseState.RELEASING, release=release(NOW - 15 * MINUTE))
    made = releasing(Power.DEALLOCATED, of, operation=IN_PROGRESS)
    assert made.rows[0] == 2
    assert deallocates(made) == 0
    assert made.lease.last is not None
    assert made.lease.last.late_start_sent_at == ASKED_AT


def test_row_02_closes_when_the_operation_has_ended() -> None:
    """Row 1 speaks in the same run."""
    made = releasing(
        Power.DEALLOCATED, lease(LeaseState.RELEASING), operation=SUCCEEDED
    )
    assert made.rows[0] == 1


@pytest.mark.parametrize(
    ("minutes", "row"), [(0, 3), (9.99, 3), (10, 4)], ids=["new", "before", "at"]
)
def test_row_03_deallocating_is_waited_for_ten_minutes(
    minutes: float, row: int
) -> None:
    """After that it is told again."""
    made = releasing(Power.DEALLOCATING, power_since=NOW - minutes * MINUTE)
    assert made.rows == (row,)
    assert deallocates(made) == (row == 4)


@pytest.mark.parametrize("power", [*BILLING, Power.UNKNOWN])
def test_row_04_everything_else_is_told_to_switch_off(power: Power) -> None:
    """An unknown power state too: a deallocate of an off machine costs nothing."""
    made = releasing(power)
    assert made.rows == (4,)
    assert deallocates(made) == 1
    assert made.lease.release is not None
    assert made.lease.release.sent_at == NOW
    assert made.lease.release.attempts == 1


@pytest.mark.parametrize(
    ("run", "seconds", "sent"),
    [
        (RunKind.TICK, 49, 0),
        (RunKind.TICK, 50, 1),
        (RunKind.READ, 49, 0),
        (RunKind.STOP, 19, 0),
        (RunKind.STOP, 20, 1),
    ],
)
def test_row_04_one_deallocate_in_50_s_and_a_persons_in_20(
    run: RunKind, seconds: int, sent: int
) -> None:
    """The claim in the lease is what paces it."""
    claimed = release(NOW - MINUTE, sent_at=NOW - seconds * SECOND, attempts=1)
    of = lease(LeaseState.RELEASING, release=claimed)
    assert deallocates(releasing(Power.RUNNING, of, run=run)) == sent


@pytest.mark.parametrize("power", BILLING)
def test_row_04_a_billing_machine_without_a_session_gets_one_first(
    power: Power,
) -> None:
    """The release's reason and person stay, and so does its time."""
    of = lease(LeaseState.RELEASING, session_id=None, start=None)
    made = releasing(power, of, within=None)
    assert made.rows == (4, 4)
    assert made.session is not None
    assert made.session.adopted
    assert made.session.started_by == "outside"
    assert made.session.stopped_by == "iphone"
    assert made.lease.release is not None
    assert made.lease.release.reason is StopReason.USER
    assert made.lease.session_id == NEW_ID
    assert deallocates(made) == 1


def test_row_04_a_persons_start_meanwhile_owns_nothing() -> None:
    """What is being released is not adopted for the caller."""
    of = lease(LeaseState.RELEASING, session_id=None, start=None)
    made = releasing(Power.RUNNING, of, within=None, run=RunKind.START, ask=ASK)
    assert made.session is not None
    assert made.session.started_by == "outside"
    assert made.lease.device is None


def test_row_04_a_foreign_tag_stops_no_release() -> None:
    """Enforcement of what was ours goes on."""
    assert deallocates(releasing(Power.RUNNING, tag="theirs")) == 1


@pytest.mark.parametrize(
    ("minutes", "attempts", "forced"),
    [(9.99, 11, False), (10, 10, False), (10, 11, True), (30, 31, True)],
)
def test_row_04_every_second_attempt_is_forced_after_ten_minutes(
    minutes: float, attempts: int, forced: object
) -> None:
    """Not the first ones, and not two in a row."""
    old = release(NOW - minutes * MINUTE, attempts=attempts)
    made = releasing(Power.RUNNING, lease(LeaseState.RELEASING, release=old))
    sent = [a for a in made.actions if isinstance(a, SendDeallocate)]
    assert [action.force for action in sent] == [forced]


def test_row_04_a_refused_force_is_not_tried_again() -> None:
    """A 4xx turns it off for this release."""
    old = release(NOW - HOUR, attempts=11, force_refused=True)
    made = releasing(Power.RUNNING, lease(LeaseState.RELEASING, release=old))
    assert SendDeallocate(force=False) in made.actions


@pytest.mark.parametrize(
    ("power", "seconds", "alarmed"),
    [
        (Power.RUNNING, 179, False),
        (Power.RUNNING, 181, True),
        (Power.UNKNOWN, 181, True),
        (Power.STOPPED, 181, True),
        (Power.DEALLOCATING, 1200, False),
    ],
)
def test_row_04_alarms_while_an_old_release_may_bill(
    power: Power, seconds: int, alarmed: object
) -> None:
    """Whether or not the calls say that they succeed; not while it is going off."""
    old = release(NOW - seconds * SECOND, attempts=3)
    of = lease(LeaseState.RELEASING, release=old)
    made = releasing(power, of, power_since=NOW - 20 * MINUTE)
    assert (told(made) == ["alarm"]) is alarmed


# --- Row 5: what ends a held lease in any state ------------------------------------


@pytest.mark.parametrize("power", list(Power))
def test_row_05_a_lock_releases_in_every_power_state(power: Power) -> None:
    """No lease stays held."""
    made = held(power, lease(locked=True))
    assert made.rows[0] == 5
    assert made.lease.state is not LeaseState.HELD
    assert made.lease.locked


@pytest.mark.parametrize("limit", list(Limit))
@pytest.mark.parametrize("power", list(Power))
def test_row_05_the_deadline_ends_it_for_what_set_it(
    power: Power, limit: Limit
) -> None:
    """A08: an unknown power state switches no limit off."""
    made = held(power, lease(expires_at=NOW, limited_by=limit))
    assert made.rows[0] == 5
    ended = made.closed.stop_reason if made.closed else None
    kept = made.lease.release.reason if made.lease.release else ended
    assert kept == limit.reason


def test_row_05_not_a_second_before() -> None:
    """Just before the deadline it stays."""
    made = held(Power.RUNNING, lease(expires_at=NOW + SECOND))
    assert made.lease.state is LeaseState.HELD


@pytest.mark.parametrize(("left", "ends"), [("0.01", False), ("0", True), ("-5", True)])
def test_row_05_a_spent_budget_ends_it(left: str, ends: object) -> None:
    """To the cent."""
    made = held(Power.UNKNOWN, spend=spend(left))
    assert (made.lease.state is LeaseState.RELEASING) is ends
    if ends:
        assert made.lease.release is not None
        assert made.lease.release.reason is StopReason.BUDGET


def test_row_05_an_unknown_spend_ends_nothing() -> None:
    """Unknown is not zero, and no reason to stop either."""
    assert held(Power.RUNNING, spend=None).lease.state is LeaseState.HELD


# --- Row 6 -------------------------------------------------------------------------


def test_row_06_gone_closes_outside_at_the_first_404() -> None:
    """A17: the machine was deleted."""
    made = held(Power.GONE)
    assert made.rows == (6, 18)
    assert made.closed is not None
    assert made.closed.stop_reason is StopReason.OUTSIDE
    assert made.closed.ended_at == NOW - 3 * MINUTE


# --- Row 7 -------------------------------------------------------------------------


def test_row_07_off_after_it_ran_closes_outside() -> None:
    """A17: somebody else switched it off; it is not started again."""
    made = held(Power.DEALLOCATED, lease(ran=True))
    assert made.rows == (7, 18)
    assert made.closed is not None
    assert made.closed.stop_reason is StopReason.OUTSIDE
    assert starts(made) == 0


@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        (Ending.IDLE, StopReason.IDLE),
        (Ending.BROKEN, StopReason.BROKEN),
        (Ending.NEVER_READY, StopReason.NEVER_READY),
        (Ending.LEASE, StopReason.DEVICE),
        (None, StopReason.OUTSIDE),
    ],
)
def test_row_07_the_vms_own_ending_is_the_reason(
    ending: Ending | None, reason: StopReason
) -> None:
    """`lease` is recorded as what set the deadline; an old heartbeat will do."""
    said = beat(ending=ending, received_at=NOW - 4 * MINUTE)
    of = lease(ran=True, limited_by=Limit.DEVICE)
    made = held(Power.DEALLOCATED, of, heartbeat=said)
    assert made.rows[0] == 7
    assert made.closed is not None
    assert made.closed.stop_reason is reason


@pytest.mark.parametrize(
    ("since_reading", "since_learnt", "closes"),
    [(120, 120, True), (119, 120, False), (120, 119, False)],
)
@pytest.mark.parametrize("fault", [None, Fault.PREEMPTED])
def test_row_07_off_for_two_minutes_after_the_start_was_said_to_have_ended(
    fault: Fault | None, since_reading: int, since_learnt: int, closes: object
) -> None:
    """A05: a preempted start is superseded; it counts from the later of the two."""
    of = lease(start=start(outcome=outcome(fault, NOW - since_learnt * SECOND)))
    since = NOW - since_reading * SECOND
    made = held(Power.DEALLOCATED, of, within=unbilled(), power_since=since)
    assert (made.rows[0] == 7) is closes
    assert starts(made) == 0


@pytest.mark.parametrize(("seconds", "closes"), [(119, False), (120, True)])
def test_row_07_an_adopted_machine_is_off_for_good_after_two_minutes(
    seconds: int, closes: object
) -> None:
    """It never ran: it was adopted while starting."""
    of = adopted_lease(NOW - seconds * SECOND)
    made = held(Power.DEALLOCATED, of, power_since=NOW - 2 * MINUTE)
    assert (made.rows[0] == 7) is closes


def test_row_07_an_adopted_machine_that_was_read_running_has_run() -> None:
    """The reading that adopted it proves it; so its end is believed at once."""
    made = unleased(Power.RUNNING)
    assert made.lease.ran
    assert not unleased(Power.STARTING).lease.ran


# --- Row 8 -------------------------------------------------------------------------


@pytest.mark.parametrize("run", list(RunKind))
def test_row_08_no_start_sent_yet_is_sent_by_the_timer_and_a_start(
    run: RunKind,
) -> None:
    """Every other run leaves it to the next tick."""
    made = held(
        Power.DEALLOCATED, never_started(), within=unbilled(), run=run, now=at("10:01")
    )
    assert made.rows == (8,)
    assert starts(made) == run.may_start
    assert (made.lease.start is not None) == run.may_start


@pytest.mark.parametrize("fault", SOON)
def test_row_08_a_conflict_throttling_or_no_answer_is_tried_again(
    fault: Fault,
) -> None:
    """B06: the attempts are counted, and the first sending is kept."""
    of = failed(fault)
    made = held(Power.DEALLOCATED, of, within=unbilled(requested_at=NOW - 29 * MINUTE))
    assert made.rows == (8,)
    assert starts(made) == 1
    assert made.lease.start is not None
    assert made.lease.start.sent_at == NOW
    assert made.lease.start.attempts == 2
    assert made.lease.first_start_at == ASKED_AT


@pytest.mark.parametrize(("seconds", "sent"), [(1, 0), (0, 1), (-1, 1)])
def test_row_08_honours_retry_after(seconds: int, sent: int) -> None:
    """Until it has passed nothing is sent."""
    of = failed(Fault.THROTTLED, retry_at=NOW + seconds * SECOND)
    made = held(Power.DEALLOCATED, of, within=unbilled(requested_at=NOW - MINUTE))
    assert starts(made) == sent
    assert made.rows == ((8,) if sent else (17,))


@pytest.mark.parametrize(
    "of", [never_started(), failed(Fault.CONFLICT, accepted_at=None)]
)
@pytest.mark.parametrize(("seconds", "closes"), [(1799, False), (1800, True)])
def test_row_08_gives_up_after_the_time_to_hunt(
    of: Lease, seconds: int, closes: object
) -> None:
    """From then on no start is sent, whoever asks."""
    within = unbilled(requested_at=NOW - seconds * SECOND)
    made = held(Power.DEALLOCATED, of, within=within, run=RunKind.START, ask=ASK)
    assert made.rows[0] == 8
    assert (starts(made) == 0) is closes
    if closes:
        assert made.closed is not None
        assert made.closed.stop_reason is StopReason.START_FAILED
        assert made.closed.cost == 0


def test_row_08_an_adopted_machine_is_never_started() -> None:
    """Not even where a start had failed before."""
    of = adopted_lease(NOW)
    made = held(Power.DEALLOCATED, of)
    assert made.rows == (17,)
    assert starts(made) == 0


# --- Row 9 -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attempts", "minutes"), [(1, 1), (2, 2), (3, 4), (4, 8), (5, 8), (9, 8), (50, 8)]
)
@pytest.mark.parametrize("early", [0, 1])
def test_row_09_asks_for_capacity_after_1_2_4_8_and_8_minutes(
    attempts: int, minutes: int, early: int
) -> None:
    """A03: retries are few and bounded."""
    learnt = NOW - minutes * MINUTE + early * SECOND
    of = failed(
        Fault.CAPACITY, attempts=attempts, outcome=outcome(Fault.CAPACITY, learnt)
    )
    made = held(Power.DEALLOCATED, of, within=unbilled(requested_at=NOW - 29 * MINUTE))
    assert made.rows == (9,)
    assert starts(made) == 1 - early


def test_row_09_closes_no_capacity_and_names_the_other_machines() -> None:
    """A03: it cost nothing, and the slot is free."""
    of = failed(Fault.CAPACITY)
    made = held(Power.DEALLOCATED, of, within=unbilled(requested_at=NOW - 30 * MINUTE))
    assert made.rows == (9, 18)
    assert OTHER_VM in made.reason
    assert made.closed is not None
    assert made.closed.stop_reason is StopReason.NO_CAPACITY
    assert made.closed.cost == 0
    assert made.lease.last is not None
    assert made.lease.last.late_start_sent_at is None


def test_row_09_a_lone_machine_names_no_other() -> None:
    """There is nothing to name."""
    alone = replace(POLICY, other_machines=())
    of, within = failed(Fault.CAPACITY), unbilled(requested_at=NOW - HOUR)
    made = held(Power.DEALLOCATED, of, within=within, policy=alone)
    assert "Other machines" not in made.reason


def test_row_09_a_read_asks_for_no_capacity() -> None:
    """It is left to the next tick."""
    of, within = failed(Fault.CAPACITY), unbilled(requested_at=NOW - 20 * MINUTE)
    made = held(Power.DEALLOCATED, of, within=within, run=RunKind.READ)
    assert made.rows == (9,)
    assert starts(made) == 0


def test_row_09_the_failure_is_learnt_and_waited_on_in_one_run() -> None:
    """The operation tells it, and a minute has to pass."""
    failure = replace(SUCCEEDED, state=OperationState.FAILED, fault=Fault.CAPACITY)
    made = held(
        Power.DEALLOCATED, within=unbilled(), operation=failure, now=at("10:01")
    )
    assert made.rows == (9,)
    assert starts(made) == 0
    assert [entry.event for entry in made.entries] == ["start_ended"]


# --- Row 10 ------------------------------------------------------------------------


@pytest.mark.parametrize("fault", HOPELESS)
def test_row_10_a_cause_that_waiting_does_not_mend_closes_at_once(
    fault: Fault,
) -> None:
    """The reason says which, and no start of it can come late."""
    made = held(Power.DEALLOCATED, failed(fault), within=unbilled())
    assert made.rows == (10, 18)
    assert made.closed is not None
    assert made.closed.stop_reason is StopReason.START_FAILED
    assert made.closed.problem == fault.value
    assert made.lease.last is not None
    assert made.lease.last.late_start_sent_at is None


@pytest.mark.parametrize("power", [Power.STARTING, Power.UNKNOWN, Power.RUNNING])
def test_row_10_needs_the_machine_off(power: Power) -> None:
    """While it is on or unknown nothing is concluded."""
    made = held(power, failed(Fault.QUOTA), within=unbilled())
    assert made.lease.state is LeaseState.HELD


# --- Row 11 ------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [Fault.OTHER, Fault.NOT_FOUND])
def test_row_11_a_failed_start_is_told_off_all_the_same(fault: Fault) -> None:
    """A01, A02: such a machine has been seen to boot later."""
    made = held(Power.DEALLOCATED, failed(fault), within=unbilled())
    assert made.rows == (11, 1, 18)
    assert deallocates(made) == 1
    assert made.closed is not None
    assert made.closed.stop_reason is StopReason.START_FAILED


def test_row_11_while_it_starts_the_release_goes_on() -> None:
    """One deallocate in this run, and the next minute another."""
    made = held(Power.STARTING, failed(Fault.OTHER))
    assert made.rows == (11, 4)
    assert deallocates(made) == 1
    assert made.lease.release is not None
    assert made.lease.release.attempts == 1


@pytest.mark.parametrize("power", [Power.RUNNING, Power.UNKNOWN, Power.DEALLOCATING])
def test_row_11_a_running_machine_is_not_taken_for_failed(power: Power) -> None:
    """A09: money and life follow the power state."""
    assert held(power, failed(Fault.OTHER)).lease.state is LeaseState.HELD


@pytest.mark.parametrize("fault", [Fault.PREEMPTED, *SOON, Fault.CAPACITY])
def test_row_11_what_is_asked_again_or_superseded_is_waited_for(fault: Fault) -> None:
    """While it is starting."""
    made = held(Power.STARTING, failed(fault), within=unbilled())
    assert made.rows == (17,)


# --- Row 12 ------------------------------------------------------------------------


@pytest.mark.parametrize("power", [Power.UNKNOWN, Power.STARTING, Power.RUNNING])
@pytest.mark.parametrize(("seconds", "ends"), [(4499, False), (4500, True)])
def test_row_12_never_ready_since_the_start_was_sent(
    power: Power, seconds: int, ends: object
) -> None:
    """A15, A18: it needs nothing of the guest and no power state."""
    now = ASKED_AT + seconds * SECOND
    made = held(power, now=now)
    assert (made.rows[0] == 12) is ends
    if ends:
        assert made.lease.release is not None
        assert made.lease.release.reason is StopReason.NEVER_READY


def test_row_12_says_how_far_it_got() -> None:
    """The phase is named."""
    of = lease(phase=Phase.WEIGHTS)
    assert "weights" in held(Power.RUNNING, of, now=at("11:20")).reason


def test_row_12_adopted_counts_from_the_adoption() -> None:
    """However long the machine had been on."""
    of = adopted_lease(NOW - 75 * MINUTE, expires_at=NOW + HOUR)
    assert held(Power.RUNNING, of).rows[0] == 12
    later = replace(of, adopted_at=NOW - 74 * MINUTE)
    assert held(Power.RUNNING, later).rows[0] == 17


def test_row_12_without_a_start_it_counts_from_the_request() -> None:
    """Somebody else was switching it off when it was asked for."""
    within = unbilled(requested_at=NOW - 75 * MINUTE)
    made = held(Power.DEALLOCATING, never_started(), within=within)
    assert made.rows[0] == 12


@pytest.mark.parametrize(("seconds", "ends"), [(4499, False), (4500, True)])
def test_row_12_not_responding_where_it_was_ready_before(
    seconds: int, ends: object
) -> None:
    """It counts from the last ready heartbeat, by the second."""
    ready_at = at("10:40")
    now = ready_at + seconds * SECOND
    said = beat(received_at=ready_at)
    of = lease(expires_at=now + HOUR, last_ready_at=ready_at - 59 * SECOND)
    within = session(ready_at=ready_at)
    made = held(Power.RUNNING, of, within=within, now=now, heartbeat=said)
    assert (made.rows[0] == 12) is ends
    if ends:
        assert made.lease.release is not None
        assert made.lease.release.reason is StopReason.NOT_RESPONDING


def test_row_12_a_fresh_ready_heartbeat_stays() -> None:
    """However long ago it was asked for."""
    now = ASKED_AT + 80 * MINUTE
    assert held(Power.RUNNING, now=now, heartbeat=beat(received_at=now)).rows == (16,)
    other = beat(Phase.LOADING, received_at=now)
    assert held(Power.RUNNING, now=now, heartbeat=other).rows[0] == 12


def test_row_12_is_lifted_for_a_setup_that_has_said_something() -> None:
    """The first download takes as long as it takes."""
    now, of = ASKED_AT + 80 * MINUTE, lease(purpose=Purpose.SETUP)
    said = beat(Phase.WEIGHTS, received_at=now)
    assert held(Power.RUNNING, of, now=now, heartbeat=said).rows == (17,)
    assert held(Power.RUNNING, of, now=now).rows[0] == 12


@pytest.mark.parametrize(("seconds", "ends"), [(119, False), (120, True)])
def test_row_12_waits_two_minutes_after_a_gap_between_runs(
    seconds: int, ends: object
) -> None:
    """B01: heartbeats had nobody to take them."""
    now = ASKED_AT + 80 * MINUTE
    made = held(Power.RUNNING, now=now, gap_ended_at=now - seconds * SECOND)
    assert (made.rows[0] == 12) is ends


# --- Row 13 ------------------------------------------------------------------------


def test_row_13_stopped_after_it_ran_is_released() -> None:
    """A07: stopped is billed; however recent the start."""
    of = lease(ran=True, start=start(sent_at=NOW, outcome=outcome()))
    made = held(Power.STOPPED, of)
    assert made.rows == (13, 4)
    assert deallocates(made) == 1
    assert made.lease.release is not None
    assert made.lease.release.reason is StopReason.GUEST_SHUTDOWN


@pytest.mark.parametrize(("seconds", "ends"), [(299, False), (300, True)])
def test_row_13_stopped_for_a_moment_is_part_of_a_start(
    seconds: int, ends: object
) -> None:
    """Azure shows it between a start and the boot."""
    of = lease(start=start(sent_at=NOW - seconds * SECOND))
    made = held(Power.STOPPED, of, operation=IN_PROGRESS)
    assert (made.rows[0] == 13) is ends


@pytest.mark.parametrize(
    ("seconds", "entry", "ends"),
    [
        (299, UPDATING, False),
        (299, provisioning("creating"), False),
        (300, UPDATING, True),
        (299, provisioning("succeeded"), True),
        (299, None, True),
    ],
)
def test_row_13_an_adopted_machine_may_be_on_its_way(
    seconds: int, entry: object, ends: object
) -> None:
    """Only for five minutes and only while ARM says that it changes."""
    of = adopted_lease(NOW - seconds * SECOND)
    made = held(Power.STOPPED, of, entry=entry)
    assert (made.rows[0] == 13) is ends


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault.CAPACITY, StopReason.NO_CAPACITY),
        (Fault.QUOTA, StopReason.START_FAILED),
        (Fault.OTHER, StopReason.START_FAILED),
    ],
)
def test_row_13_a_failed_start_that_left_it_stopped_keeps_its_reason(
    fault: Fault, reason: StopReason
) -> None:
    """It never ran; where it ran the guest shut it down."""
    made = held(Power.STOPPED, failed(fault, minutes_ago=6))
    assert made.lease.release is not None
    assert made.lease.release.reason is reason
    ran = held(Power.STOPPED, replace(failed(fault), ran=True))
    assert ran.lease.release is not None
    assert ran.lease.release.reason is StopReason.GUEST_SHUTDOWN


# --- Row 14 ------------------------------------------------------------------------


@pytest.mark.parametrize(("seconds", "ends"), [(599, False), (600, True)])
def test_row_14_broken_for_ten_minutes_is_released(seconds: int, ends: object) -> None:
    """A restart inside may still help before that."""
    of = lease(broken_since=NOW - seconds * SECOND)
    made = held(Power.RUNNING, of, heartbeat=beat(Phase.BROKEN, detail="exit 1"))
    assert (made.rows[0] == 14) is ends
    if ends:
        assert "exit 1" in made.reason


def test_row_14_broken_needs_no_fresh_heartbeat() -> None:
    """It was broken when it was last heard of, and nothing has been heard since."""
    old = beat(Phase.BROKEN, received_at=NOW - 4 * MINUTE)
    of = lease(broken_since=NOW - 600 * SECOND)
    assert held(Power.RUNNING, of, heartbeat=old).rows[0] == 14


def test_row_14_a_setup_may_be_broken() -> None:
    """Somebody is at work on it."""
    of = lease(purpose=Purpose.SETUP, broken_since=NOW - HOUR)
    assert held(Power.RUNNING, of, heartbeat=beat(Phase.BROKEN)).rows == (17,)


@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        (None, StopReason.BROKEN),
        (Ending.IDLE, StopReason.IDLE),
        (Ending.LEASE, StopReason.ASKED),
    ],
)
def test_row_14_a_vm_that_cannot_end_itself_is_ended(
    ending: Ending | None, reason: StopReason
) -> None:
    """With its own reason; also in a setup."""
    said = beat(release_failed=True, ending=ending)
    made = held(Power.RUNNING, lease(purpose=Purpose.SETUP), heartbeat=said)
    assert made.rows == (14, 4)
    assert made.lease.release is not None
    assert made.lease.release.reason is reason


@pytest.mark.parametrize(("seconds", "ends"), [(299, False), (300, True)])
def test_row_14_an_ending_of_five_minutes_ago_is_carried_out(
    seconds: int, ends: object
) -> None:
    """The VM said that it ends itself and did not."""
    of = lease(ending_since=NOW - seconds * SECOND)
    said = beat(Phase.DRAINING, ending=Ending.NEVER_READY)
    made = held(Power.RUNNING, of, heartbeat=said)
    assert (made.rows[0] == 14) is ends


@pytest.mark.parametrize(
    ("power", "seconds"), [(Power.RUNNING, 181), (Power.UNKNOWN, 0)]
)
def test_row_14_needs_a_running_machine_and_a_fresh_word(
    power: Power, seconds: int
) -> None:
    """An old heartbeat says nothing of now."""
    said = beat(release_failed=True, received_at=NOW - seconds * SECOND)
    assert held(power, heartbeat=said).rows == (17,)


# --- Row 15 ------------------------------------------------------------------------

IDLE = 1800.0
READY_FOR_HOURS = session(ready_at=NOW - 5 * HOUR)


def idle_beat(**changed: Any) -> Heartbeat:
    """Return a heartbeat of a machine that has been up and ready for hours."""
    return busy_beat(**({"idle_seconds": 9 * IDLE, "uptime_s": 5 * 3600.0} | changed))


@pytest.mark.parametrize(("seconds", "ends"), [(IDLE - 1, False), (IDLE, True)])
def test_row_15_idle_past_the_limit_and_ten_minutes(
    seconds: float, ends: object
) -> None:
    """The VM's own watcher had its chance."""
    said = idle_beat(idle_seconds=seconds)
    made = held(Power.RUNNING, within=READY_FOR_HOURS, heartbeat=said)
    assert (made.rows[0] == 15) is ends
    if ends:
        assert made.lease.release is not None
        assert made.lease.release.reason is StopReason.IDLE


@pytest.mark.parametrize(
    "changed",
    [
        {"requests_running": 1},
        {"requests_waiting": 1},
        {"open_connections": 1},
        {"requests_running": None},
        {"requests_waiting": None},
        {"open_connections": None},
        {"idle_seconds": None},
        {"received_at": NOW - 3 * MINUTE - SECOND},
    ],
)
def test_row_15_whatever_is_busy_unknown_or_old_is_not_idle(
    changed: dict[str, object],
) -> None:
    """Unknown is not zero."""
    said = idle_beat(**changed)
    made = held(Power.RUNNING, within=READY_FOR_HOURS, heartbeat=said)
    assert made.lease.state is LeaseState.HELD


@pytest.mark.parametrize(
    ("ready_at", "uptime", "ends"),
    [
        (NOW - IDLE * SECOND, None, True),
        (NOW - IDLE * SECOND, IDLE, True),
        (NOW - IDLE * SECOND, IDLE - 1, False),
        (NOW - (IDLE - 1) * SECOND, None, False),
        (NOW - (IDLE - 1) * SECOND, 18 * 3600.0, False),
        (None, 18 * 3600.0, False),
    ],
)
def test_a10_row_15_idle_from_before_this_session_or_this_boot_is_not_counted(
    ready_at: datetime | None, uptime: float | None, ends: object
) -> None:
    """A watcher that carries its clock over would kill every start."""
    within = session(ready_at=ready_at)
    said = idle_beat(idle_seconds=18 * 3600.0, uptime_s=uptime)
    made = held(Power.RUNNING, within=within, heartbeat=said)
    assert (made.rows[0] == 15) is ends


def test_a10_row_15_a_machine_that_was_never_ready_is_not_idle() -> None:
    """It still boots: its own deadline ends it, not the idle limit."""
    said = idle_beat(phase=Phase.LOADING)
    assert held(Power.RUNNING, heartbeat=said).rows == (17,)


def test_row_15_is_lifted_in_a_setup_and_needs_running() -> None:
    """Nobody asks a model that is being downloaded."""
    said, within = idle_beat(), READY_FOR_HOURS
    setup = lease(purpose=Purpose.SETUP)
    assert held(Power.RUNNING, setup, within=within, heartbeat=said).rows == (16,)
    assert held(Power.UNKNOWN, within=within, heartbeat=said).rows == (17,)


# --- Row 16 and 17 -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "warned", "warns"),
    [
        (901, (), False),
        (900, (), True),
        (899, (15,), False),
        (301, (15,), False),
        (300, (15,), True),
        (299, (5, 15), False),
        (240, (), True),
    ],
)
def test_row_16_warns_once_at_15_and_once_at_5_minutes(
    seconds: int, warned: tuple[int, ...], warns: object
) -> None:
    """And else changes nothing."""
    of = lease(expires_at=NOW + seconds * SECOND, warned=warned, ran=True)
    made = held(Power.RUNNING, of, heartbeat=busy_beat())
    assert made.rows == (16,)
    assert (told(made) == ["warning"]) is warns


def test_row_16_says_how_long_is_really_left() -> None:
    """A short lease is not said to have 15 minutes."""
    of = lease(expires_at=NOW + 8 * MINUTE)
    made = held(Power.RUNNING, of, heartbeat=beat())
    assert "8 minutes" in made.entries[-1].text
    assert made.lease.warned == (15,)


@pytest.mark.parametrize("power", [Power.DEALLOCATING, Power.STOPPING, Power.STARTING])
def test_row_17_everything_else_waits(power: Power) -> None:
    """And says for what."""
    made = held(power)
    assert made.rows == (17,)
    assert power in made.reason
    assert made.actions == ()


# --- Rows 18 to 21: no lease --------------------------------------------------------


@pytest.mark.parametrize(
    "power", [Power.DEALLOCATED, Power.DEALLOCATING, Power.GONE, Power.UNKNOWN]
)
def test_row_18_off_gone_and_unknown_are_left_alone(power: Power) -> None:
    """Nothing is written and nobody told."""
    made = unleased(power)
    assert made.rows == (18,)
    assert made.lease == lease(LeaseState.NONE)
    assert made.actions == ()


@pytest.mark.parametrize("power", list(Power))
@pytest.mark.parametrize("run", list(RunKind))
def test_row_18_a_foreign_machine_is_only_reported(power: Power, run: RunKind) -> None:
    """A13: two control planes never fight over a machine; nothing comes late there."""
    of = lease(LeaseState.NONE, last=last(late_start_sent_at=NOW - HOUR))
    made = unleased(power, of, run=run, tag="theirs", entry=provisioning())
    assert made.rows == (18,)
    assert made.lease == of
    assert made.actions == ()
    assert "theirs" in made.reason


@pytest.mark.parametrize("tag", [None, "", "switch"])
def test_row_18_an_own_or_empty_tag_is_not_foreign(tag: str | None) -> None:
    """Without a tag there is nobody to fight with."""
    assert case(lease(), None, Power.RUNNING, tag=tag).other_controller is None
    assert unleased(Power.RUNNING, tag=tag).rows[0] == 21


@pytest.mark.parametrize(
    ("seconds", "alarmed", "tells"),
    [(599, False, False), (600, False, True), (600, True, False)],
)
def test_row_18_unknown_for_ten_minutes_is_told_once(
    seconds: int, alarmed: object, tells: object
) -> None:
    """Nothing else is done about it."""
    since = NOW - seconds * SECOND
    made = unleased(Power.UNKNOWN, power_since=since, alarmed=alarmed)
    assert (told(made) == ["unknown"]) is tells
    assert deallocates(made) == 0


@pytest.mark.parametrize("power", BILLING)
@pytest.mark.parametrize(("minutes", "late"), [(119.9, True), (120, False)])
def test_row_19_a_start_that_was_given_up_comes_late(
    power: Power, minutes: float, late: object
) -> None:
    """A02: within two hours of its sending; it is switched off, once."""
    on_since = NOW - MINUTE
    sent = on_since - minutes * MINUTE
    of = lease(LeaseState.NONE, last=last(late_start_sent_at=sent))
    made = unleased(power, of, on_since=on_since, entry=UPDATING)
    assert (made.rows[0] == 19) is late
    if late:
        assert made.rows == (19, 4)
        assert deallocates(made) == 1
        assert made.lease.release is not None
        assert made.lease.release.reason is StopReason.LATE_START
        assert made.lease.last is not None
        assert made.lease.last.late_start_sent_at is None
        assert made.session is not None
        assert made.session.adopted


def test_row_19_what_was_on_before_the_start_is_no_late_start() -> None:
    """The start can't have brought it on."""
    sent = NOW - MINUTE
    of = lease(LeaseState.NONE, last=last(late_start_sent_at=sent))
    assert unleased(Power.RUNNING, of, on_since=sent - SECOND).rows[0] == 21
    assert unleased(Power.RUNNING, of, on_since=None).rows[0] == 21


@pytest.mark.parametrize(("minutes", "back"), [(30, True), (30.1, False)])
def test_row_19_back_from_gone_the_release_goes_on(
    minutes: float, back: object
) -> None:
    """Within 30 minutes of the first 404, with that release's reason and person."""
    before = last(
        ended_at=NOW - minutes * MINUTE,
        closed_on_gone=True,
        release=release(NOW - HOUR, by="ipad"),
    )
    made = unleased(Power.RUNNING, lease(LeaseState.NONE, last=before))
    assert (made.rows[0] == 19) is back
    if back:
        assert made.lease.release is not None
        assert made.lease.release.reason is StopReason.USER
        assert made.lease.release.by == "ipad"


@pytest.mark.parametrize(
    "changed", [{"release": None}, {"closed_on_gone": False}], ids=["held", "off"]
)
def test_row_19_back_from_gone_while_held_is_adopted(
    changed: dict[str, object],
) -> None:
    """Nobody had wanted it off."""
    plain = {
        "ended_at": NOW - MINUTE,
        "closed_on_gone": True,
        "release": release(NOW - HOUR),
    }
    before = last(**(plain | changed))
    made = unleased(Power.RUNNING, lease(LeaseState.NONE, last=before))
    assert made.rows[0] == 21


def test_row_19_a_persons_start_is_not_a_late_start() -> None:
    """The user's new start owns the machine."""
    before = last(
        late_start_sent_at=NOW - HOUR,
        ended_at=NOW - MINUTE,
        closed_on_gone=True,
        release=release(NOW - HOUR),
    )
    of = lease(LeaseState.NONE, last=before)
    made = unleased(Power.RUNNING, of, run=RunKind.START, ask=ASK)
    assert made.rows[0] == 21
    assert made.lease.state is LeaseState.HELD


@pytest.mark.parametrize(
    ("entry", "row"),
    [
        (None, 20),
        (provisioning("succeeded"), 20),
        (provisioning("failed"), 20),
        (UPDATING, 21),
        (provisioning("creating"), 21),
    ],
)
@pytest.mark.parametrize("run", [RunKind.TICK, RunKind.START, RunKind.READ])
def test_row_20_stopped_and_still_billed_is_switched_off(
    entry: object, row: int, run: RunKind
) -> None:
    """A07: also where nobody started it; while ARM is at it, it is adopted."""
    made = unleased(Power.STOPPED, entry=entry, run=run)
    assert made.rows[0] == row
    if row == 20:
        assert made.rows == (20, 4)
        assert deallocates(made) == 1
        assert made.lease.release is not None
        assert made.lease.release.reason is StopReason.GUEST_SHUTDOWN


@pytest.mark.parametrize("power", [Power.STARTING, Power.RUNNING, Power.STOPPING])
@pytest.mark.parametrize("run", list(RunKind))
def test_row_21_what_was_found_on_is_adopted_and_told(
    power: Power, run: RunKind
) -> None:
    """A12: neither killed at once nor unlimited; any run does it."""
    made = unleased(power, run=run)
    assert made.rows == (21, 17)
    assert made.lease.state is LeaseState.HELD
    assert made.lease.adopted_at == NOW
    assert told(made) == ["adopted"]
    assert made.session is not None
    assert made.session.adopted
    assert made.session.started_by == "outside"
    assert made.session.billing_since == NOW - 20 * MINUTE
    assert made.lease.expires_at == NOW - 20 * MINUTE + 4 * HOUR


@pytest.mark.parametrize("run", [RunKind.START, RunKind.ADOPT])
def test_row_21_a_persons_start_adopts_for_that_person(run: RunKind) -> None:
    """With what was asked, and no start sent."""
    ask = replace(ASK, note="demo", purpose=Purpose.SETUP, max_hours=Decimal(3))
    made = unleased(Power.RUNNING, run=run, ask=ask)
    assert starts(made) == 0
    assert made.session is not None
    assert made.session.started_by == "iphone"
    assert made.session.note == "demo"
    assert made.lease.expires_at == NOW + 2 * HOUR
    assert made.lease.limited_by is Limit.ASKED
    assert made.lease.purpose is Purpose.SETUP
    assert made.lease.max_hours == 3


def test_row_21_a_locked_machine_is_adopted_to_be_released() -> None:
    """The table runs again on the same observation."""
    made = unleased(Power.RUNNING, lease(LeaseState.NONE, locked=True))
    assert made.rows == (21, 5, 4)
    assert made.lease.state is LeaseState.RELEASING
    assert deallocates(made) == 1


# --- Every pair, and always ---------------------------------------------------------

PAIRS = tuple(product(LeaseState, Power, RunKind))


def of_state(state: LeaseState) -> tuple[Lease, Session | None]:
    """Return a plain lease and session of a state."""
    return lease(state), None if state is LeaseState.NONE else session()


@pytest.mark.parametrize(("state", "power", "run"), PAIRS)
def test_every_pair_has_a_row_and_a_reason(
    state: LeaseState, power: Power, run: RunKind
) -> None:
    """And never does what it must not."""
    of, within = of_state(state)
    made = decided(of, within, power, run=run)
    assert_sound(made, run)
    if run is RunKind.READ:
        assert starts(made) == 0


@pytest.mark.parametrize(("state", "power", "run"), PAIRS)
def test_every_pair_obeys_a_lock(state: LeaseState, power: Power, run: RunKind) -> None:
    """Nothing is held after a lock, and nothing started."""
    of, within = of_state(state)
    made = decided(replace(of, locked=True), within, power, run=run)
    assert made.lease.state is not LeaseState.HELD
    assert made.lease.locked
    assert starts(made) == 0


@pytest.mark.parametrize(("state", "power"), tuple(product(LeaseState, Power)))
def test_every_pair_closes_on_deallocated_or_gone_alone(
    state: LeaseState, power: Power
) -> None:
    """A14: whatever was sent and said."""
    of, within = of_state(state)
    made = decided(
        replace(of, locked=True, start=start(outcome=outcome())), within, power
    )
    if made.closed is not None:
        assert power in {Power.DEALLOCATED, Power.GONE}


def assert_sound(made: Decision, run: RunKind) -> None:
    """Check what holds of every decision."""
    assert made.rows
    assert made.reason
    assert not (starts(made) and deallocates(made))
    assert starts(made) + deallocates(made) <= 1
    if not run.may_start:
        assert starts(made) == 0
    if starts(made):
        assert made.lease.state is LeaseState.HELD
        assert made.lease.adopted_at is None
    assert (made.lease.session_id is None) == (made.session is None)
    if made.closed is not None:
        assert made.closed.cost is not None
        assert made.closed.cost >= 0
        assert made.closed.billed_seconds is not None
        assert made.closed.billed_seconds >= 0


def _flipped(seen: Case) -> Decision:
    """Decide for the other state, whichever it is."""
    is_held = seen.lease.state is LeaseState.HELD
    other = LeaseState.RELEASING if is_held else LeaseState.HELD
    return Decision(
        rows=(0,), reason="?", lease=replace(seen.lease, state=other), session=session()
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [((), "no row"), ((_flipped,), "does not settle")],
)
def test_a_table_with_a_hole_or_a_circle_is_an_error(
    monkeypatch: pytest.MonkeyPatch, rows: tuple[table.Row, ...], said: str
) -> None:
    """It is found by the first case that falls into it."""
    for name in ("RELEASING", "HELD", "NONE"):
        monkeypatch.setattr(table, name, rows)
    with pytest.raises(AssertionError, match=said):
        held(Power.RUNNING)


def test_each_table_ends_with_a_row_that_always_speaks() -> None:
    """So that no case is without one."""
    for rows, of, within in (
        (RELEASING, lease(LeaseState.RELEASING), session()),
        (HELD, lease(), session()),
        (NONE, lease(LeaseState.NONE), None),
    ):
        assert rows[-1](case(of, within, Power.RUNNING)) is not None


def test_a_state_that_does_not_exist_has_no_table() -> None:
    """A new one is a new table, and the type checker says so first."""
    with pytest.raises(AssertionError):
        table._rows(cast("Any", "asleep"))


minutes = st.integers(min_value=-300, max_value=0).map(lambda n: n * MINUTE)
instants = minutes.map(lambda by: NOW + by)
maybe_instants = st.none() | instants
faults = st.none() | st.sampled_from(Fault)
outcomes = st.none() | st.builds(outcome, faults, instants)


@st.composite
def started(draw: st.DrawFn) -> Lease:
    """Return a held or releasing lease in any condition."""
    sent = draw(instants)
    accepted = draw(st.none() | st.just(sent))
    has_start = draw(st.booleans())
    adopted = not has_start and draw(st.booleans())
    made = lease(
        expires_at=draw(instants) + draw(st.integers(0, 5)) * HOUR,
        limited_by=draw(st.sampled_from(Limit)),
        purpose=draw(st.sampled_from(Purpose)),
        locked=draw(st.booleans()),
        start=start(
            sent_at=sent,
            accepted_at=accepted,
            attempts=draw(st.integers(1, 40)),
            outcome=draw(outcomes),
            retry_at=draw(maybe_instants),
        )
        if has_start
        else None,
        first_start_at=sent if has_start else None,
        unanswered_at=draw(maybe_instants),
        adopted_at=draw(instants) if adopted else None,
        recounted=draw(st.booleans()),
        ran=draw(st.booleans()),
        broken_since=draw(maybe_instants),
        ending_since=draw(maybe_instants),
        last_ready_at=draw(maybe_instants),
    )
    if draw(st.booleans()):
        gone = release(draw(instants), attempts=draw(st.integers(0, 30)))
        return replace(
            made,
            state=LeaseState.RELEASING,
            release=replace(gone, sent_at=draw(maybe_instants)),
        )
    return made


@st.composite
def any_lease(draw: st.DrawFn) -> Lease:
    """Return a lease of any state, with any session before."""
    before = st.builds(
        last,
        ended_at=instants,
        closed_on_gone=st.booleans(),
        release=st.none() | st.builds(release, instants),
        late_start_sent_at=maybe_instants,
        expires_at=maybe_instants,
    )
    empty = st.builds(lease, st.just(LeaseState.NONE), locked=st.booleans())
    made = draw(empty | started())
    return replace(made, last=draw(st.none() | before))


@st.composite
def any_session(draw: st.DrawFn, of: Lease) -> Session | None:
    """Return the session of a lease, billed or not; a release may have none."""
    if of.state is LeaseState.NONE:
        return None
    since = draw(maybe_instants)
    requested = draw(instants)
    adopted = of.adopted_at is not None
    return session(
        requested_at=requested,
        billing_since=since or (requested if adopted else None),
        adopted=adopted,
        provisional=since is None,
        ready_at=draw(maybe_instants),
    )


spends: st.SearchStrategy[Spend | None] = st.none() | st.builds(
    spend, st.sampled_from(["-10", "0", "0.01", "30", "4000"])
)
beats = st.none() | st.builds(
    beat,
    phase=st.sampled_from(Phase),
    received_at=instants,
    idle_seconds=st.none() | st.floats(0, 9000),
    requests_running=st.none() | st.integers(0, 2),
    requests_waiting=st.just(0),
    open_connections=st.just(0),
    ending=st.none() | st.sampled_from(Ending),
    release_failed=st.booleans(),
    boot_id=st.sampled_from(["boot-1", "boot-2"]),
)
entries = st.none() | st.builds(
    provisioning,
    st.sampled_from(["succeeded", "failed", "updating"]),
    maybe_instants,
    fault=st.none() | st.sampled_from(Fault),
)
operations = st.none() | st.sampled_from(
    [
        IN_PROGRESS,
        SUCCEEDED,
        *(
            replace(SUCCEEDED, state=OperationState.FAILED, fault=fault)
            for fault in Fault
        ),
    ]
)


@st.composite
def any_case(draw: st.DrawFn) -> tuple[Lease, Session | None, RunKind, Decision]:
    """Return a case of anything, and what is decided about it."""
    of, power = draw(any_lease()), draw(st.sampled_from(Power))
    within = draw(any_session(of))
    run = draw(st.sampled_from(RunKind))
    seen = observation(
        power,
        run,
        heartbeat=draw(beats) if within else None,
        operation=draw(operations),
        spend=draw(spends),
        entry=draw(entries),
        tag=draw(st.sampled_from([None, "switch", "theirs"])),
        power_since=draw(instants),
        on_since=draw(maybe_instants),
        last_billing_at=draw(maybe_instants),
        gap_ended_at=draw(maybe_instants),
        ask=ASK if run.adopts_for_caller else None,
    )
    return of, within, run, decide(of, within, seen, POLICY, NOW)


@settings(max_examples=250, deadline=None)
@given(any_case())
def test_always_a_decision_is_sound(
    given_: tuple[Lease, Session | None, RunKind, Decision],
) -> None:
    """Whatever was believed and is seen, `decide` settles and does no harm."""
    of, within, run, made = given_
    assert_sound(made, run)
    requested = within.requested_at if within else NOW
    if starts(made):
        assert not of.locked
        assert of.expires_at is not None
        assert (made.lease.expires_at or NOW) > NOW
        assert NOW - requested < POLICY.capacity_retry


@settings(max_examples=250, deadline=None)
@given(any_case())
def test_always_only_the_first_recount_moves_the_deadline_later(
    given_: tuple[Lease, Session | None, RunKind, Decision],
) -> None:
    """And that one only until billing has been dated."""
    of, within, _, made = given_
    if of.state is not LeaseState.HELD or made.lease.state is not LeaseState.HELD:
        return
    assert of.expires_at is not None
    assert made.lease.expires_at is not None
    if made.lease.expires_at > of.expires_at:
        assert within is not None
        assert made.session is not None
        assert (
            within.billing_since is None
            or made.session.billing_since is None
            or (made.session.billing_since != within.billing_since)
        )
        assert made.lease.recounted


@settings(max_examples=150, deadline=None)
@given(any_case())
def test_always_what_is_closed_was_read_off(
    given_: tuple[Lease, Session | None, RunKind, Decision],
) -> None:
    """A session ends only when deallocated or gone was read, and never twice."""
    of, within, _, made = given_
    if made.closed is None:
        return
    assert within is not None
    assert made.closed.id == within.id
    assert made.lease.state is LeaseState.NONE
    assert made.lease.last is not None
    assert made.lease.last.session_id == within.id
    assert of.state is not LeaseState.NONE
