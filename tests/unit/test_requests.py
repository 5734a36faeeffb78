"""What a person may ask: start, stop, extend, lock; and why it is not granted."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from control import requests
from control.decision import Ask, Case
from control.model import Extend, Last, Lease, Report
from control.words import Fault, LeaseState, Limit, Power, RunKind, StopReason
from tests.unit.builders import (
    ASK,
    HOUR,
    MINUTE,
    NEW_ID,
    NOW,
    POLICY,
    PRICE,
    SECOND,
    SESSION_ID,
    adopted_lease,
    at,
    beat,
    case,
    deallocates,
    last,
    lease,
    outcome,
    provisioning,
    release,
    session,
    spend,
    start,
    starts,
    told,
    unbilled,
)

EMPTY = lease(LeaseState.NONE)
FREE = spend("4000", Decimal(0))


def asked(
    power: Power = Power.DEALLOCATED,
    of: Lease = EMPTY,
    ask: Ask = ASK,
    count: int = 0,
    **changed: Any,
) -> requests.Outcome:
    """Ask for a start."""
    within = changed.pop("within", None)
    plain = {"run": RunKind.START, "ask": ask, "spend": FREE}
    return requests.start(case(of, within, power, **(plain | changed)), ask, count)


def slug(made: requests.Outcome) -> str | None:
    """Return why it was refused."""
    return made.refusal.slug if made.refusal else None


def test_b07_a_start_opens_a_lease_and_sends_one_start() -> None:
    """In one decision, with the deadline and what set it."""
    made = asked()
    assert made.refusal is None
    assert starts(made.decision) == 1
    assert made.decision.lease.state is LeaseState.HELD
    assert made.decision.lease.expires_at == at("12:30")
    assert made.decision.session is not None
    assert made.decision.session.started_by == "iphone"
    assert [line.event for line in made.decision.entries] == ["opened", "start"]


def test_b07_a_held_lease_is_answered_as_it_is() -> None:
    """Whatever is asked this time."""
    made = asked(Power.RUNNING, lease(), ASK, 99, within=session())
    assert made.refusal is None
    assert made.decision.lease.expires_at == at("12:00")
    assert made.decision.lease.session_id == SESSION_ID
    assert starts(made.decision) == 0


def test_a_start_right_after_the_machine_went_off_opens_the_next_session() -> None:
    """B08: each line of the journal goes to its own session."""
    made = asked(of=lease(ran=True), within=session())
    assert made.refusal is None
    assert made.decision.closed is not None
    assert made.decision.closed.id == SESSION_ID
    assert made.decision.session is not None
    assert made.decision.session.id == NEW_ID
    assert starts(made.decision) == 1
    assert told(made.decision) == ["ended"]
    lines = [(line.event, line.session_id) for line in made.decision.entries]
    assert lines == [("closed", None), ("opened", NEW_ID), ("start", NEW_ID)]


def test_a_start_that_azure_refuses_for_good_is_answered_with_the_cause() -> None:
    """The session is closed and named."""
    of = lease(start=start(Fault.QUOTA, accepted_at=None))
    made = asked(of=of, within=unbilled())
    assert slug(made) == "start-failed"
    assert made.refusal is not None
    assert made.refusal.fields == {"session": SESSION_ID, "cause": "quota"}
    assert "quota" in made.refusal.detail
    assert made.decision.lease.state is LeaseState.NONE


@pytest.mark.parametrize(
    ("power", "of", "changed", "expected"),
    [
        (Power.DEALLOCATED, lease(LeaseState.NONE, locked=True), {}, "locked"),
        (Power.RUNNING, lease(LeaseState.NONE, locked=True), {}, "locked"),
        (Power.DEALLOCATED, EMPTY, {"tag": "theirs"}, "other-controller"),
        (Power.RUNNING, EMPTY, {"tag": "theirs"}, "other-controller"),
        (Power.GONE, EMPTY, {}, "no-machine"),
        (Power.UNKNOWN, EMPTY, {}, "azure-unavailable"),
        (Power.STOPPED, EMPTY, {"entry": provisioning()}, "stopping"),
        (Power.DEALLOCATED, EMPTY, {"spend": None}, "ledger-unverified"),
        (Power.DEALLOCATED, EMPTY, {"spend": spend("0")}, "budget-exhausted"),
        (Power.DEALLOCATED, EMPTY, {"count": 6}, "too-many-starts"),
        (Power.DEALLOCATED, EMPTY, {"count": 5}, None),
        (Power.DEALLOCATING, EMPTY, {}, None),
    ],
)
def test_each_refusal_names_its_problem(
    power: Power, of: Lease, changed: dict[str, Any], expected: str | None
) -> None:
    """And sends nothing but what the table itself demands."""
    made = asked(power, of, **changed)
    assert slug(made) == expected
    assert starts(made.decision) == 0 or expected is None
    seen = {name: value for name, value in changed.items() if name != "count"}
    offered = case(of, None, power, **({"spend": FREE} | seen))
    refusal = requests.refused(offered, changed.get("count", 0))
    if power not in {Power.STOPPED, Power.RUNNING}:
        assert (refusal.slug if refusal else None) == expected


@pytest.mark.parametrize(
    ("locked", "expected"), [(False, "stopping"), (True, "locked")]
)
def test_while_it_is_switched_off_nothing_starts(locked: object, expected: str) -> None:
    """A lock is named first: waiting would not help."""
    of = lease(LeaseState.RELEASING, locked=locked, start=start(outcome=outcome()))
    made = asked(Power.RUNNING, of, within=session())
    assert slug(made) == expected
    assert made.refusal is not None
    assert (made.refusal.retry_after == 60) is not locked
    refusal = requests.refused(case(of, session(), Power.RUNNING), 0)
    assert refusal == made.refusal


def test_a_held_lease_refuses_no_start() -> None:
    """It is answered as it is."""
    assert requests.refused(case(lease(), session(), Power.RUNNING), 99) is None


@pytest.mark.parametrize(
    ("minutes", "expected"), [("44.9", "budget-exhausted"), ("45.1", None)]
)
def test_d02_a_start_needs_a_cold_start_and_15_minutes(
    minutes: str, expected: str | None
) -> None:
    """What is left is said."""
    left = PRICE * Decimal(minutes) / 60
    made = asked(spend=replace(FREE, remaining=left))
    assert slug(made) == expected
    if made.refusal is not None:
        assert "63.46 USD" in made.refusal.detail
        assert made.refusal.fields == {"remaining": "63.46", "currency": "USD"}


def test_d02_the_refusal_names_both_figures() -> None:
    """Azure's own is late, and a person compares."""
    report = Report(
        amount=Decimal(900),
        currency="USD",
        start=POLICY.budget.start,
        end=POLICY.budget.end,
        at=NOW,
    )
    spend = replace(FREE, own=Decimal(303), remaining=Decimal(12), reported=report)
    made = asked(spend=spend)
    assert made.refusal is not None
    both = "The switch reckons 303.00 spent, and Azure reports 900.00;"
    assert both in made.refusal.detail


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (datetime(2026, 10, 31, 23, 59, tzinfo=UTC), "budget-period-over"),
        (datetime(2026, 11, 1, tzinfo=UTC), None),
        (datetime(2027, 1, 31, 23, 14, tzinfo=UTC), None),
        (datetime(2027, 1, 31, 23, 16, tzinfo=UTC), "budget-period-over"),
        (datetime(2027, 2, 1, tzinfo=UTC), "budget-period-over"),
    ],
)
def test_d06_outside_the_budgets_period_nothing_starts(
    now: datetime, expected: str | None
) -> None:
    """Nor shortly before its end."""
    assert slug(asked(now=now)) == expected


def stopped(power: Power, of: Lease = EMPTY, **changed: Any) -> requests.Outcome:
    """Ask for a stop."""
    within = changed.pop("within", None)
    seen = case(of, within, power, run=RunKind.STOP, **changed)
    return requests.stop(seen, "ipad")


@pytest.mark.parametrize("power", list(Power))
def test_a01_a_stop_is_never_refused_while_held(power: Power) -> None:
    """A06: nothing is sent to a machine that is off."""
    made = stopped(power, lease(start=start(outcome=outcome())), within=session())
    assert made.refusal is None
    ended = made.decision.closed
    if power in {Power.DEALLOCATED, Power.GONE}:
        assert ended is not None
        assert ended.stop_reason is StopReason.USER
        assert deallocates(made.decision) == 0
    else:
        assert made.decision.lease.state is LeaseState.RELEASING
        assert made.decision.lease.release is not None
        assert made.decision.lease.release.by == "ipad"
        assert deallocates(made.decision) == (power is not Power.DEALLOCATING)
    assert made.decision.entries[0].event == "stop"


@pytest.mark.parametrize(
    "power", [Power.STARTING, Power.RUNNING, Power.STOPPING, Power.STOPPED]
)
@pytest.mark.parametrize("tag", [None, "theirs"])
def test_a01_a_stop_without_a_lease_adopts_and_releases(
    power: Power, tag: str | None
) -> None:
    """A13: a person may stop another control plane's machine too."""
    made = stopped(power, tag=tag).decision
    assert deallocates(made) == 1
    assert made.session is not None
    assert made.session.adopted
    assert (made.session.started_by, made.session.stopped_by) == ("outside", "ipad")
    assert made.lease.release is not None
    assert made.lease.release.reason is StopReason.USER


@pytest.mark.parametrize(
    ("power", "sent"), [(Power.UNKNOWN, 1), (Power.DEALLOCATING, 0)]
)
def test_a01_a_stop_without_a_lease_and_a_session_releases_all_the_same(
    power: Power, sent: int
) -> None:
    """The first billing reading adopts it."""
    made = stopped(power).decision
    assert made.lease.state is LeaseState.RELEASING
    assert made.lease.session_id is None
    assert made.session is None
    assert deallocates(made) == sent


def test_a06_a_stop_of_a_machine_that_is_off_changes_nothing() -> None:
    """Pressed as often as one likes."""
    made = stopped(Power.DEALLOCATED).decision
    assert made.lease == EMPTY
    assert made.actions == ()
    assert made.entries == ()


@pytest.mark.parametrize(
    ("before", "marked"),
    [
        (last(ended_at=NOW - 30 * MINUTE, closed_on_gone=True), True),
        (last(ended_at=NOW - 31 * MINUTE, closed_on_gone=True), False),
        (last(ended_at=NOW - MINUTE), False),
        (None, False),
    ],
)
def test_a17_a_stop_while_gone_is_remembered(
    before: Last | None, marked: object
) -> None:
    """Should it come back within 30 minutes, it is switched off for this person."""
    of = replace(EMPTY, last=before)
    made = stopped(Power.GONE, of).decision
    kept = made.lease.last.release if made.lease.last else None
    assert (kept is not None) is marked
    if kept is not None:
        assert (kept.reason, kept.by, kept.since) == (StopReason.USER, "ipad", NOW)
        back = requests.stop(case(made.lease, None, Power.GONE), "ipad")
        assert back.decision.lease.state is LeaseState.NONE


def test_a_second_stop_only_sends_again() -> None:
    """After 20 seconds; the first reason and person stay."""
    claimed = release(NOW - MINUTE, sent_at=NOW - 19 * SECOND)
    of = lease(
        LeaseState.RELEASING, ran=True, release=claimed, start=start(outcome=outcome())
    )
    made = stopped(Power.RUNNING, of, within=session()).decision
    assert made.lease == of
    assert made.entries == ()
    again = replace(of, release=replace(claimed, sent_at=NOW - 20 * SECOND))
    sent = stopped(Power.RUNNING, again, within=session()).decision
    assert deallocates(sent) == 1
    assert sent.lease.release is not None
    assert sent.lease.release.by == "iphone"


def extended(
    minutes: str = "30", of: Lease | None = None, **changed: Any
) -> requests.Outcome:
    """Ask for an extend on the iPhone."""
    max_hours = changed.pop("max_hours", None)
    within = changed.pop("within", session())
    power = changed.pop("power", Power.RUNNING)
    seen: Case = case(of or lease(), within, power, run=RunKind.POST, **changed)
    return requests.extend(seen, Decimal(minutes), "iphone", max_hours)


def test_an_extend_is_added_to_the_deadline() -> None:
    """And to the asked hours; the warnings are armed again."""
    made = extended(of=lease(warned=(5, 15))).decision
    assert made.lease.expires_at == at("12:30")
    assert made.lease.asked == 2.5 * HOUR
    assert made.lease.limited_by is Limit.ASKED
    assert made.lease.warned == ()
    assert made.lease.extend == Extend(device="iphone", minutes=Decimal(30), at=NOW)
    assert made.entries[-1].event == "extended"


@pytest.mark.parametrize(
    ("of", "until"),
    [
        (lease(asked=None, until=at("12:00")), at("12:30")),
        (adopted_lease(expires_at=at("12:00")), at("12:30")),
    ],
)
def test_an_extend_moves_an_until_as_well(of: Lease, until: datetime) -> None:
    """So that no recount takes it back."""
    made = extended(of=of).decision.lease
    assert (made.asked, made.until, made.expires_at) == (None, until, until)


@pytest.mark.parametrize(
    ("minutes", "changed", "limit"),
    [
        ("120", {}, None),
        ("120.1", {}, "max_runtime"),
        ("61", {"max_hours": Decimal(3)}, "device"),
        ("61", {"heartbeat": beat(cap_at=at("13:00"))}, "max_runtime"),
        ("31", {"spend": spend("169.60")}, "budget"),
    ],
)
def test_an_extend_beyond_a_limit_names_the_rule(
    minutes: str, changed: dict[str, Any], limit: str | None
) -> None:
    """Nothing is moved then."""
    made = extended(minutes, **changed)
    if limit is None:
        assert made.refusal is None
        return
    assert made.refusal is not None
    assert made.refusal.slug == "beyond-limit"
    assert made.refusal.fields["limited_by"] == limit
    assert made.decision.lease.expires_at == at("12:00")
    clock = made.refusal.fields["extendable_until"][11:16]
    assert f"until {clock} UTC" in made.refusal.detail


def test_an_extend_before_billing_counts_from_now() -> None:
    """The recount gives it back what hunting ate."""
    made = extended(
        "150", lease(recounted=False), within=unbilled(), power=Power.UNKNOWN
    )
    assert made.refusal is None
    far = extended(
        "151", lease(recounted=False), within=unbilled(), power=Power.UNKNOWN
    )
    assert slug(far) == "beyond-limit"


@pytest.mark.parametrize(
    ("before", "same"),
    [
        (Extend(device="iphone", minutes=Decimal("30.0"), at=NOW - 15 * SECOND), True),
        (Extend(device="iphone", minutes=Decimal(30), at=NOW - 16 * SECOND), False),
        (Extend(device="ipad", minutes=Decimal(30), at=NOW), False),
        (Extend(device="iphone", minutes=Decimal(15), at=NOW), False),
    ],
)
def test_b07_the_same_extend_within_15_seconds_is_one(
    before: Extend, same: object
) -> None:
    """By the same device and of as many minutes."""
    made = extended(of=lease(extend=before))
    assert made.refusal is None
    assert (made.decision.lease.expires_at == at("12:00")) is same


@pytest.mark.parametrize(
    ("power", "of", "within"),
    [
        (Power.DEALLOCATED, EMPTY, None),
        (Power.RUNNING, lease(expires_at=NOW), session()),
        (Power.RUNNING, lease(LeaseState.RELEASING), session()),
    ],
)
def test_an_extend_needs_a_held_lease(power: Power, of: Lease, within: Any) -> None:
    """The deadline has come first."""
    made = extended(of=of, within=within, power=power)
    assert slug(made) == "not-running"
    assert made.decision.lease.state is not LeaseState.HELD


def test_d04_an_unknown_spend_extends_nothing() -> None:
    """Unknown loosens nothing."""
    made = extended(spend=None)
    assert slug(made) == "ledger-unverified"
    assert made.decision.lease.expires_at == at("12:00")
    assert requests.furthest(case(lease(), None, Power.RUNNING, spend=None), None) is (
        None
    )


def test_a_lock_takes_a_held_lease_away_by_name() -> None:
    """The ledger names the operator."""
    seen = case(lease(), session(), Power.RUNNING, run=RunKind.POST)
    made = requests.lock(seen, "laptop", locked=True).decision
    assert made.lease.locked
    assert made.lease.release is not None
    assert made.lease.release.reason is StopReason.LOCKED
    assert made.session is not None
    assert (made.session.id, made.session.stopped_by) == (SESSION_ID, "laptop")
    assert deallocates(made) == 1
    assert made.entries[0].text == "Locked by laptop."


def test_a_lock_of_a_machine_that_is_off_only_locks() -> None:
    """And an unlock only unlocks."""
    seen = case(EMPTY, None, Power.DEALLOCATED, run=RunKind.POST)
    made = requests.lock(seen, "laptop", locked=True).decision
    assert made.lease == replace(EMPTY, locked=True)
    assert made.actions == ()
    again = replace(seen, lease=made.lease)
    assert requests.lock(again, "laptop", locked=True).decision.entries == ()
    open_ = requests.lock(again, "laptop", locked=False).decision
    assert open_.lease == EMPTY
    assert open_.entries[0].event == "unlocked"


def test_an_offer_is_what_a_start_would_get() -> None:
    """Without opening anything."""
    seen = case(EMPTY, None, Power.DEALLOCATED, spend=FREE)
    assert requests.offer(seen, ASK).at == at("12:30")
    assert POLICY.max_starts_per_hour == 6
