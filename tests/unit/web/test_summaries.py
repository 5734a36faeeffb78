"""The one line for each state: its first words carry the outcome."""

from dataclasses import replace
from datetime import timedelta

import pytest

from control.model import Lease, Reading, Start
from control.views import View
from control.web.site import Place
from control.web.states import State, state
from control.web.summaries import summary
from control.words import Fault, Phase, Power, StopReason
from tests.unit.web.cases import CASES, OLD, leased, releasing, started
from tests.unit.web.support import (
    NOW,
    PARIS,
    VM,
    beat,
    held,
    off,
    policy,
    seen,
    session,
)

PLACE = Place(policies={VM: policy()}, zone=PARIS, chat={})
ANOTHER = Reading(began_at=NOW, power=Power.RUNNING, controlled_by="other")


def offered(refused: str | None) -> View:
    view = off()
    assert view.offer is not None
    return replace(view, offer=replace(view.offer, refused=refused))


def just_started() -> View:
    view = held(Power.STARTING)
    assert view.lease is not None
    start = Start(sent_at=NOW, attempts=1)
    return replace(view, lease=replace(view.lease, start=start))


LINES = {
    "On. 1 hour 12 minutes left, 101.76 USD so far.": held(heartbeat=beat(Phase.READY)),
    "Loading. Copying the model's weights, 45 percent. 1 hour 12 minutes left, 101.76 "
    "USD so far.": held(heartbeat=beat(Phase.WEIGHTS)),
    "Loading. Checking the GPUs. 1 hour 12 minutes left, 101.76 USD so far. The "
    "machine is restarting.": held(
        session=session(ready_at=NOW), heartbeat=beat(Phase.GPU, progress=None)
    ),
    "Broken. The machine says that the model does not work. 1 hour 12 minutes left, "
    "101.76 USD so far.": held(heartbeat=beat(Phase.BROKEN, progress=None)),
    "Silent. The machine has not reported for more than 3 minutes. 1 hour 12 minutes "
    "left, 101.76 USD so far.": held(heartbeat=beat(Phase.READY, received_at=OLD)),
    "Starting, asked at 10:12. Azure has not taken it yet; the switch goes on "
    "asking.": held(Power.DEALLOCATED),
    "Starting, asked at 10:12. It takes longer than usual. 1 hour 12 minutes left, "
    "101.76 USD so far.": started(Power.RUNNING, timedelta(minutes=48)),
    "On, but the model has not reported yet. 1 hour 12 minutes left, 101.76 USD so "
    "far.": leased(held(), adopted_at=NOW),
    "Starting, asked at 10:12. Usually ready at 11:30.": just_started(),
    "Waiting for a free machine in Azure. Nothing is billed, and asking goes on until "
    "10:42.": started(Power.DEALLOCATED, timedelta(minutes=1), Fault.CAPACITY),
    "Stopping. It is billed until Azure says that it is off.": releasing(Power.RUNNING),
    "Shut down but still billed. It is being switched off for good.": off(
        seen=seen(Power.STOPPED)
    ),
    "On, but another switch (other) controls it. This one only looks.": off(
        seen=seen(Power.RUNNING, reading=ANOTHER)
    ),
    "On and billed. The record of costs, the ledger, cannot be read. Stop still "
    "works.": off(
        lease=None, seen=seen(Power.RUNNING), problems=("ledger-unverified",)
    ),
    "Unknown. Azure does not say how it is; look again in a minute.": off(
        seen=seen(Power.UNKNOWN), problems=("azure-unavailable",)
    ),
    "Off. A start now lasts 2 hours and costs at most 169.60 USD.": off(),
    "Off. A start would be refused: too little is left of the budget.": offered(
        "budget-exhausted"
    ),
    "Off and locked. An operator has to unlock it first.": off(
        lease=Lease(machine=VM, locked=True)
    ),
    "Off. The record of costs, the ledger, cannot be read: nothing starts.": off(
        offer=None, problems=("ledger-unverified",)
    ),
}


@pytest.mark.parametrize("line", LINES)
def test_the_line_says_how_it_is(line: str) -> None:
    """Full words, times in the zone of the settings."""
    assert summary(LINES[line], PLACE) == line


def test_every_state_has_a_line_that_is_short() -> None:
    """Over every case of every state: a few short sentences, one line."""
    assert {state(view) for view, _ in CASES.values()} == set(State)
    for name, (view, _) in CASES.items():
        line = summary(view, PLACE)
        assert len(line) <= 140, name
        assert "\n" not in line
        assert line[0].isupper()
        assert line.endswith(".")


@pytest.mark.parametrize("reason", StopReason)
def test_off_says_for_12_hours_why_it_ended(reason: StopReason) -> None:
    """A person finds out in the morning what became of the night."""
    last = session(
        ended_at=NOW - timedelta(hours=11), stop_reason=reason, stopped_by="ipad"
    )
    said = summary(off(last=last), PLACE)
    assert said.startswith("Off since 00:00. ")
    assert said.endswith(". A start now lasts 2 hours and costs at most 169.60 USD.")
    assert "_" not in said
    assert len(said) <= 160
    old = replace(last, ended_at=NOW - timedelta(hours=13))
    assert summary(off(last=old), PLACE).startswith("Off. A start")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault.QUOTA, "The subscription's quota does not allow this machine."),
        (Fault.OTHER, "Azure did not start it."),
        (None, "Azure did not start it."),
    ],
)
def test_a03_off_names_what_a_start_failed_for(fault: Fault | None, words: str) -> None:
    """The next look says it, not only the answer to the start."""
    ended = {"ended_at": NOW, "stop_reason": StopReason.START_FAILED, "fault": fault}
    said = summary(off(last=session(**ended)), PLACE)
    assert f". {words} A start now lasts " in said
    assert len(said) <= 160


def test_off_and_locked_says_nothing_else() -> None:
    """What to do comes before what was."""
    last = session(ended_at=NOW, stop_reason=StopReason.LOCKED)
    said = summary(off(lease=Lease(machine=VM, locked=True), last=last), PLACE)
    assert said == "Off and locked. An operator has to unlock it first."


def test_where_there_are_several_the_machine_is_named() -> None:
    """Behind the outcome, so that this stays first."""
    several = Place(
        policies={VM: policy(), "vm-2": policy("vm-2")}, zone=PARIS, chat={}
    )
    assert summary(off(), several).startswith("Off (vm-1). ")
