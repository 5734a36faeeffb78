"""What a decision tells: its reason, its lines and its notices, word for word."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from control.decision import Entry, Notify
from control.words import Fault, LeaseState, Phase, Power, Purpose, RunKind, StopReason
from tests.unit.builders import (
    ASK,
    HOUR,
    MINUTE,
    NOW,
    POLICY,
    at,
    decided,
    held,
    last,
    lease,
    outcome,
    release,
    releasing,
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
