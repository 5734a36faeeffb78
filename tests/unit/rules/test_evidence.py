"""What a run learns about a lease before the table is tried."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from control.decision import Case
from control.model import Lease
from control.rules.evidence import absorb
from control.words import Ending, Fault, LeaseState, Limit, OperationState, Phase, Power
from tests.unit.builders import (
    ASKED_AT,
    HOUR,
    MINUTE,
    NOW,
    SECOND,
    SUCCEEDED,
    adopted_lease,
    at,
    beat,
    case,
    last,
    lease,
    outcome,
    provisioning,
    release,
    session,
    spend,
    start,
    unbilled,
)

NO_CAPACITY = replace(SUCCEEDED, state=OperationState.FAILED, fault=Fault.CAPACITY)


def learnt(power: Power, of: Lease | None = None, **changed: Any) -> Case:
    """Absorb one observation of a held lease."""
    within = changed.pop("within", session())
    return absorb(case(of or lease(), within, power, **changed))[0]


def events(power: Power, of: Lease | None = None, **changed: Any) -> list[str]:
    """Return what the journal gets."""
    within = changed.pop("within", session())
    _, entries = absorb(case(of or lease(), within, power, **changed))
    return [entry.event for entry in entries]


def test_without_a_lease_nothing_is_learnt() -> None:
    """There is nothing to learn it for."""
    bare = case(lease(LeaseState.NONE), None, Power.RUNNING, heartbeat=beat())
    assert absorb(bare) == (bare, ())


def test_a_starts_outcome_is_learnt_once() -> None:
    """And said in the journal."""
    made = learnt(Power.RUNNING, operation=SUCCEEDED)
    assert made.lease.start is not None
    assert made.lease.start.outcome == outcome(None, NOW)
    assert events(Power.RUNNING, operation=SUCCEEDED) == ["start_ended"]
    assert events(Power.RUNNING, made.lease, operation=SUCCEEDED) == []


@pytest.mark.parametrize(
    "changed",
    [
        {"fresh": False},
        {"now": ASKED_AT - SECOND},
    ],
    ids=["an earlier run's reading", "begun before the start was sent"],
)
def test_an_old_reading_says_nothing_of_a_start(changed: dict[str, Any]) -> None:
    """Only a reading of this run that began after it was sent does."""
    entry = provisioning("failed", ASKED_AT, fault=Fault.QUOTA)
    made = learnt(Power.DEALLOCATED, within=unbilled(), entry=entry, **changed)
    assert made.lease.start == start()


@pytest.mark.parametrize(
    ("power", "ran"), [(power, power in {"running", "stopping"}) for power in Power]
)
def test_running_and_stopping_prove_that_it_ran(power: Power, ran: object) -> None:
    """`starting` and `stopped` do not."""
    assert learnt(power, within=unbilled()).lease.ran is ran


def test_a_heartbeat_of_a_new_boot_proves_that_it_ran() -> None:
    """One of the boot before does not; once is enough."""
    assert learnt(Power.UNKNOWN, heartbeat=beat()).lease.ran
    before = lease(last=last(boot_id="boot-1"))
    old = learnt(Power.UNKNOWN, before, heartbeat=beat())
    assert not old.lease.ran
    assert old.lease.boot_id == "boot-1"
    assert learnt(Power.UNKNOWN, lease(ran=True)).lease.ran


def test_without_a_session_nothing_ran() -> None:
    """A release without a session was not read billing yet."""
    of = lease(LeaseState.RELEASING, session_id=None, start=None)
    assert not learnt(Power.RUNNING, of, within=None).lease.ran


@pytest.mark.parametrize(
    ("of", "since"),
    [
        (lease(recounted=False), ASKED_AT),
        (lease(start=start(accepted_at=at("10:02")), recounted=False), at("10:02")),
        (
            lease(start=start(accepted_at=None, sent_at=at("10:01")), recounted=False),
            at("10:01"),
        ),
        (
            lease(
                start=start(Fault.QUOTA, accepted_at=None),
                unanswered_at=at("09:59"),
                recounted=False,
            ),
            at("09:59"),
        ),
    ],
)
def test_the_first_billing_reading_dates_the_session(
    of: Lease, since: datetime
) -> None:
    """From the acceptance, else the sending, of the start that may have allocated."""
    made = learnt(Power.STARTING, of, within=unbilled())
    assert made.session is not None
    assert made.session.billing_since == since
    assert not made.session.provisional
    assert made.lease.expires_at == since + 2 * HOUR
    assert made.lease.recounted


def test_a_machine_that_none_of_our_starts_brought_on_counts_from_arms_time() -> None:
    """Somebody started it while our start was refused for a conflict."""
    of = lease(start=start(Fault.CONFLICT, accepted_at=None), recounted=False)
    entry = provisioning("succeeded", at("10:04"))
    made = learnt(Power.RUNNING, of, within=unbilled(), entry=entry)
    assert made.session is not None
    assert made.session.billing_since == at("10:04")


def test_the_recount_happens_once_and_only_while_held() -> None:
    """An extend may have moved the deadline since; a release has none to move."""
    moved = lease(expires_at=at("13:00"), recounted=True)
    assert learnt(Power.RUNNING, moved, within=unbilled()).lease.expires_at == at(
        "13:00"
    )
    going = lease(LeaseState.RELEASING, recounted=False, expires_at=at("13:00"))
    made = learnt(Power.RUNNING, going, within=unbilled())
    assert made.lease.expires_at == at("13:00")
    assert made.session is not None
    assert made.session.billing_since == ASKED_AT


def test_a_session_is_dated_by_a_heartbeat_too() -> None:
    """The power may be unknown all along."""
    made = learnt(Power.UNKNOWN, within=unbilled(), heartbeat=beat())
    assert made.session is not None
    assert made.session.billing_since == ASKED_AT
    assert events(Power.UNKNOWN, within=unbilled(), heartbeat=beat())[0] == "billing"


def test_nothing_is_dated_by_a_machine_that_is_off() -> None:
    """Nor twice."""
    made = learnt(Power.DEALLOCATED, within=unbilled())
    assert made.session == unbilled()
    assert events(Power.RUNNING) == []


def test_a03_a_start_that_found_no_machine_dates_nothing() -> None:
    """`starting` had been read; billing and the asked time count from the next."""
    made = learnt(Power.DEALLOCATED, operation=NO_CAPACITY)
    assert made.session is not None
    assert made.session.billing_since is None
    assert made.session.provisional
    assert not made.lease.recounted
    again = start(sent_at=at("10:20"), accepted_at=at("10:20"), attempts=2)
    then = learnt(Power.STARTING, replace(made.lease, start=again), within=made.session)
    assert then.session is not None
    assert then.session.billing_since == at("10:20")
    assert then.lease.expires_at == at("12:20")


def test_a03_a_failed_start_dates_nothing_while_starting_is_still_read() -> None:
    """Neither in the run that learns it nor in the next."""
    made = learnt(Power.STARTING, operation=NO_CAPACITY)
    assert made.session is not None
    assert made.session.billing_since is None
    then = learnt(Power.STARTING, made.lease, within=made.session)
    assert then.session == made.session
    assert not then.lease.recounted


def test_a03_what_ran_stays_dated() -> None:
    """Whatever its operation says in the end."""
    made = learnt(Power.RUNNING, operation=NO_CAPACITY)
    assert made.session == session()


def test_each_new_phase_closes_the_one_before() -> None:
    """With the seconds that it took, and a line in the journal."""
    said = beat(Phase.WEIGHTS, received_at=at("10:10"), detail="12 of 64 files")
    made = learnt(Power.RUNNING, heartbeat=said)
    assert made.session is not None
    assert made.session.phases == {"allocate_s": 600}
    assert (made.lease.phase, made.lease.phase_since) == (Phase.WEIGHTS, at("10:10"))
    _, entries = absorb(case(lease(), session(), Power.RUNNING, heartbeat=said))
    assert entries[-1].text == "The VM says: weights. 12 of 64 files"
    again = replace(said, received_at=NOW)
    same = learnt(Power.RUNNING, made.lease, within=made.session, heartbeat=again)
    assert same.lease == made.lease


def test_the_first_ready_heartbeat_is_the_sessions() -> None:
    """A later one only says that it still is."""
    made = learnt(Power.RUNNING, heartbeat=beat())
    assert made.session is not None
    assert made.session.ready_at == NOW
    assert made.lease.last_ready_at == NOW
    then = NOW + 59 * SECOND
    known = {"within": made.session, "now": then}
    young = learnt(Power.RUNNING, made.lease, heartbeat=beat(received_at=then), **known)
    assert young.lease == made.lease
    assert young.session == made.session
    then = NOW + MINUTE
    known = {"within": made.session, "now": then}
    old = learnt(Power.RUNNING, made.lease, heartbeat=beat(received_at=then), **known)
    assert old.lease.last_ready_at == then
    loading = beat(Phase.LOADING, received_at=then)
    back = learnt(Power.RUNNING, made.lease, heartbeat=loading, **known)
    assert back.lease.last_ready_at == NOW


def test_broken_and_ending_count_from_their_first_heartbeat() -> None:
    """And are over when the VM says so."""
    said = beat(Phase.BROKEN, ending=Ending.BROKEN)
    made = learnt(Power.RUNNING, heartbeat=said).lease
    assert (made.broken_since, made.ending_since) == (NOW, NOW)
    then = replace(said, received_at=NOW + MINUTE)
    later = learnt(Power.RUNNING, made, heartbeat=then, now=NOW + MINUTE).lease
    assert (later.broken_since, later.ending_since) == (NOW, NOW)
    fine = beat(received_at=NOW + MINUTE)
    over = learnt(Power.RUNNING, later, heartbeat=fine, now=NOW + MINUTE).lease
    assert (over.broken_since, over.ending_since) == (None, None)


def test_d02_a_budget_that_ends_earlier_shortens_the_lease() -> None:
    """Only a held one; the journal says so."""
    made = learnt(Power.RUNNING, spend=spend("42.40"))
    assert (made.lease.expires_at, made.lease.limited_by) == (
        at("11:00"),
        Limit.BUDGET,
    )
    assert events(Power.RUNNING, spend=spend("42.40")) == ["shortened"]
    going = lease(LeaseState.RELEASING, release=release())
    assert learnt(Power.RUNNING, going, spend=spend("42.40")).lease.expires_at == at(
        "12:00"
    )


def test_an_adopted_machine_is_not_recounted() -> None:
    """Its billing was dated when it was adopted."""
    of = adopted_lease()
    made = learnt(Power.RUNNING, of, within=session(adopted=True))
    assert made.lease.expires_at == of.expires_at
