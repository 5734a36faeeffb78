"""`vm create`: whatever happens, it ends in a read `deallocated`, and a ledger line."""

from datetime import timedelta
from typing import Any

import pytest

from control.deployment.course import Course, Fault
from control.errors import (
    CommandError,
    Evidence,
    Permission,
    Unavailable,
)
from control.views import Answer
from control.words import LeaseState, Power, StopReason
from tests.unit.builders import ASKED_AT, VM, World, world
from tests.unit.deployment.azure import NEVER, Azure, Sitting, creation

CAPACITY = Fault(code="AllocationFailed", text="We have none.")


def made(*, ends_after: float = NEVER, **changed: Any) -> tuple[Azure, Sitting, str]:
    """Run one to its end; return what it could not do."""
    azure = Azure(of=world(), **changed)
    sitting = Sitting(azure=azure, ends_after=ends_after)
    try:
        creation(azure, sitting).run()
    except CommandError as why:
        return azure, sitting, str(why)
    return azure, sitting, ""


def assert_off(of: World, reason: StopReason = StopReason.USER) -> None:
    """One session, closed, and nothing that bills."""
    assert of.state().lease.state is LeaseState.NONE
    assert of.machines.read(VM).power is Power.DEALLOCATED
    line = of.closed()
    assert line.stop_reason is reason
    assert line.cost is not None
    assert of.count("start") == 0


def test_it_ends_deallocated_with_one_ledger_line() -> None:
    """Adopted for who made it, with a deadline, and closed once all was seen."""
    azure, sitting, failed = made()
    assert failed == ""
    assert_off(azure.of)
    line = azure.of.closed()
    assert line.started_by == "vm-create"
    assert line.adopted
    assert line.billing_since is not None
    assert line.billing_since - ASKED_AT <= timedelta(seconds=30)
    assert line.stopped_by == "vm-create"
    assert sitting.heard[0] == (
        "The machine is unknown. Not yet: the deployment's end, the machine, its "
        "roles, a reading of it by the app, its first heartbeat."
    )
    assert any("billed, until 10:30 UTC at most" in each for each in sitting.heard)
    assert sitting.heard[-1] == f"{VM} is made, and Azure says: deallocated."


@pytest.mark.parametrize(
    ("never", "words"),
    [
        ("ends", "the deployment's end"),
        ("rights", "its own right"),
        ("app", "a reading of it by the app"),
        ("beats", "its first heartbeat"),
    ],
)
def test_after_half_an_hour_it_is_over(never: str, words: str) -> None:
    """Whatever is lacking then; the lease's own deadline is the same."""
    azure, _, failed = made(**{never: NEVER})
    assert words in failed
    assert failed.endswith(f"{VM} is there, deallocated.")
    line = azure.of.closed()
    assert line.billed_seconds is not None
    assert line.billed_seconds <= 32 * 60
    assert azure.of.state().lease.state is LeaseState.NONE
    assert azure.cancelled is (never == "ends")


@pytest.mark.parametrize("after", [0, 5, 25, 70, 95])
def test_ctrl_c_takes_it_away_at_any_time(after: float) -> None:
    """Also before it comes on: what a cancelled deployment began goes on."""
    azure, _, failed = made(ends_after=after)
    assert failed.startswith("it was ended by hand.")
    assert azure.cancelled is (after < 90)
    assert azure.exists()
    assert azure.of.machines.read(VM).power is Power.DEALLOCATED
    assert failed.endswith("is there, deallocated.")
    assert azure.of.state().lease.state is LeaseState.NONE


def test_a_deployment_that_fails_takes_the_machine_away() -> None:
    """With Azure's own words, and what a person can do."""
    fault = Fault(code="OSProvisioningTimedOut", text="It did not finish.")
    azure, _, failed = made(fault=fault, rights=NEVER)
    assert failed.startswith(
        "the deployment failed. OSProvisioningTimedOut: It did not finish. The machine "
        "was made, and has not said that it is up;"
    )
    assert_off(azure.of)
    assert azure.cleared == []


def test_what_was_never_allocated_is_cleared() -> None:
    """The machine's name is free again, and so is the next try."""
    azure, _, failed = made(fault=CAPACITY, runs=NEVER, ends=40)
    assert "Azure has no such machine free: quota is no capacity." in failed
    assert failed.endswith(f"Deleted: {VM}, a blank disk.")
    assert azure.cleared


def test_a_refusal_makes_nothing() -> None:
    """And says so."""
    refusal = Permission(Evidence(message="You may not."))
    azure, _, failed = made(refusal=refusal)
    assert "it was refused" in failed
    assert failed.endswith(f"There is no {VM}: nothing bills.")
    assert azure.of.count("deallocate") == 0


def test_an_answer_that_was_lost_is_no_refusal() -> None:
    """Azure may have taken it: it is looked for as long as any other."""
    azure = Azure(of=world(), ends=NEVER)
    sitting = Sitting(azure=azure)

    class Lost(Azure):
        def begin(self) -> None:
            super().begin()
            raise Unavailable(Evidence())

    lost = Lost(of=azure.of)
    sitting.azure = lost
    creation(lost, sitting).run()
    assert_off(lost.of)
    assert "whether it took the deployment shows" in sitting.heard[0]


def test_a_machine_may_come_after_an_answer_that_was_lost() -> None:
    """Ctrl-C before Azure has it: it is waited for, and taken away."""

    class Late(Azure):
        def begin(self) -> None:
            super().begin()
            raise Unavailable(Evidence())

        def course(self) -> Course | None:
            found = super().course()
            return found if self._past(90) else None

    late = Late(of=world(), comes_on=100, runs=130, ends=400)
    sitting = Sitting(azure=late, ends_after=5)
    with pytest.raises(CommandError, match="ended by hand"):
        creation(late, sitting).run()
    assert late.exists()
    assert_off(late.of)


def test_what_fails_meanwhile_ends_no_clean_up() -> None:
    """A login that has run out, say: the next round tries again."""
    azure = Azure(of=world())
    sitting = Sitting(azure=azure)
    stop, failures = azure.of.switch.stop, iter([True, True])

    def failing(machine: str, by: str) -> Answer:
        if next(failures, False):
            raise Permission(Evidence(message="no login"))
        return stop(machine, by)

    azure.of.switch.stop = failing  # type: ignore[method-assign]
    creation(azure, sitting).run()
    assert_off(azure.of)


def test_an_unreadable_deployment_does_not_end_the_watch() -> None:
    """ARM is silent about it for a while; the half hour holds."""
    _, _, failed = made(unreadable=True)
    assert "the deployment's end" in failed


def test_without_a_ledger_it_is_taken_away_blindly() -> None:
    """Three looks; nothing is left that bills unrecorded for longer."""
    azure = Azure(of=world())
    sitting = Sitting(azure=azure)
    one = creation(azure, sitting)
    azure.of.table.unreachable = True
    with pytest.raises(CommandError, match="the ledger can't be read"):
        one.run()
    assert azure.of.count("deallocate") > 0
    assert azure.of.machines.read(VM).power is Power.DEALLOCATED


def test_the_switch_may_take_it_away_first() -> None:
    """An operator who locks it, say: that ends the making."""
    azure = Azure(of=world())
    sitting = Sitting(azure=azure, ends_after=NEVER)
    one = creation(azure, sitting)
    said = sitting.heard.append

    def say(text: str) -> None:
        said(text)
        if "billed" in text:
            azure.of.switch.lock(VM, "operator", locked=True)

    one._say = say
    with pytest.raises(CommandError, match="the switch takes it away"):
        one.run()
    assert azure.of.closed().stop_reason is StopReason.LOCKED


def test_a_machine_that_does_not_go_off_is_told_loudly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With what to do by hand, again and again; the release goes on in the ledger."""
    monkeypatch.setattr("control.deployment.creation._ROUNDS", 2)
    azure, _, failed = made(goes_off=NEVER)
    assert f"{VM} IS NOT OFF, or that can't be told:" in failed
    assert "az vm deallocate" in failed
    assert azure.of.state().lease.state is LeaseState.RELEASING


def test_any_exception_takes_it_away() -> None:
    """Even one that nobody thought of."""
    azure = Azure(of=world())
    sitting = Sitting(azure=azure)

    class Odd(Azure):
        def lacking_rights(self) -> list[str]:
            raise KeyError("odd")

    odd = Odd(of=azure.of)
    sitting.azure = odd
    with pytest.raises(CommandError, match="something unforeseen happened"):
        creation(odd, sitting).run()
    assert_off(odd.of)
