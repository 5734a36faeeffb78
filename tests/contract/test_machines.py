"""The machines: the twin and ARM keep the same promises."""

from datetime import timedelta

import pytest

from control.errors import AzureError
from control.words import Fault, OperationState, Power
from tests.contract.machine_worlds import REFUSALS, MachinesWorld
from tests.contract.worlds import VM

READABLE = [power for power in Power if power is not Power.GONE]


@pytest.mark.parametrize("power", READABLE)
def test_every_power_state_is_read(machines: MachinesWorld, power: Power) -> None:
    """As it is, when it is asked for; unknown says what the matter is."""
    machines.bring(power)
    began = machines.clock.now()
    reading = machines.machines.read(VM)
    assert reading.power is power
    assert reading.began_at == began
    assert not reading.not_found
    assert (reading.problem is not None) == (power is Power.UNKNOWN)


def test_a_machine_that_is_not_there_is_a_reading(machines: MachinesWorld) -> None:
    """It is unknown until enough readings in a row agree: gone is never read."""
    machines.remove()
    reading = machines.machines.read(VM)
    assert reading.not_found
    assert reading.power is Power.UNKNOWN


def test_a_machine_says_who_controls_it(machines: MachinesWorld) -> None:
    """By its tag; without one, nobody."""
    assert machines.machines.read(VM).controlled_by is None
    machines.tag("another-switch")
    assert machines.machines.read(VM).controlled_by == "another-switch"


@pytest.mark.parametrize("verb", ["start", "deallocate"])
def test_a_call_is_accepted_at_once(machines: MachinesWorld, verb: str) -> None:
    """One request, and an operation that is under way."""
    if verb == "deallocate":
        machines.bring(Power.RUNNING)
    call = getattr(machines.machines, verb)
    accepted = call(VM)
    assert accepted.at == machines.clock.now()
    assert accepted.operation_url is not None
    looked = machines.machines.operation(accepted.operation_url)
    assert looked.state is OperationState.IN_PROGRESS
    assert looked.fault is None
    assert machines.sent(verb) == [False]


def test_an_operation_ends_well(machines: MachinesWorld) -> None:
    """With its time, which is aware and not in the future."""
    accepted = machines.machines.start(VM)
    assert accepted.operation_url is not None
    machines.end(accepted)
    looked = machines.machines.operation(accepted.operation_url)
    assert looked.state is OperationState.SUCCEEDED
    assert looked.fault is None
    assert looked.ended_at is not None
    assert accepted.at <= looked.ended_at <= machines.clock.now()
    assert looked.ended_at.utcoffset() == timedelta(0)


def test_force_is_sent_only_when_asked(machines: MachinesWorld) -> None:
    """And the machine is taken away either way."""
    machines.bring(Power.RUNNING)
    machines.machines.deallocate(VM)
    machines.machines.deallocate(VM, force=True)
    assert machines.sent("deallocate") == [False, True]


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize("verb", ["start", "deallocate"])
def test_a_refusal_has_its_class(
    machines: MachinesWorld, verb: str, refusal: str
) -> None:
    """The same error on both sides; it was sent once, and the next call works."""
    machines.refuse(verb, refusal)
    call = getattr(machines.machines, verb)
    with pytest.raises(AzureError) as caught:
        call(VM)
    expected = REFUSALS[refusal]
    assert type(caught.value) is type(expected)
    assert caught.value.evidence.status == expected.evidence.status
    assert caught.value.evidence.retry_after == expected.evidence.retry_after
    assert machines.sent(verb) == [False]
    call(VM)


@pytest.mark.parametrize("refusal", ["unavailable", "unreachable"])
def test_a_reading_that_fails_is_an_error(
    machines: MachinesWorld, refusal: str
) -> None:
    """Never a reading of something."""
    machines.refuse("read", refusal)
    with pytest.raises(type(REFUSALS[refusal])):
        machines.machines.read(VM)
    assert machines.machines.read(VM).power is Power.DEALLOCATED


def test_a_failed_start_tells_its_fault(machines: MachinesWorld) -> None:
    """The operation carries what the refusal could not."""
    machines.break_next_start()
    accepted = machines.machines.start(VM)
    assert accepted.operation_url is not None
    machines.end(accepted)
    looked = machines.machines.operation(accepted.operation_url)
    assert looked.state is OperationState.FAILED
    assert looked.fault is Fault.CAPACITY
    assert looked.code == "AllocationFailed"


def test_an_unknown_machine_is_the_callers_mistake(machines: MachinesWorld) -> None:
    """A name that the settings do not have never reaches Azure."""
    for call in (machines.machines.read, machines.machines.start):
        with pytest.raises(KeyError):
            call("vm-of-somebody-else")
    assert machines.sent("start") == []
