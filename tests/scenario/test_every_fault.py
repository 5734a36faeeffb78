"""An evening under each fault that Azure can have: nothing runs on, no line is lost."""

from datetime import timedelta
from decimal import Decimal

import pytest

from control.ledger import Ledger
from local.azure import Phase, Power
from local.azure.faults.catalogue import OFFERS
from tests.scenario.conftest import START
from tests.scenario.world import MACHINE, World

SHORT = {phase: timedelta(seconds=20) for phase in Phase}
# The library for tokens keeps such a refusal for a real minute: a process that has no
# token yet waits for it, one that has one for a day does not notice.
WARM = {"identity_error", "identity_throttled"}
# What takes real seconds is played where it is about them.
PATIENT = {name for name, offer in OFFERS.items() if "real seconds" in offer.does}


def _evening(world: World) -> list[int]:
    """Start, extend, stop, start again: what the phone was answered."""
    phone, answers = world.phone, list[int]()
    for path, minutes in (("/start", 4), ("/extend", 2), ("/stop", 3), ("/start", 3)):
        body = {"minutes": 30} if path == "/extend" else {}
        answers.append(phone.post(path, body).status_code)
        world.minutes(minutes)
        answers.append(phone.get("/status").status_code)
    return answers


@pytest.mark.parametrize("fault", sorted(set(OFFERS) - PATIENT))
def test_an_evening_under_a_fault_ends_off_with_every_second_in_the_ledger(
    world: World, fault: str
) -> None:
    """No 500 whatever Azure does; once it is well again, all is off and accounted."""
    world.azure.vm.behave(takes=SHORT)
    if fault in WARM:
        world.phone.status()
    world.azure.faults.arm(fault, times=None)
    answers = _evening(world)
    assert 500 not in answers, answers
    world.azure.faults.clear()
    world.phone.post("/stop")
    world.minutes(4)
    world.until("off", most=20)
    world.minutes(2)
    assert world.azure.vm.power is Power.DEALLOCATED
    _accounted(world)


def _accounted(world: World) -> None:
    lines = world.sessions()
    assert all(line["ended_at"] for line in lines)
    billed = sum(line["billed_seconds"] for line in lines)
    assert billed >= world.azure.vm.billed_seconds() - 1
    totals = Ledger(world.table).totals(MACHINE, START, START + timedelta(days=60))
    assert sum(total.cost for total in totals) == sum(
        Decimal(line["cost"]) for line in lines
    )
