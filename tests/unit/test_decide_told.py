"""What a decision tells: its reason, its lines and its notices, word for word."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from control.decision import Decision, Entry, Notify
from control.model import Operation
from control.said.ends import Cause
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
    MINUTE,
    NOW,
    POLICY,
    SECOND,
    SUCCEEDED,
    at,
    beat,
    busy_beat,
    decided,
    held,
    last,
    lease,
    outcome,
    provisioning,
    release,
    releasing,
    session,
    spend,
    start,
    starts,
    unbilled,
    unleased,
)

EMPTY = lease(LeaseState.NONE)
LATE = "The model did not answer in time."
FIRST = lease(start=None, first_start_at=None, expires_at=NOW + HOUR)


def failed(fault: Fault, **changed: Any) -> Any:
    """Return a held lease whose newest start failed."""
    return lease(start=start(fault, accepted_at=None), **changed)


@pytest.mark.parametrize("by", ["iphone", "timer"])
def test_row_01_names_who_switched_it_off(by: str) -> None:
    """As the one it was released by."""
    of = lease(
        LeaseState.RELEASING, start=start(outcome=outcome()), release=release(by=by)
    )
    assert by in releasing(Power.DEALLOCATED, of).reason


def test_row_04_adopts_with_who_asked_and_when() -> None:
    """A stop came before anything was known to run."""
    of = lease(
        LeaseState.RELEASING,
        session_id=None,
        start=None,
        first_start_at=None,
        release=release(NOW - MINUTE, by="ipad"),
    )
    made = decided(of, None, Power.RUNNING)
    assert made.session is not None
    assert made.session.stop_requested_at == NOW - MINUTE
    assert made.session.stopped_by == "ipad"
    adopted = next(line for line in made.entries if line.event == "adopted")
    assert adopted.text
    assert adopted.text == adopted.text.strip()


def test_row_19_a_late_start_is_adopted_and_released_in_one() -> None:
    """Both are told, and both are written, for the same reason."""
    of = replace(EMPTY, last=last(late_start_sent_at=NOW - HOUR))
    made = unleased(Power.RUNNING, of, on_since=NOW - MINUTE)
    assert made.rows == (19, 4)
    assert [line.event for line in made.entries] == [
        "adopted",
        "released",
        "deallocate",
    ]
    assert made.entries[0].text == made.reason
    assert made.entries[1].text == f"late_start: {made.reason}"
    notices = [action for action in made.actions if isinstance(action, Notify)]
    assert [notice.event for notice in notices] == ["adopted"]
    assert made.reason in notices[0].text


def test_row_19_back_from_gone_says_so() -> None:
    """In the reason, and in both lines."""
    before = last(
        ended_at=NOW - MINUTE, closed_on_gone=True, release=release(NOW - HOUR)
    )
    made = unleased(Power.RUNNING, replace(EMPTY, last=before))
    assert made.reason
    assert made.entries[0].text == made.reason
    assert made.entries[1].text == f"user: {made.reason}"


@pytest.mark.parametrize(
    ("run", "ask", "words"),
    [
        (RunKind.TICK, None, ("running", "outside")),
        (RunKind.START, ASK, ("running", "iphone")),
    ],
)
def test_row_21_names_the_power_and_whose_it_is(
    run: RunKind, ask: Any, words: tuple[str, str]
) -> None:
    """In the reason and in the notice."""
    made = unleased(Power.RUNNING, run=run, ask=ask)
    notice = next(a for a in made.actions if isinstance(a, Notify))
    for text in (made.reason, notice.text, made.entries[0].text):
        assert all(word in text for word in words)
        assert "None" not in text


@pytest.mark.parametrize(
    ("run", "reason", "sent"),
    [
        (RunKind.TICK, "Azure is asked to start the machine.", 1),
        (RunKind.HEARTBEAT, "The timer asks Azure for the machine.", 0),
    ],
)
def test_row_08_says_who_starts(run: RunKind, reason: str, sent: int) -> None:
    """A call that may not start leaves it to the timer, and says so."""
    within = unbilled(requested_at=NOW)
    made = held(Power.DEALLOCATED, FIRST, within=within, run=run)
    assert made.reason == reason
    assert starts(made) == sent
    lines = [Entry(event="start", text="Start sent, attempt 1.", by="timer")]
    assert list(made.entries) == lines[:sent]


def test_row_09_counts_the_attempts() -> None:
    """The second is the second."""
    of = failed(Fault.CAPACITY)
    within = unbilled(requested_at=NOW - 5 * MINUTE)
    made = held(Power.DEALLOCATED, of, within=within)
    assert made.reason == "Azure is asked again for a free machine."
    assert made.entries[-1].text == "Start sent, attempt 2."


@pytest.mark.parametrize(
    ("others", "hint"),
    [
        ((), ""),
        (("vm-2",), " Other machines here: vm-2."),
        (("vm-2", "vm-3"), " Other machines here: vm-2, vm-3."),
    ],
)
def test_row_09_names_the_other_machines(others: tuple[str, ...], hint: str) -> None:
    """Where there are any."""
    policy = replace(POLICY, other_machines=others)
    within = unbilled(requested_at=NOW - HOUR)
    made = held(Power.DEALLOCATED, failed(Fault.CAPACITY), within=within, policy=policy)
    assert made.closed is not None
    assert made.closed.stop_reason is StopReason.NO_CAPACITY
    assert made.reason == f"Azure has no such machine free at the moment.{hint}"


def test_row_08_without_a_cause_names_none() -> None:
    """It was never sent."""
    within = unbilled(requested_at=NOW - HOUR)
    made = held(Power.DEALLOCATED, FIRST, within=within)
    assert made.reason == "Azure did not start the machine within 30 minutes."


@pytest.mark.parametrize(
    ("phase", "reason"),
    [
        (None, LATE),
        (
            Phase.WEIGHTS,
            f"{LATE} It got as far as: copying the model's weights.",
        ),
    ],
)
def test_row_12_says_how_far_the_boot_got(phase: Phase | None, reason: str) -> None:
    """Where the machine had said so."""
    of = lease(phase=phase)
    assert held(Power.RUNNING, of, now=at("11:20")).reason == reason


def test_row_21_a_persons_start_keeps_all_that_was_asked() -> None:
    """For the recount, the next extend and the ledger."""
    until = NOW + 90 * MINUTE
    ask = replace(ASK, asked=None, until=until, max_hours=Decimal(3), note="n")
    made = unleased(Power.RUNNING, run=RunKind.START, ask=ask)
    of = made.lease
    assert (of.asked, of.until, of.device) == (None, until, "iphone")
    assert of.purpose is Purpose.WORK
    hours = unleased(Power.RUNNING, run=RunKind.START, ask=ASK).lease
    assert (hours.asked, hours.until) == (2 * HOUR, None)
    outside = unleased(Power.RUNNING)
    assert outside.lease.device is None
    assert outside.session is not None
    assert (outside.session.note, outside.session.provisional) == ("", False)


@pytest.mark.parametrize(
    ("decides", "row", "reason"),
    [
        (lambda: unleased(Power.DEALLOCATED), 18, "deallocated"),
        (
            lambda: held(Power.RUNNING, lease(locked=True)),
            5,
            "An operator locked it.",
        ),
        (lambda: held(Power.RUNNING, now=at("12:00")), 5, "Its time was up."),
        (lambda: held(Power.RUNNING, spend=spend("0")), 5, "The budget is spent."),
        (
            lambda: held(Power.DEALLOCATED, lease(ran=True)),
            7,
            "It was switched off, but not by this switch.",
        ),
        (
            lambda: held(
                Power.DEALLOCATED,
                lease(ran=True),
                heartbeat=beat(ending=Ending.IDLE, received_at=NOW - 2 * MINUTE),
            ),
            7,
            "The machine switched itself off. Nobody was using it.",
        ),
        (
            lambda: held(
                Power.DEALLOCATED,
                lease(
                    start=start(accepted_at=None, outcome=outcome(Fault.CAPACITY, NOW))
                ),
                within=unbilled(requested_at=NOW),
            ),
            9,
            "Azure has no such machine free; asking again soon.",
        ),
        (
            lambda: held(Power.STARTING, failed(Fault.OTHER), within=unbilled()),
            11,
            "Azure says that the start failed, so it is told to switch it off.",
        ),
        (
            lambda: held(
                Power.RUNNING,
                lease(last_ready_at=ASKED_AT, expires_at=NOW + 2 * HOUR),
                within=session(ready_at=ASKED_AT),
                now=ASKED_AT + 76 * MINUTE,
            ),
            12,
            "The model has stopped answering.",
        ),
        (
            lambda: held(
                Power.STOPPED,
                lease(start=start(Fault.QUOTA, sent_at=NOW - 6 * MINUTE)),
                within=unbilled(),
            ),
            13,
            Cause.QUOTA.say(),
        ),
        (
            lambda: held(
                Power.RUNNING,
                lease(broken_since=NOW - 10 * MINUTE, phase=Phase.BROKEN),
                heartbeat=beat(Phase.BROKEN, detail="It ended with code 1."),
            ),
            14,
            "The model has been broken for 10 minutes. It ended with code 1.",
        ),
        (
            lambda: held(Power.RUNNING, heartbeat=beat(release_failed=True)),
            14,
            "The machine could not switch itself off, so the switch does it.",
        ),
        (
            lambda: held(
                Power.RUNNING,
                lease(expires_at=NOW + HOUR),
                within=session(ready_at=NOW - 2 * HOUR),
                heartbeat=busy_beat(idle_seconds=1800.0, uptime_s=9000),
            ),
            15,
            "Nobody was using it.",
        ),
        (lambda: held(Power.RUNNING, heartbeat=beat()), 16, "The model answers."),
    ],
)
def test_each_row_says_why(
    decides: Callable[[], Decision], row: int, reason: str
) -> None:
    """In one sentence."""
    made = decides()
    assert made.rows[0] == row
    assert made.reason == reason if row != 18 else reason in made.reason


def test_row_13_and_14_are_named_with_what_they_end_as() -> None:
    """The reason in the ledger is the one of the row."""
    broken = lease(broken_since=NOW - 10 * MINUTE, phase=Phase.BROKEN)
    made = held(Power.RUNNING, broken, heartbeat=beat(Phase.BROKEN))
    assert made.lease.release is not None
    assert made.lease.release.reason is StopReason.BROKEN


@pytest.mark.parametrize(
    ("run", "by"), [(RunKind.TICK, "timer"), (RunKind.HEARTBEAT, "heartbeat")]
)
def test_row_16_writes_its_warning(run: RunKind, by: str) -> None:
    """With who noticed."""
    of = lease(expires_at=NOW + 15 * MINUTE)
    made = held(Power.RUNNING, of, heartbeat=beat(), run=run)
    text = "The session ends in 15 minutes. Extend it if you need longer."
    assert Entry(event="warned", text=text, by=by) in made.entries
    assert Notify(event="warning", text=text) in made.actions


@pytest.mark.parametrize(
    ("attempts", "minutes", "text"),
    [
        (0, 1, "Deallocate sent, attempt 1."),
        (11, 12, "Deallocate sent, attempt 12, forced."),
    ],
)
def test_row_04_writes_each_deallocate(attempts: int, minutes: int, text: str) -> None:
    """With who sent it, and whether it was forced."""
    of = lease(
        LeaseState.RELEASING,
        start=start(outcome=outcome()),
        release=release(
            NOW - minutes * MINUTE, attempts=attempts, sent_at=NOW - MINUTE
        ),
    )
    made = releasing(Power.RUNNING, of, run=RunKind.HEARTBEAT)
    assert made.entries[-1] == Entry(event="deallocate", text=text, by="heartbeat")


@pytest.mark.parametrize(
    ("power", "says"),
    [
        (Power.RUNNING, "Azure says that it is running."),
        (Power.UNKNOWN, "Azure does not say whether it is off."),
    ],
)
def test_row_04_alarms_with_the_machine_and_how_long_ago(
    power: Power, says: str
) -> None:
    """Whoever is woken has to know where to look."""
    of = lease(
        LeaseState.RELEASING,
        start=start(outcome=outcome()),
        release=release(NOW - 4 * MINUTE, sent_at=NOW - MINUTE),
    )
    made = releasing(power, of)
    assert (
        Notify(
            event="alarm",
            text=f"vm-1 was told to stop 4 minutes ago, and {says} It may still bill. "
            "If this goes on, stop it in the Azure portal.",
        )
        in made.actions
    )


def test_row_01_is_written_with_who_read_it_off() -> None:
    """A heartbeat's run is no timer's."""
    made = releasing(Power.DEALLOCATED, run=RunKind.HEARTBEAT)
    assert made.entries[-1].event == "closed"
    assert made.entries[-1].by == "heartbeat"


def test_an_adoption_is_written_and_told_alike() -> None:
    """One line and one notice, with the reason."""
    made = unleased(Power.RUNNING, run=RunKind.HEARTBEAT)
    line = Entry(event="adopted", text=made.reason, by="heartbeat")
    assert made.entries == (line,)
    assert made.actions == (Notify(event="adopted", text=made.reason),)


def test_what_is_learnt_is_written_with_who_learnt_it() -> None:
    """Here a heartbeat that says ready."""
    made = held(Power.RUNNING, heartbeat=beat(), run=RunKind.HEARTBEAT)
    ready = Entry(event="ready", text="The model answers.", by="heartbeat")
    assert ready in made.entries


@pytest.mark.parametrize(("minutes", "row"), [(74, 17), (75, 12)])
def test_row_12_counts_from_the_newest_start(minutes: int, row: int) -> None:
    """Hunting for capacity came before it."""
    sent = ASKED_AT + 20 * MINUTE
    of = lease(start=start(sent_at=sent), expires_at=NOW + 9 * HOUR)
    now = sent + minutes * MINUTE
    assert held(Power.RUNNING, of, now=now).rows[0] == row


def test_row_18_tells_which_machine_azure_is_silent_about() -> None:
    """Once, after ten minutes."""
    made = unleased(Power.UNKNOWN, power_since=NOW - 10 * MINUTE)
    text = (
        "Azure has not said for 10 minutes whether vm-1 is on. Look at it in the Azure "
        "portal."
    )
    assert made.actions == (Notify(event="unknown", text=text),)


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        (SUCCEEDED, "Azure says that the start succeeded."),
        (
            replace(
                SUCCEEDED,
                state=OperationState.FAILED,
                fault=Fault.CAPACITY,
                code="AllocationFailed",
            ),
            "Azure says that the start failed: AllocationFailed.",
        ),
        (
            replace(SUCCEEDED, state=OperationState.FAILED, fault=Fault.SKU),
            "Azure says that the start failed: sku.",
        ),
    ],
)
def test_the_outcome_of_a_start_is_written(operation: Operation, text: str) -> None:
    """With Azure's code, else with what it means."""
    made = held(Power.STARTING, within=unbilled(), operation=operation)
    assert Entry(event="start_ended", text=text, by="timer") in made.entries


def test_a_reading_that_began_when_the_start_was_sent_tells_of_it() -> None:
    """Its provisioning state, where there is no operation to ask."""
    of = lease(start=start(sent_at=NOW))
    entry = provisioning("succeeded", NOW)
    made = held(Power.STARTING, of, within=unbilled(), entry=entry)
    assert made.lease.start is not None
    assert made.lease.start.outcome is not None
    assert made.lease.start.outcome.fault is None


def test_the_beginning_of_billing_and_each_phase_are_written() -> None:
    """With the time and the price; with the VM's own words."""
    said = beat(Phase.WEIGHTS, detail="12 of 64 files")
    made = held(Power.RUNNING, within=unbilled(), heartbeat=said)
    billing = "Billing since 10:00:00 UTC, at 84.80 an hour."
    assert Entry(event="billing", text=billing, by="timer") in made.entries
    phase = "The VM says: weights. 12 of 64 files"
    assert Entry(event="phase", text=phase, by="timer") in made.entries


def test_a_budget_that_ends_earlier_is_written() -> None:
    """With the new end."""
    made = held(Power.RUNNING, spend=spend("42.40"))
    text = "The budget ends the session earlier, at 11:00 UTC."
    assert Entry(event="shortened", text=text, by="timer") in made.entries


def test_row_05_the_last_cent_ends_it() -> None:
    """Also within the half minute that is not worth a row."""
    of = lease(expires_at=NOW + 20 * SECOND)
    made = held(Power.RUNNING, of, spend=spend("0"))
    assert made.rows[0] == 5
    assert made.reason == "The budget is spent."
    assert made.lease.release is not None
    assert made.lease.release.reason is StopReason.BUDGET


def test_the_recount_gives_back_what_the_budget_took_by_mistake() -> None:
    """Where it is known that there is enough."""
    of = lease(recounted=False, limited_by=Limit.BUDGET, expires_at=at("11:00"))
    made = held(Power.RUNNING, of, within=unbilled())
    assert made.lease.expires_at == at("12:00")
    assert made.lease.limited_by is Limit.ASKED
