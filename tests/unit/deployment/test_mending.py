"""A deployment over a machine that is there: whatever Azure does, it is off after."""

from datetime import timedelta

import pytest

from control.deployment.course import Fault
from control.deployment.creation import Person
from control.deployment.mending import ensure_off, mend
from control.errors import CommandError
from control.words import LeaseState, Power
from tests.unit.builders import ASKED_AT, HERE, MINUTE, VM, World, world
from tests.unit.deployment.azure import NEVER, Azure, Sitting


def listener(heard: list[str]) -> Person:
    return Person(say=heard.append, ended=lambda: False)


def checked(of: World) -> list[str]:
    """Look at it, as after a deployment that began a minute ago."""
    heard: list[str] = []
    ensure_off(of.switch, VM, of.now() - MINUTE, of.clock, listener(heard))
    return heard


def goes_off(of: World) -> None:
    """Let a deallocate be at work by the next look."""
    deallocate = of.machines.deallocate

    def call(machine: str, *, force: bool = False) -> object:
        taken = deallocate(machine, force=force)
        of.machines.set(VM, Power.DEALLOCATED)
        return taken

    of.machines.deallocate = call  # type: ignore[method-assign, assignment]


def test_an_idle_machine_is_told_and_left() -> None:
    """Nothing bills."""
    of = world()
    assert checked(of) == [f"{VM} is deallocated: nothing bills."]
    assert of.count("deallocate") == 0


@pytest.mark.parametrize("power", [Power.STARTING, Power.RUNNING, Power.STOPPED])
def test_what_a_deployment_brought_on_is_taken_away(power: Power) -> None:
    """And told; the ledger has its line, and no start was sent."""
    of = world()
    of.reads(power)
    goes_off(of)
    with pytest.raises(CommandError, match="nobody had asked for it"):
        checked(of)
    assert of.state().lease.state is LeaseState.NONE
    assert of.closed().cost is not None
    assert of.count("start") == 0


def test_what_the_timer_has_adopted_meanwhile_is_taken_away_too() -> None:
    """A session since the deployment is none that a person asked for."""
    of = world()
    of.reads(Power.RUNNING)
    of.switch.tick()
    assert of.state().lease.state is LeaseState.HELD
    goes_off(of)
    with pytest.raises(CommandError, match="nobody had asked for it"):
        checked(of)


def test_a_session_of_a_person_is_left_alone() -> None:
    """Somebody works with it while its roles are mended."""
    of = world()
    of.running()
    of.clock.advance(5 * MINUTE)
    assert checked(of) == [f"{VM} is running: its lease is held."]
    assert of.count("deallocate") == 0


def test_an_unknown_power_is_no_good_news() -> None:
    """A machine that is being started has none for a while: it is looked at again."""
    of = world()
    of.reads(Power.UNKNOWN)
    with pytest.raises(CommandError, match="can't be read"):
        checked(of)
    assert of.now() - ASKED_AT >= 2 * MINUTE


def test_what_a_person_adopted_is_left_alone() -> None:
    """By a start on the phone, a moment ago."""
    of = world()
    of.reads(Power.RUNNING)
    of.start()
    assert checked(of) == [f"{VM} is running: its lease is held."]


def test_the_machine_of_another_switch_is_left_alone() -> None:
    """Two control planes never fight over a machine."""
    of = world()
    of.machines.set(VM, Power.RUNNING, controlled_by=f"not {HERE}")
    assert checked(of) == [f"{VM} is running: of another switch."]
    assert of.count("deallocate") == 0


def test_one_that_does_not_go_off_is_told_loudly() -> None:
    """After twenty minutes of trying."""
    of = world()
    of.reads(Power.RUNNING)
    with pytest.raises(CommandError, match="IS NOT OFF"):
        checked(of)
    assert of.count("deallocate") > 10


def test_without_a_ledger_it_can_not_be_told() -> None:
    """So a person has to look."""
    of = world()
    of.table.unreachable = True
    assert checked(of) == [f"{VM} is deallocated: nothing bills."]
    of.reads(Power.RUNNING)
    with pytest.raises(CommandError, match="can't be read"):
        checked(of)


def test_before_it_is_made_there_is_nothing_to_end() -> None:
    """The first deployment of all: no machine, and no ledger yet."""
    of = world(carried=None)
    of.machines.remove(VM)
    assert checked(of) == [f"There is no {VM}: nothing bills."]


def mended(**changed: object) -> str:
    azure = Azure(of=world(), comes_on=NEVER, runs=NEVER, **changed)  # type: ignore[arg-type]
    try:
        mend(azure, Sitting(azure=azure).person, azure.of.clock)
    except CommandError as why:
        return str(why)
    assert azure.of.now() - azure.began >= timedelta(seconds=90)  # type: ignore[operator]
    return ""


def test_it_waits_until_both_may_deallocate() -> None:
    """Not only for the deployment's end."""
    assert mended() == ""
    assert "half an hour" in mended(rights=NEVER)


def test_a_failure_is_told_in_azures_words() -> None:
    """With what to do."""
    fault = Fault(code="PropertyChangeNotAllowed", text="Changing 'x' is not allowed.")
    assert "nothing was touched" in mended(fault=fault)


def test_a_person_may_go() -> None:
    """The deployment goes on by itself; nothing of it bills."""
    azure = Azure(of=world(), comes_on=NEVER)
    with pytest.raises(CommandError, match="by hand"):
        mend(azure, Sitting(azure=azure, ends_after=0).person, azure.of.clock)
