"""Rows 5 to 17 one by one: each looks at its own conditions alone."""

from typing import Any, cast

import pytest

from control.model import Lease
from control.rules import held
from control.words import Fault, Power
from tests.unit.builders import (
    NOW,
    POLICY,
    adopted_lease,
    case,
    lease,
    session,
    start,
    unbilled,
)


def test_the_rows_stand_in_the_tables_order() -> None:
    """Twelve may pass, the last one always speaks."""
    assert [row.__name__ for row in held.HELD] == [
        *("must_end", "gone", "off_by_others", "to_start", "to_start_for_capacity"),
        *("start_refused", "start_failed", "never_ready", "guest_shutdown"),
        *("broken", "idle", "ready", "wait"),
    ]
    plain = case(lease(), session(), Power.STOPPING)
    assert [row(plain) for row in held.HELD[:-1]] == [None] * 12
    assert held.wait(plain).rows == (17,)


def test_the_rows_of_a_start_need_a_start() -> None:
    """An adopted machine has none."""
    adopted = case(adopted_lease(NOW), session(), Power.DEALLOCATED)
    rows = (
        held.to_start,
        held.to_start_for_capacity,
        held.start_refused,
        held.start_failed,
    )
    assert [row(adopted) for row in rows] == [None] * 4


@pytest.mark.parametrize("fault", list(Fault))
def test_every_failed_start_of_an_off_machine_has_one_row(fault: Fault) -> None:
    """But for a preempted one, which row 7 waits for."""
    of = lease(start=start(fault, accepted_at=None))
    seen = case(of, unbilled(requested_at=NOW), Power.DEALLOCATED)
    rows = (
        held.to_start,
        held.to_start_for_capacity,
        held.start_refused,
        held.start_failed,
    )
    spoke = sum(row(seen) is not None for row in rows)
    assert spoke == (fault is not Fault.PREEMPTED)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault.CAPACITY, "no such machine free"),
        (Fault.QUOTA, "quota"),
        (Fault.PERMISSION, "does not let"),
        (Fault.SKU, "size"),
        (Fault.DISABLED, "disabled"),
        (Fault.SCOPE_LOCK, "lock"),
        (Fault.OTHER, "could not start"),
    ],
)
def test_a03_the_cause_is_named_in_plain_words(fault: Fault, said: str) -> None:
    """No code of Azure's."""
    assert said in held.refusal(start(fault))


def test_a_start_that_azure_never_took_says_how_long_it_was_asked_and_why() -> None:
    """The cause of the last attempt stands behind it."""
    of = lease(start=start(Fault.THROTTLED, accepted_at=None))
    long_ago = unbilled(requested_at=NOW - POLICY.capacity_retry)
    made = held.to_start(case(of, long_ago, Power.DEALLOCATED))
    assert made is not None
    assert made.reason == (
        "Azure did not start the machine within 30 minutes. Azure asked the switch to "
        "wait."
    )


@pytest.mark.parametrize("of", [lease(expires_at=None), lease()])
def test_a_lease_ends_for_nothing_else(of: Lease) -> None:
    """Not locked, not over, not spent."""
    assert held.must_end(case(of, session(), Power.UNKNOWN)) is None


def test_an_ending_that_does_not_exist_is_no_reason() -> None:
    """It is an error, and the type checker says so first."""
    with pytest.raises(AssertionError):
        held._ending_reason(lease(), cast("Any", "bored"))
