"""How a lease and its session begin, change hands and end, and what they cost."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from control.model import Last, Lease, Provisioning, Session
from control.rules import leases
from control.rules.deadlines import Deadline
from control.words import (
    Fault,
    LeaseState,
    Limit,
    Phase,
    Power,
    PriceSource,
    Purpose,
    StopReason,
)
from tests.unit.builders import (
    ASK,
    ASKED_AT,
    HOUR,
    MINUTE,
    NEW_ID,
    NOW,
    PRICE,
    SECOND,
    UPDATING,
    at,
    beat,
    case,
    last,
    lease,
    outcome,
    provisioning,
    release,
    session,
    start,
    unbilled,
)

EMPTY = lease(LeaseState.NONE)
DOWN = Power.DEALLOCATED


def test_a_start_opens_a_lease_with_what_was_asked() -> None:
    """The price is frozen with its source; lock and session before are kept."""
    before = last()
    ask = replace(ASK, note="demo", purpose=Purpose.SETUP, max_hours=Decimal(3))
    of = lease(LeaseState.NONE, last=before, decision_id="d", ran=True)
    deadline = Deadline(at=at("12:30"), limited_by=Limit.ASKED)
    made, opened = leases.opened(case(of, None, Power.DEALLOCATED), ask, deadline)
    assert made == Lease(
        machine=of.machine,
        state=LeaseState.HELD,
        session_id=NEW_ID,
        expires_at=at("12:30"),
        limited_by=Limit.ASKED,
        purpose=Purpose.SETUP,
        asked=2 * HOUR,
        device="iphone",
        max_hours=Decimal(3),
        last=before,
        decision_id="d",
    )
    assert opened.requested_at == NOW
    assert opened.note == "demo"
    assert (opened.price_per_hour, opened.price_source) == (
        PRICE,
        PriceSource.CONFIGURED,
    )
    assert opened.provisional


def test_an_until_stands_in_place_of_hours() -> None:
    """And without either the default is asked."""
    deadline = Deadline(at=at("12:30"), limited_by=Limit.ASKED)
    seen = case(EMPTY, None, Power.DEALLOCATED)
    until, _ = leases.opened(
        seen, replace(ASK, asked=None, until=at("18:00")), deadline
    )
    assert (until.asked, until.until) == (None, at("18:00"))
    plain, _ = leases.opened(seen, replace(ASK, asked=None), deadline)
    assert (plain.asked, plain.until) == (2 * HOUR, None)


@pytest.mark.parametrize(
    ("entry", "seen", "before", "since"),
    [
        (None, {}, None, at("10:10")),
        (None, {"on_since": None}, None, NOW),
        (provisioning("succeeded", at("10:05")), {}, None, at("10:05")),
        (provisioning("succeeded", at("10:20")), {}, None, at("10:10")),
        (provisioning("updating", at("10:05")), {}, None, at("10:10")),
        (
            provisioning("succeeded", at("10:05")),
            {"last_off_at": at("10:08")},
            None,
            at("10:08"),
        ),
        (provisioning("succeeded", at("08:00")), {}, at("09:00"), at("09:00")),
    ],
)
def test_a12_an_adopted_machine_is_billed_from_arms_time_or_first_sight(
    entry: Provisioning | None,
    seen: dict[str, Any],
    before: datetime | None,
    since: datetime,
) -> None:
    """But not before it was last read off, nor before the session before ended."""
    of = lease(LeaseState.NONE, last=last(ended_at=before) if before else None)
    made = case(of, None, Power.RUNNING, entry=entry, **seen)
    assert leases.found_billing_since(made) == since
    _, opened = leases.adopted(made, "outside")
    assert opened.billing_since == since
    assert not opened.provisional


@pytest.mark.parametrize(
    ("expires_at", "released_at", "bound"),
    [
        (at("12:00"), None, at("12:00")),
        (at("12:00"), at("11:30"), at("11:30")),
        (at("10:31"), None, at("10:45")),
        (None, None, at("14:29")),
    ],
)
def test_back_from_gone_is_bound_by_the_session_before(
    expires_at: datetime | None, released_at: datetime | None, bound: datetime
) -> None:
    """No later than its deadline or release, but 15 minutes at least."""
    before = last(
        ended_at=NOW - MINUTE,
        closed_on_gone=True,
        expires_at=expires_at,
        release=release(released_at) if released_at else None,
    )
    of = lease(LeaseState.NONE, last=before)
    made, _ = leases.adopted(case(of, None, Power.RUNNING), "outside")
    assert made.expires_at == bound
    long_ago = replace(of, last=replace(before, ended_at=NOW - 31 * MINUTE))
    free, _ = leases.adopted(case(long_ago, None, Power.RUNNING), "outside")
    assert free.expires_at == at("14:10")


def test_a_release_keeps_the_session_open() -> None:
    """It ends only when off is read."""
    made, within = leases.released(
        case(lease(), session(), Power.RUNNING), StopReason.IDLE, "timer"
    )
    assert made.state is LeaseState.RELEASING
    assert made.release == release(NOW, reason=StopReason.IDLE, by="timer")
    assert within is not None
    assert (within.stop_requested_at, within.stopped_by) == (NOW, "timer")
    assert within.ended_at is None


@pytest.mark.parametrize(
    ("entry", "billed", "ended_at"),
    [
        (provisioning("succeeded", at("10:25")), at("10:24"), at("10:25")),
        (provisioning("succeeded", at("10:25")), at("10:26"), NOW),
        (provisioning("succeeded", NOW + SECOND), at("10:24"), NOW),
        (provisioning("succeeded", at("10:25")), None, at("10:25")),
        (provisioning("succeeded", at("09:00")), at("08:59"), NOW),
        (provisioning("updating", at("10:25")), at("10:24"), NOW),
        (provisioning("succeeded"), at("10:24"), NOW),
        (None, at("10:24"), NOW),
    ],
)
def test_the_end_is_arms_time_where_it_can_be_believed(
    entry: Provisioning | None, billed: datetime | None, ended_at: datetime
) -> None:
    """After the last billing reading of this session and not in the future."""
    seen = case(
        lease(), session(), Power.DEALLOCATED, entry=entry, last_billing_at=billed
    )
    made = leases.closed(seen, StopReason.USER)
    assert made.session is not None
    assert made.session.ended_at == ended_at
    assert made.lease.last is not None
    assert made.lease.last.ended_at == ended_at


@pytest.mark.parametrize(
    ("dated", "fault", "ended_at"),
    [
        (at("10:12"), None, NOW),
        (at("10:12") + 9 * SECOND, None, NOW),
        (at("10:14"), None, at("10:14")),
        (at("10:12"), Fault.OTHER, at("10:12")),
    ],
)
def test_the_end_is_never_the_time_of_the_starts_own_success(
    dated: datetime, fault: Fault | None, ended_at: datetime
) -> None:
    """Azure took it without an operation: its time is still that of the start."""
    of = lease(start=start(outcome=replace(outcome(fault), at=at("10:12"))))
    entry = provisioning("succeeded", dated)
    seen = case(of, session(), Power.DEALLOCATED, entry=entry)
    made = leases.closed(seen, StopReason.OUTSIDE)
    assert made.session is not None
    assert made.session.ended_at == ended_at


def test_a_closed_session_says_everything_at_once() -> None:
    """Cost, phases, tokens and the problem; the lease keeps what outlives it."""
    said = beat(prompt_tokens_total=7, generation_tokens_total=9)
    of = lease(locked=True, boot_id="boot-1", start=start(Fault.CONFLICT))
    seen = case(of, session(), Power.DEALLOCATED, heartbeat=said)
    made = leases.closed(seen, StopReason.LOCKED)
    ended = made.session
    assert ended is not None
    assert ended.cost == Decimal("42.40")
    assert ended.billed_seconds == 1800
    assert not ended.provisional
    assert (ended.prompt_tokens, ended.generation_tokens) == (7, 9)
    assert ended.problem == "conflict"
    assert ended.stop_reason is StopReason.LOCKED
    assert made.lease.locked
    assert made.lease.last is not None
    assert made.lease.last.boot_id == "boot-1"
    assert made.lease.last.expires_at == of.expires_at
    assert made.lease.start is None


@pytest.mark.parametrize(
    ("fault", "problem"),
    [(None, None), (Fault.PREEMPTED, None), (Fault.OTHER, "other")],
)
def test_a05_a_start_that_something_newer_overtook_is_no_problem(
    fault: Fault | None, problem: str | None
) -> None:
    """Only a failure is named in the ledger's line."""
    of = lease(start=start(outcome=outcome(fault)))
    ended = leases.closed(case(of, session(), Power.DEALLOCATED), StopReason.OUTSIDE)
    assert ended.session is not None
    assert ended.session.problem == problem
    assert ended.session.fault is (None if problem is None else fault)


def test_a_session_without_a_heartbeat_hands_the_old_boot_on() -> None:
    """Its heartbeats may still be on their way."""
    of = lease(last=last(boot_id="boot-0"))
    made = leases.closed(case(of, session(), Power.DEALLOCATED), StopReason.USER)
    assert made.lease.last is not None
    assert made.lease.last.boot_id == "boot-0"


@pytest.mark.parametrize(
    ("of", "within", "entry", "cost"),
    [
        (lease(), session(), None, "42.40"),
        (lease(), unbilled(), None, "42.40"),
        (lease(start=None), unbilled(), None, "0"),
        (lease(start=start(Fault.CAPACITY)), session(), None, "0"),
        (lease(start=start(Fault.CAPACITY), ran=True), session(), None, "42.40"),
        (lease(start=start(Fault.QUOTA)), unbilled(), None, "0"),
        (lease(start=start(Fault.SCOPE_LOCK)), unbilled(), None, "42.40"),
        (lease(start=start(Fault.OTHER)), unbilled(), None, "42.40"),
        (
            lease(start=start(Fault.QUOTA), unanswered_at=at("10:15")),
            unbilled(),
            None,
            "21.20",
        ),
        (lease(), unbilled(), provisioning("succeeded", at("09:00")), "0"),
        (lease(ran=True), unbilled(), provisioning("succeeded", at("09:00")), "42.40"),
        (lease(), session(), provisioning("succeeded", at("09:00")), "42.40"),
        (lease(), unbilled(), UPDATING, "42.40"),
        (
            lease(first_start_at=None),
            unbilled(),
            provisioning("succeeded", at("09:00")),
            "42.40",
        ),
    ],
)
def test_a03_what_never_came_on_costs_nothing(
    of: Lease, within: Session, entry: Provisioning | None, cost: str
) -> None:
    """Where Azure said why, or its last change is from before our first start."""
    seen = case(of, within, Power.DEALLOCATED, entry=entry)
    made = leases.closed(seen, StopReason.USER).session
    assert made is not None
    assert made.cost == Decimal(cost)
    assert (made.billing_since is None) == (made.cost == 0)
    assert (made.billed_seconds == 0) == (made.cost == 0)


def test_an_end_before_the_beginning_bills_the_least() -> None:
    """Gone since before the start was taken: 300 seconds."""
    seen = case(lease(), session(), Power.GONE)
    made = leases.closed(seen, StopReason.OUTSIDE, ASKED_AT - HOUR).session
    assert made is not None
    assert made.ended_at == ASKED_AT
    assert made.billed_seconds == 300


@pytest.mark.parametrize(
    ("of", "within", "cost"),
    [
        (lease(), session(), "42.40"),
        (lease(), unbilled(), "42.40"),
        (lease(start=None), unbilled(), "0"),
        (lease(start=start(Fault.CAPACITY)), unbilled(), "0"),
        (lease(start=start(accepted_at=None)), unbilled(), "42.40"),
        (lease(start=start(Fault.CONFLICT, accepted_at=None)), unbilled(), "0"),
        (lease(), session(billing_since=NOW + MINUTE), "7.07"),
    ],
)
def test_an_open_session_counts_in_full_until_more_is_known(
    of: Lease, within: Session, cost: str
) -> None:
    """A start in flight costs from its sending."""
    assert leases.cost(of, within, NOW) == Decimal(cost)


def test_without_a_session_nothing_is_billed() -> None:
    """There is nobody to bill."""
    assert leases.bill_from(lease(), None) is None


@pytest.mark.parametrize(
    ("limit", "reason"),
    [(Limit.DEVICE, StopReason.DEVICE), (None, StopReason.MAX_RUNTIME)],
)
def test_what_set_the_deadline_is_the_reason(
    limit: Limit | None, reason: StopReason
) -> None:
    """Where nothing did it is the longest time."""
    assert leases.limit_reason(lease(limited_by=limit)) is reason


def test_back_from_gone_needs_a_session_before() -> None:
    """That closed on gone, at most 30 minutes ago."""
    assert not leases.back_from_gone(case(EMPTY, None, Power.RUNNING))


def test_a_gone_machine_ends_without_a_session_too() -> None:
    """A release without a session leaves the session before as it was."""
    before = last()
    of = lease(LeaseState.RELEASING, session_id=None, last=before)
    made = leases.closed(case(of, None, Power.GONE), StopReason.USER)
    assert made.session is None
    assert made.lease == lease(LeaseState.NONE, last=before)


def test_what_outlives_a_session_is_kept_whole() -> None:
    """What a machine that comes on later is judged by."""
    of = lease(LeaseState.RELEASING, boot_id="boot-1", release=release(by="ipad"))
    made = leases.closed(case(of, session(), Power.DEALLOCATED), StopReason.USER)
    assert made.lease.last == Last(
        session_id=session().id,
        ended_at=NOW,
        boot_id="boot-1",
        expires_at=of.expires_at,
        release=of.release,
        late_start_sent_at=ASKED_AT,
    )


def test_a_closed_session_has_the_phases_and_is_not_provisional() -> None:
    """With the idle time apart from the ready one."""
    of = lease(phase=Phase.READY, phase_since=at("10:10"))
    within = session(phases={"disk_s": 60}, provisional=True)
    said = beat(idle_seconds=300.0)
    seen = case(of, within, Power.DEALLOCATED, heartbeat=said)
    ended = leases.closed(seen, StopReason.IDLE).session
    assert ended is not None
    assert ended.provisional is False
    assert ended.phases == {"disk_s": 60, "ready_s": 900, "idle_s": 300}


@pytest.mark.parametrize(("seconds", "own"), [(10, True), (11, False)])
def test_ten_seconds_after_its_success_a_time_is_no_longer_the_starts(
    seconds: int, own: object
) -> None:
    """To the second."""
    dated = replace(outcome(), at=at("10:12"))
    entry = provisioning("succeeded", at("10:12") + seconds * SECOND)
    seen = case(lease(start=start(outcome=dated)), session(), DOWN, entry=entry)
    ended = leases.closed(seen, StopReason.OUTSIDE).session
    assert ended is not None
    assert (ended.ended_at == NOW) is own


def test_the_end_may_be_now() -> None:
    """Azure's time is believed up to this instant."""
    seen = case(lease(), session(), DOWN, entry=provisioning("succeeded", NOW), now=NOW)
    ended = leases.closed(replace(seen, now=NOW), StopReason.OUTSIDE, None).session
    assert ended is not None
    assert ended.ended_at == NOW


@pytest.mark.parametrize(("seconds", "cost"), [(-1, "0"), (0, "7.07")])
def test_a_change_at_the_first_start_may_be_its_own(seconds: int, cost: str) -> None:
    """Only one from before shows that it never came on."""
    of = lease(start=start(Fault.OTHER))
    entry = provisioning("succeeded", ASKED_AT + seconds * SECOND)
    seen = case(of, unbilled(), DOWN, entry=entry)
    ended = leases.closed(seen, StopReason.START_FAILED, ASKED_AT + SECOND).session
    assert ended is not None
    assert ended.cost == Decimal(cost)
