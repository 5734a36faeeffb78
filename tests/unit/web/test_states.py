"""The state word: first match of the design's list, and what is wrong beside it."""

from datetime import timedelta

import pytest

from control.views import View
from control.web.states import State, billing, problem, state, timer_is_stale
from control.words import Phase, Power
from tests.unit.web.cases import CASES, OLD
from tests.unit.web.support import NOW, beat, held, off, seen, session


@pytest.mark.parametrize("case", CASES)
def test_the_first_word_that_fits_is_the_state(case: str) -> None:
    """Each word, and each pair that competes for it."""
    view, word = CASES[case]
    assert state(view) is word


def test_off_is_said_only_when_nothing_is_billed() -> None:
    """Over every case: off means that `billing` is false."""
    for name, (view, word) in CASES.items():
        if word is State.OFF:
            assert billing(view) is False, name
    assert {word for _, word in CASES.values()} == set(State)


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (off(), False),
        (off(seen=seen(Power.DEALLOCATING)), False),
        (off(seen=seen(Power.STOPPED)), True),
        (off(seen=seen(Power.UNKNOWN)), None),
        (off(seen=None), None),
        (off(lease=None, seen=seen(Power.UNKNOWN)), None),
        (held(Power.UNKNOWN), True),
        (held(Power.DEALLOCATED), False),
    ],
)
def test_billing_is_unknown_only_without_a_session(
    view: View, *, expected: bool | None
) -> None:
    """An open session's cost runs on while the power is unknown."""
    assert billing(view) is expected


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (off(), None),
        (held(), None),
        (held(heartbeat=beat(Phase.READY)), None),
        (held(heartbeat=beat(Phase.BROKEN)), "broken"),
        (held(heartbeat=beat(Phase.LOADING, received_at=OLD)), "stale"),
        (held(heartbeat=beat(Phase.LOADING)), None),
        (
            held(session=session(ready_at=NOW), heartbeat=beat(Phase.LOADING)),
            "restarting",
        ),
        (held(session=session(ready_at=NOW), heartbeat=beat(Phase.READY)), None),
        (
            off(problems=("ledger-unverified",)),
            "ledger-unverified",
        ),
        (
            held(heartbeat=beat(Phase.BROKEN), problems=("azure-unavailable",)),
            "azure-unavailable",
        ),
    ],
)
def test_the_problem_is_one_word(view: View, expected: str | None) -> None:
    """Broken, restarting and stale stand beside the state."""
    assert problem(view) == expected


def test_the_timer_is_stale_after_three_minutes() -> None:
    """One that never ran is stale as well."""
    assert not timer_is_stale(off(tick_at=NOW - timedelta(minutes=3)))
    assert timer_is_stale(off(tick_at=NOW - timedelta(minutes=3, seconds=1)))
    assert timer_is_stale(off(tick_at=None))
