"""What rows share: each step makes one decision."""

from control.decision import Notify, SendDeallocate
from control.rules import steps
from control.words import LeaseState, Power, RunKind, StopReason
from tests.unit.builders import (
    ASK,
    NOW,
    case,
    lease,
    session,
    told,
)


def test_nothing_changes_nothing() -> None:
    """But says why."""
    made = steps.nothing(case(lease(), session(), Power.RUNNING), 17, "Waiting.")
    assert (made.lease, made.session) == (lease(), session())
    assert (made.rows, made.reason) == ((17,), "Waiting.")
    assert not made.actions
    assert not made.entries


def test_a_release_is_by_whoever_ran_it() -> None:
    """Or by the person that it goes on for."""
    seen = case(lease(), session(), Power.RUNNING)
    made = steps.release(seen, 15, StopReason.IDLE, "Idle.")
    assert made.lease.release is not None
    assert made.lease.release.by == "timer"
    assert made.entries[0].text == "idle: Idle."
    other = steps.release(seen, 19, StopReason.USER, "Back.", "ipad")
    assert other.lease.release is not None
    assert (other.lease.release.by, other.entries[0].by) == ("ipad", "ipad")


def test_a_close_tells_what_it_cost() -> None:
    """Where there was a session."""
    seen = case(lease(), session(), Power.DEALLOCATED)
    made = steps.close(seen, 7, StopReason.OUTSIDE, "Off.")
    assert made.actions == (Notify(event="ended", text="Off. It cost 42.40 USD."),)
    assert made.entries[0].text == "outside: Off. It cost 42.40 USD."
    bare = case(lease(LeaseState.RELEASING, session_id=None), None, Power.GONE)
    quiet = steps.close(bare, 1, StopReason.USER, "Off.")
    assert quiet.actions == ()
    assert quiet.entries[0].text == "user: Off."


def test_an_adoption_is_told_and_belongs_to_who_asked() -> None:
    """Else to somebody outside, also where a start happened to find it."""
    bare = case(lease(LeaseState.NONE), None, Power.RUNNING, ask=ASK)
    made = steps.adopt(bare, 20, "Found.")
    assert told(made) == ["adopted"]
    assert made.session is not None
    assert made.session.started_by == "outside"
    asked = steps.adopt(bare, 21, "Found.", ASK)
    assert asked.session is not None
    assert asked.session.started_by == "iphone"


def test_a_deallocate_claims_before_it_is_sent() -> None:
    """The attempt and its time are in the lease, and the journal counts them."""
    seen = case(lease(LeaseState.RELEASING), session(), Power.RUNNING, run=RunKind.STOP)
    made = steps.deallocate(seen, 4, "Off.")
    assert made.lease.release is not None
    assert (made.lease.release.sent_at, made.lease.release.attempts) == (NOW, 1)
    assert made.actions == (SendDeallocate(),)
    assert made.entries[0].text == "Deallocate sent, attempt 1."
