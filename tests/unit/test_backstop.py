"""Enforcement by ARM alone, when the ledger cannot be read."""

from datetime import datetime

import pytest

from control.act import Actor
from control.backstop import READS, SECONDS_APART, Backstop
from control.ledger import Ledger
from control.memory import MemoryClock, MemoryMachines, MemoryNotices, MemoryTable
from control.model import Provisioning, Reading
from control.words import Fault, Power
from tests.unit.builders import (
    ASKED_AT,
    HOUR,
    LOST,
    POLICY,
    SECOND,
    UPDATING,
    VM,
    World,
    error,
    provisioning,
    world,
)

OLD = provisioning("succeeded", ASKED_AT - 4 * HOUR - SECOND)


def _backstop(of: World) -> Backstop:
    actor = Actor(of.ledger, of.machines, of.notices, of.clock)
    return Backstop(actor, of.machines, of.clock)


AT_THE_CAP = provisioning("succeeded", ASKED_AT - 4 * HOUR)


@pytest.mark.parametrize(
    ("power", "entry", "tag", "sent"),
    [
        (Power.RUNNING, OLD, None, True),
        (Power.RUNNING, AT_THE_CAP, None, False),
        (Power.RUNNING, OLD, "switch", True),
        (Power.RUNNING, OLD, "theirs", False),
        (Power.UNKNOWN, OLD, None, True),
        (Power.STOPPED, OLD, None, True),
        (Power.DEALLOCATED, OLD, None, False),
        (Power.RUNNING, provisioning("failed", OLD.at), None, True),
        (Power.RUNNING, UPDATING, None, False),
        (Power.RUNNING, None, None, True),
        (Power.RUNNING, provisioning("succeeded"), None, True),
        (Power.RUNNING, None, "theirs", False),
        (Power.UNKNOWN, None, None, False),
        (Power.DEALLOCATING, None, None, False),
    ],
)
def test_without_a_ledger_the_cap_holds_by_arms_own_time(
    power: Power, entry: Provisioning | None, tag: str | None, sent: object
) -> None:
    """A08, D04: over the cap, or billing without any time; never a foreign one."""
    of = world()
    of.reads(power, entry, tag)
    made = _backstop(of).enforce(POLICY)
    assert made.sent is sent
    assert of.count("deallocate") == made.sent


def test_a_machine_that_is_not_there_is_left_alone() -> None:
    """There is nothing to deallocate."""
    of = world()
    of.machines.remove(VM)
    assert not _backstop(of).enforce(POLICY).sent
    assert of.count("deallocate") == 0


class Changing(MemoryMachines):
    """ARM shows another entry at each reading."""

    def __init__(
        self, clock: MemoryClock, *said: tuple[Power, Provisioning | None]
    ) -> None:
        super().__init__(clock, (VM,))
        self.said = list(said)

    def read(self, machine: str) -> Reading:
        power, entry = self.said.pop(0)
        self.set(machine, power, provisioning=entry)
        return super().read(machine)


UNTOLD = (Power.RUNNING, None)


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        ((UNTOLD, UNTOLD, UNTOLD), True),
        ((UNTOLD, UNTOLD, (Power.RUNNING, UPDATING)), False),
        ((UNTOLD, (Power.RUNNING, provisioning("succeeded", ASKED_AT))), False),
        ((UNTOLD, (Power.DEALLOCATED, None)), False),
    ],
)
def test_a08_three_readings_have_to_agree_that_no_time_is_told(
    said: tuple[tuple[Power, Provisioning | None], ...], sent: object
) -> None:
    """Five seconds apart."""
    clock = MemoryClock(ASKED_AT)
    machines = Changing(clock, *said)
    actor = Actor(Ledger(MemoryTable()), machines, MemoryNotices(), clock)
    assert Backstop(actor, machines, clock).enforce(POLICY).sent is sent
    assert machines.said == []
    waited = (len(said) - 1) * SECONDS_APART
    assert clock.now() == ASKED_AT + waited * SECOND
    assert len(said) <= READS


@pytest.mark.parametrize(
    ("power", "sent"),
    [
        (Power.RUNNING, True),
        (Power.STOPPED, True),
        (Power.UNKNOWN, True),
        (Power.DEALLOCATING, True),
        (Power.DEALLOCATED, False),
    ],
)
@pytest.mark.parametrize("tag", [None, "theirs"])
def test_a01_a_persons_stop_goes_out_without_a_ledger(
    power: Power, sent: object, tag: str | None
) -> None:
    """A06: but not to a machine that is off."""
    of = world()
    of.reads(power, tag=tag)
    assert _backstop(of).stop(VM).sent is sent
    assert of.count("deallocate") == bool(sent)


def test_what_azure_does_not_take_is_not_sent() -> None:
    """It is said so; and a machine that cannot be read is told all the same."""
    of = world()
    of.machines.fail("read", error(Fault.UNAVAILABLE, 503))
    of.machines.fail("deallocate", LOST)
    made = _backstop(of).stop(VM)
    assert not made.sent
    assert made.reading.power is Power.UNKNOWN
    assert of.count("deallocate") == 1


def test_the_reading_says_when_it_was_taken() -> None:
    """For the page that shows it."""
    of = world()
    reading = _backstop(of).look(VM)
    assert isinstance(reading.began_at, datetime)
    assert reading.began_at == of.now()


def test_a_forbidden_deallocate_without_a_ledger_is_an_alarm() -> None:
    """The owner is told with the first failure: the log alone wakes nobody."""
    of = world()
    of.reads(Power.RUNNING, OLD)
    of.machines.fail("deallocate", error(Fault.PERMISSION, 403))
    assert not _backstop(of).enforce(POLICY).sent
    assert "cannot be switched off" in of.notices.sent[0][1]


def test_a_machine_that_goes_off_already_is_not_told_to_be_on() -> None:
    """Azure refuses the second deallocate while the first is under way."""
    of = world()
    of.reads(Power.DEALLOCATING)
    of.machines.fail("deallocate", error(Fault.CONFLICT, 409))
    made = _backstop(of).stop(VM)
    assert made.sent
    assert made.unsent is None
    assert of.count("deallocate") == 1
