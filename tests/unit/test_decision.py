"""What a row may ask of its case: who runs, how old the heartbeat is, is it ready."""

from datetime import timedelta
from typing import Any, cast

import pytest

from control.words import Phase, Power, RunKind
from tests.unit.builders import (
    MINUTE,
    NOW,
    SECOND,
    UPDATING,
    beat,
    case,
    lease,
    observation,
    session,
)


@pytest.mark.parametrize(
    ("run", "by"),
    [
        (RunKind.TICK, "timer"),
        (RunKind.HEARTBEAT, "heartbeat"),
        (RunKind.START, "call"),
        (RunKind.STOP, "call"),
        (RunKind.POST, "call"),
        (RunKind.READ, "call"),
        (RunKind.ADOPT, "command"),
    ],
)
def test_the_ledger_names_what_ran(run: RunKind, by: str) -> None:
    """For what a run decides by itself."""
    assert case(lease(), session(), Power.RUNNING, run=run).by == by


@pytest.mark.parametrize(("late", "fresh"), [(0 * SECOND, True), (SECOND, False)])
def test_a_heartbeat_is_fresh_for_three_minutes(late: timedelta, fresh: object) -> None:
    """And ready only while it is fresh."""
    said = beat(received_at=NOW - 3 * MINUTE - late)
    seen = case(lease(), session(), Power.RUNNING, heartbeat=said)
    assert (seen.fresh is not None) is fresh
    assert seen.ready is fresh


def test_no_heartbeat_and_another_phase_are_not_ready() -> None:
    """Only the word `ready` is."""
    assert not case(lease(), session(), Power.RUNNING).ready
    said = beat(Phase.EDGE)
    assert not case(lease(), session(), Power.RUNNING, heartbeat=said).ready


def test_an_observation_speaks_for_its_reading() -> None:
    """Power is what the readings add up to; provisioning is of the newest."""
    seen = observation(Power.GONE, entry=UPDATING)
    assert seen.power is Power.GONE
    assert seen.provisioning == UPDATING


def test_a_run_that_does_not_exist_has_no_name() -> None:
    """It is an error, and the type checker says so first."""
    with pytest.raises(AssertionError):
        _ = case(lease(), session(), Power.RUNNING, run=cast("Any", "dream")).by
