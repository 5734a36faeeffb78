"""What a request tells: whole refusals and lines of the journal, word for word."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from control import requests
from control.decision import Entry, SendDeallocate
from control.model import Extend, Report
from control.words import LeaseState, Limit, Power, RunKind
from tests.unit.builders import (
    ASK,
    HOUR,
    NEW_ID,
    NOW,
    POLICY,
    PRICE,
    SESSION_ID,
    at,
    case,
    lease,
    release,
    session,
    spend,
    unbilled,
)

EMPTY = lease(LeaseState.NONE)
FREE = spend("4000", Decimal(0))
UNKNOWN = (
    "Not started: the record of costs, the ledger, cannot say what has been spent. "
    "Try again in a minute. Stop still works."
)
LITTLE = (
    "Not started: 12.01 USD are left of the budget, too little for a start. The owner "
    "has to raise it."
)
MANY = "Not started: 7 starts in the last hour, and 6 are allowed. Try again later."
REPORT = Report(
    amount=Decimal(900),
    currency="USD",
    start=POLICY.budget.start,
    end=POLICY.budget.end,
    at=NOW,
)


def _asked(power: Power = Power.DEALLOCATED, **changed: Any) -> requests.Outcome:
    of, within = changed.pop("of", EMPTY), changed.pop("within", None)
    count = changed.pop("count", 0)
    seen = case(of, within, power, run=RunKind.START, **({"spend": FREE} | changed))
    return requests.start(seen, ASK, count)


@pytest.mark.parametrize(
    ("power", "changed", "detail", "retry_after", "fields"),
    [
        (
            Power.DEALLOCATED,
            {"tag": "theirs"},
            (
                "Not started: another switch (theirs) controls this machine. Start it "
                "there."
            ),
            None,
            {"controlled_by": "theirs"},
        ),
        (
            Power.UNKNOWN,
            {},
            "Not started: Azure does not say how the machine is. Try again soon.",
            30,
            {},
        ),
        (
            Power.DEALLOCATED,
            {"now": at("23:59", day=30).replace(year=2025)},
            (
                "Not started: the budget runs from 1 November 2026 to 1 February "
                "2027, and today lies outside."
            ),
            None,
            {},
        ),
        (
            Power.DEALLOCATED,
            {"spend": None},
            UNKNOWN,
            30,
            {},
        ),
        (
            Power.DEALLOCATED,
            {"spend": replace(FREE, remaining=Decimal("12.001"))},
            LITTLE,
            None,
            {"remaining": "12.01", "currency": "USD"},
        ),
        (
            Power.DEALLOCATED,
            {"count": 7},
            MANY,
            600,
            {},
        ),
    ],
)
def test_a_refused_start_is_told_whole(
    power: Power,
    changed: dict[str, Any],
    detail: str,
    retry_after: int | None,
    fields: dict[str, str],
) -> None:
    """Its sentence, how long to wait, and what else helps."""
    refusal = _asked(power, **changed).refusal
    assert refusal is not None
    assert refusal.detail == detail
    assert (refusal.retry_after, refusal.fields) == (retry_after, fields)


def test_a_start_with_exactly_enough_is_granted() -> None:
    """A cold start and 15 minutes, to the second."""
    left = PRICE * Decimal(45) / 60
    assert _asked(spend=replace(FREE, remaining=left)).refusal is None


def test_what_is_spent_is_the_higher_one_where_ours_is_not_known() -> None:
    """Of a ledger that was written before the two were told apart."""
    report = replace(REPORT, amount=Decimal(900))
    money = replace(FREE, spent=Decimal(950), own=None, remaining=Decimal(12))
    refusal = _asked(spend=replace(money, reported=report)).refusal
    assert refusal is not None
    assert refusal.detail == (
        "Not started: 12.00 USD are left of the budget, too little for a start. The "
        "switch reckons 950.00 spent, and Azure reports 900.00; the higher counts. The "
        "owner has to raise it."
    )


@pytest.mark.parametrize(
    ("reason", "inside"),
    [
        ("Azure has none.", "Azure has none."),
        ("The quota is used up.", "the quota is used up."),
    ],
)
def test_a_sentence_behind_a_colon_begins_small(reason: str, inside: str) -> None:
    """But for a name."""
    assert requests._inside(reason) == inside


def test_a_granted_start_writes_two_lines() -> None:
    """Who asked, until when and what limits it; then the start by the call."""
    opened, sent = _asked().decision.entries
    assert opened == Entry(
        event="opened",
        text="Asked by iphone; until 12:30 UTC (asked).",
        by="iphone",
        session_id=NEW_ID,
    )
    assert sent == Entry(
        event="start", text="Start sent, attempt 1.", by="call", session_id=NEW_ID
    )


def test_a_failed_start_without_a_code_names_no_cause() -> None:
    """The field is there, and empty."""
    of = lease(start=None, first_start_at=None)
    late = replace(of, expires_at=NOW + 2 * HOUR)
    refusal = _asked(of=late, within=unbilled(), now=NOW + HOUR).refusal
    assert refusal is not None
    assert refusal.fields == {"session": SESSION_ID, "cause": ""}


def test_after_a_close_the_next_session_is_judged_by_an_empty_lease() -> None:
    """What was asked for before limits nothing of the new one."""
    before = lease(ran=True, max_hours=Decimal(1), limited_by=Limit.DEVICE)
    made = _asked(of=before, within=session()).decision
    assert made.lease.max_hours is None
    assert made.lease.session_id == NEW_ID
    assert made.session is not None
    assert made.session.id == NEW_ID
    assert made.lease.last is not None
    assert made.lease.last.session_id == SESSION_ID


@pytest.mark.parametrize(
    ("power", "of", "within"),
    [
        (Power.RUNNING, lease(), session()),
        (Power.RUNNING, EMPTY, None),
        (Power.DEALLOCATING, EMPTY, None),
    ],
)
def test_a_stop_is_written_with_who_asked(power: Power, of: Any, within: Any) -> None:
    """The first line of what follows."""
    seen = case(of, within, power, run=RunKind.STOP)
    first = requests.stop(seen, "ipad").decision.entries[0]
    assert first == Entry(event="stop", text="Stop asked by ipad.", by="ipad")


def test_a_stop_of_a_machine_that_bills_unrecorded_opens_a_session_for_it() -> None:
    """The session that was adopted is the one that is stopped."""
    seen = case(EMPTY, None, Power.RUNNING, run=RunKind.STOP)
    made = requests.stop(seen, "ipad").decision
    assert made.session is not None
    assert (made.session.adopted, made.session.stopped_by) == (True, "ipad")
    assert made.session.stop_requested_at == NOW
    assert made.lease.session_id == made.session.id
    assert made.lease.adopted_at == NOW
    assert [line.event for line in made.entries] == ["stop", "deallocate"]
    assert made.actions == (SendDeallocate(),)


def _extended(minutes: str, **changed: Any) -> requests.Outcome:
    of = changed.pop("of", lease())
    seen = case(of, session(), Power.RUNNING, run=RunKind.POST, **changed)
    return requests.extend(seen, Decimal(minutes), "iphone", None)


def test_an_extend_is_written_with_who_asked_and_what_limits_it() -> None:
    """And the limit is what was asked for, whatever it was before."""
    of = lease(limited_by=Limit.DEVICE)
    made = _extended("30", of=of).decision
    assert made.entries[-1] == Entry(
        event="extended", text="Extended by 30 minutes by iphone.", by="iphone"
    )
    assert made.lease.limited_by is Limit.ASKED
    assert made.lease.until is None
    assert made.lease.extend == Extend(device="iphone", minutes=Decimal(30), at=NOW)


def test_an_extend_that_nobody_can_reckon_says_when_to_try_again() -> None:
    """The ledger cannot say what is spent."""
    refusal = _extended("30", spend=None).refusal
    assert refusal is not None
    assert refusal.retry_after == 30


def test_an_extend_too_far_names_the_time_and_the_rule() -> None:
    """In one sentence."""
    refusal = _extended("180").refusal
    assert refusal is not None
    assert refusal.detail == (
        "Not extended: it may run until 14:00 UTC at most; that is the longest time a "
        "session may run."
    )


@pytest.mark.parametrize("locked", [True, False])
def test_a_lock_that_stands_already_leaves_the_session_alone(locked: object) -> None:
    """A second tap changes nothing of what goes on."""
    state = LeaseState.RELEASING if locked else LeaseState.HELD
    of = lease(state, locked=locked)
    seen = case(of, session(), Power.RUNNING, run=RunKind.POST)
    made = requests.lock(seen, "laptop", locked=bool(locked)).decision
    assert made.session is not None
    assert made.session.id == SESSION_ID


def test_a_lock_leaves_a_release_as_it_is() -> None:
    """Who stopped it first stays in the ledger; the line names who locked it."""
    of = lease(LeaseState.RELEASING, release=release(by="ipad"))
    seen = case(of, session(), Power.RUNNING, run=RunKind.POST)
    made = requests.lock(seen, "laptop", locked=True).decision
    assert made.lease.release is not None
    assert made.lease.release.by == "ipad"
    assert made.session is not None
    first = made.entries[0]
    assert first == Entry(event="locked", text="Locked by laptop.", by="laptop")


def test_an_extend_counts_from_the_billing_that_its_own_run_has_seen() -> None:
    """Not from now: the session is dated in the same decision."""
    of = lease(recounted=False)
    seen = case(of, unbilled(), Power.RUNNING, run=RunKind.POST)
    made = requests.extend(seen, Decimal(121), "iphone", None)
    assert made.refusal is not None
    assert made.refusal.fields["extendable_until"] == "2026-11-30T14:00:00Z"
