"""A short evening under each fault of ARM: nothing runs on, no line is lost.

What the vault, budgets, prices and notices do wrong is played where it is about them.
"""

from datetime import timedelta
from typing import Any

import pytest

from local.azure import Phase
from local.azure.faults import (
    identity,
    machines,
    operations,
    polls,
    refused,
    throttled,
    views,
)
from tests.scenario.world import World

SHORT = {phase: timedelta(seconds=10) for phase in Phase}
OFFERS = {
    **refused.OFFERS,
    **throttled.OFFERS,
    **operations.OFFERS,
    **polls.OFFERS,
    **views.OFFERS,
    **machines.OFFERS,
    **identity.OFFERS,
}
# The library for tokens keeps such a refusal for a real minute: a process that has no
# token yet waits for it, one that has one for a day does not notice.
WARM = {"identity_error", "identity_throttled"}
# What happens to a machine later than this evening lasts happens sooner in it.
TIMED = {name for name, offer in machines.OFFERS.items() if "after" in offer.usual}
# What takes real seconds would make the suite long.
PATIENT = {name for name, offer in OFFERS.items() if "real seconds" in offer.does}


def _evening(world: World) -> list[int]:
    """Start, stop, start again: what the phone was answered."""
    phone, answers = world.phone, list[int]()
    for path, minutes in (("/start", 3), ("/stop", 2), ("/start", 2)):
        answers.append(phone.post(path).status_code)
        world.minutes(minutes)
        answers.append(phone.get("/status").status_code)
    return answers


@pytest.mark.parametrize("fault", sorted(set(OFFERS) - PATIENT))
def test_an_evening_under_a_fault_ends_off_with_every_second_in_the_ledger(
    world: World, fault: str
) -> None:
    """No 500 whatever Azure does; once it is well again, all is off and accounted."""
    talks = fault in views.OFFERS or fault in machines.OFFERS
    world.azure.vm.behave(takes=SHORT, beats=talks)
    if fault in WARM:
        world.phone.status()
    soon: dict[str, Any] = {"after": 60} if fault in TIMED else {}
    world.azure.faults.arm(fault, times=None, **soon)
    answers = _evening(world)
    assert 500 not in answers, answers
    world.azure.faults.clear()
    world.phone.post("/stop")
    world.minutes(2)
    world.until("off", most=20)
    world.accounted()
