"""The values: times with a zone, and what a start's answer says of it."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from control.model import ensure_utc
from control.words import Fault
from tests.unit.builders import ASKED_AT, NOW, outcome, provisioning, start


def test_c01_a_time_without_a_zone_is_refused() -> None:
    """It would mean any zone."""
    with pytest.raises(ValueError, match="zone"):
        ensure_utc(datetime(2026, 11, 30, 10))  # noqa: DTZ001  the case itself


def test_c01_a_time_of_another_zone_becomes_utc() -> None:
    """The instant stays."""
    paris = timezone(timedelta(hours=1))
    made = ensure_utc(datetime(2026, 11, 30, 11, tzinfo=paris))
    assert made == ASKED_AT
    assert made.tzinfo is UTC


@pytest.mark.parametrize(
    ("state", "changing"),
    [("updating", True), ("creating", True), ("succeeded", False), ("failed", False)],
)
def test_an_operation_is_under_way_while_updating_or_creating(
    state: str, changing: object
) -> None:
    """Such an entry carries no time."""
    assert provisioning(state).changing is changing


def test_a_start_that_was_taken_is_taken_whatever_came_of_it() -> None:
    """Its acceptance stays the time."""
    taken = start(Fault.CAPACITY)
    assert not taken.in_flight
    assert not taken.unanswered
    assert taken.taken_at == ASKED_AT
    assert taken.fault is Fault.CAPACITY


def test_a_start_without_an_answer_may_have_been_taken() -> None:
    """In flight, and also when it counts as unavailable."""
    silent = start(accepted_at=None, sent_at=NOW)
    given_up = start(Fault.UNAVAILABLE, accepted_at=None, sent_at=NOW)
    assert silent.in_flight
    assert silent.taken_at == given_up.taken_at == NOW


@pytest.mark.parametrize("fault", [Fault.CONFLICT, Fault.QUOTA, Fault.THROTTLED])
def test_a_start_that_was_refused_at_once_was_not_taken(fault: Fault) -> None:
    """Azure has said so."""
    refused = start(fault, accepted_at=None)
    assert not refused.unanswered
    assert refused.taken_at is None


def test_a_start_that_succeeded_has_no_fault() -> None:
    """And is in flight no more."""
    done = start(outcome=outcome())
    assert done.fault is None
    assert not done.in_flight
