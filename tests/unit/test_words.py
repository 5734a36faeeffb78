"""The words: what a power state bills, and which runs may start."""

from typing import Any, cast

import pytest

from control.words import Ending, Limit, Phase, Power, RunKind, StopReason


@pytest.mark.parametrize(
    ("power", "billing"),
    [
        (Power.STARTING, True),
        (Power.RUNNING, True),
        (Power.STOPPING, True),
        (Power.STOPPED, True),
        (Power.DEALLOCATING, False),
        (Power.DEALLOCATED, False),
        (Power.GONE, False),
        (Power.UNKNOWN, None),
    ],
)
def test_a07_billing_follows_the_power_state(
    power: Power,
    billing: object,
) -> None:
    """Stopped is billed; unknown is neither."""
    assert power.billing is billing


def test_only_the_timer_and_a_start_may_start() -> None:
    """A read, a heartbeat or any other call may not."""
    assert {run for run in RunKind if run.may_start} == {RunKind.TICK, RunKind.START}


def test_every_limit_is_a_stop_reason() -> None:
    """A lease that ran to its limit ends for it."""
    assert [limit.reason.value for limit in Limit] == [limit.value for limit in Limit]


def test_the_words_are_those_of_the_contract() -> None:
    """They stand in the API and the ledger, so they never change by accident."""
    assert [reason.value for reason in StopReason] == [
        *("user", "asked", "max_runtime", "device", "budget", "budget_period"),
        *("idle", "never_ready", "not_responding", "broken", "guest_shutdown"),
        *("outside", "late_start", "locked", "no_capacity", "start_failed"),
    ]
    assert [phase.value for phase in Phase] == [
        *("disk", "weights", "seeding", "gpu", "loading"),
        *("edge", "ready", "broken", "draining"),
    ]
    assert {ending.value for ending in Ending} == {
        *("idle", "lease", "broken", "never_ready"),
    }


def test_a_power_state_that_does_not_exist_bills_nothing_by_accident() -> None:
    """It is an error, and the type checker says so first."""
    billing = vars(Power)["billing"].fget
    with pytest.raises(AssertionError):
        billing(cast("Any", "melting"))
