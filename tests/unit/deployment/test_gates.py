"""What must be done before a machine is made: each gate closes by itself."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from control.deployment.gates import Disk, Image, Readiness, Stock, closed
from control.words import LeaseState

SIZE = "Standard_ND96isr_H200_v5"
IMAGE = Image(name="p:o:s:1", found=True, generation="V2", plan=False)
STOCK = Stock(
    offered=True,
    restrictions=(),
    cores=96,
    family="h200",
    family_left=96,
    region_left=None,
    image=IMAGE,
)
READY = Readiness(
    ticks=True,
    in_period=True,
    clocks_apart=4.9,
    locked=False,
    lease=LeaseState.NONE,
    remaining=Decimal("56.54"),
    cost=Decimal("56.53"),
    currency="USD",
    missing=(),
    has_payload=True,
)
DISK = Disk(
    name="disk",
    location="EastUS2",
    system="Linux",
    attached_to=None,
    security_type="Standard",
)


def found(
    stock: Stock = STOCK, disk: Disk | None = None, ready: Readiness = READY
) -> list[str]:
    return closed(stock, SIZE, "eastus2", disk, ready)


def test_all_may_be_open() -> None:
    """To the last vCPU and the last cent; for a new machine and an old disk."""
    assert found() == []
    assert found(replace(STOCK, image=None), DISK) == []


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"offered": False}, "has no Standard_ND96isr_H200_v5: another"),
        ({"restrictions": ("NotAvailableForSubscription",)}, "closed to this subscr"),
        ({"family_left": 95}, "the quota of h200 in eastus2 has 95 left"),
        ({"region_left": 0}, "the quota of the whole region in eastus2 has 0 left"),
        ({"image": replace(IMAGE, found=False)}, "has no image p:o:s:1"),
        ({"image": replace(IMAGE, plan=True)}, "az vm image terms accept"),
        ({"image": replace(IMAGE, generation="V1")}, "of generation V1"),
    ],
)
def test_azure_has_to_have_it(changed: dict[str, Any], words: str) -> None:
    """Quota, size and image, before the meter runs."""
    (only,) = found(replace(STOCK, **changed))
    assert words in only


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"attached_to": "/subscriptions/s/vm-old"}, "is attached to vm-old"),
        ({"location": "westus3"}, "is in westus3, not in eastus2"),
        ({"system": "Windows"}, "has Windows on it"),
        ({"system": ""}, "has no system on it"),
    ],
)
def test_a_used_disk_has_to_be_free_and_here(
    changed: dict[str, Any], words: str
) -> None:
    """Azure would say so after half of the deployment."""
    (only,) = found(disk=replace(DISK, **changed))
    assert words in only


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"ticks": False}, "the switch does not tick"),
        ({"in_period": False}, "period (BUDGET_FROM, BUDGET_TO) does not hold"),
        ({"clocks_apart": 61.2}, "clock is 61 s away"),
        ({"locked": True}, "unlock it first"),
        ({"lease": LeaseState.HELD}, "a lease is held"),
        ({"lease": LeaseState.RELEASING}, "a lease is releasing"),
        ({"remaining": None}, "can't be read"),
        ({"remaining": Decimal("56.52")}, "it may cost 56.53 USD, and 56.52"),
        ({"remaining": Decimal(-3)}, "and 0.00 of the budget is left"),
        ({"missing": ("vllm-api-key",)}, "the vaults lack vllm-api-key"),
        ({"has_payload": False}, "would find no payload"),
    ],
)
def test_the_switch_has_to_be_ready(changed: dict[str, Any], words: str) -> None:
    """It is what ends the machine once the command is gone."""
    (only,) = found(ready=replace(READY, **changed))
    assert words in only


def test_all_that_is_wrong_is_said_at_once() -> None:
    """A person goes to the portal once."""
    wrong = replace(READY, ticks=False, locked=True, has_payload=False)
    assert len(found(replace(STOCK, family_left=0), ready=wrong)) == 4
