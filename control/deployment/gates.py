"""What must be true before a machine is made, for making one bills: pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from control.words import LeaseState

_APART = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """The image that a new machine is made from."""

    name: str
    found: bool
    generation: str
    plan: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Stock:
    """What the region has; `*_left` are free vCPUs, None where it names no limit."""

    offered: bool
    restrictions: Sequence[str]
    cores: int
    family: str
    family_left: int | None
    region_left: int | None
    image: Image | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """A used OS disk that a machine is made again from."""

    name: str
    location: str
    system: str
    attached_to: str | None
    security_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """What the switch and the vaults say.

    `ticks` is whether the timer was heard of, `in_period` whether the budget's period
    holds all of it; `clocks_apart` is in seconds, between the switch and this computer.
    `remaining` is the budget's rest, None where it can't be read; `missing` are secrets
    that the machine would look for.
    """

    ticks: bool
    in_period: bool
    clocks_apart: float
    locked: bool
    lease: LeaseState
    remaining: Decimal | None
    cost: Decimal
    currency: str
    missing: Sequence[str]
    has_payload: bool


def closed(
    stock: Stock, size: str, location: str, disk: Disk | None, ready: Readiness
) -> list[str]:
    """Say what must be done first; a sentence each."""
    return [
        *_of_the_size(stock, size, location),
        *_of_the_image(stock.image, location),
        *(_of_the_disk(disk, location) if disk else ()),
        *_of_the_switch(ready),
        *_of_the_money(ready),
        *_of_what_it_takes(ready),
    ]


def _of_the_size(stock: Stock, size: str, location: str) -> Iterable[str]:
    if not stock.offered:
        yield f"{location} has no {size}: another MACHINE_LOCATION may."
        return
    if stock.restrictions:
        why = ", ".join(stock.restrictions)
        yield (
            f"{size} is closed to this subscription in {location} ({why}): ask Azure's "
            "support, or take another MACHINE_LOCATION."
        )
    limits = {stock.family: stock.family_left, "the whole region": stock.region_left}
    for name, left in limits.items():
        if left is not None and left < stock.cores:
            yield (
                f"{size} needs {stock.cores} vCPUs, and the quota of {name} in "
                f"{location} has {left} left: ask for more under Quotas in the portal; "
                "it takes days."
            )


def _of_the_image(image: Image | None, location: str) -> Iterable[str]:
    if image is None:
        return
    if not image.found:
        yield (
            f"{location} has no image {image.name}: `az vm image list --location "
            f"{location} --publisher microsoft-dsvm --offer ubuntu-hpc --all` has its "
            "versions; set MACHINE_IMAGE_VERSION."
        )
    if image.plan:
        yield (
            f"the image {image.name} has a plan, whose terms nobody accepted: `az vm "
            f"image terms accept --urn {image.name}`."
        )
    if image.generation != "V2":
        yield f"the image {image.name} is of generation {image.generation}, not V2."


def _of_the_disk(disk: Disk, location: str) -> Iterable[str]:
    if disk.attached_to:
        yield (
            f"the disk {disk.name} is attached to {disk.attached_to.rpartition('/')[2]}"
            ": delete that machine first; its disk stays."
        )
    if disk.location.lower() != location.lower():
        yield f"the disk {disk.name} is in {disk.location}, not in {location}."
    if disk.system != "Linux":
        yield f"the disk {disk.name} has {disk.system or 'no system'} on it."


def _of_the_switch(ready: Readiness) -> Iterable[str]:
    if not ready.ticks:
        yield (
            "the switch does not tick: without its timer nothing but this command "
            "would end the machine. Deploy it, and look at PUBLIC_URL/healthz."
        )
    if ready.clocks_apart > _APART:
        yield (
            f"this computer's clock is {ready.clocks_apart:.0f} s away from the "
            "switch's: set it first, or no reading is believed."
        )
    if ready.locked:
        yield "an operator locked this machine: unlock it first."
    if ready.lease is not LeaseState.NONE:
        yield f"the ledger says that a lease is {ready.lease}: stop it first."


def _of_the_money(ready: Readiness) -> Iterable[str]:
    cost = f"{ready.cost:.2f} {ready.currency}"
    if not ready.in_period:
        yield "the budget's period (BUDGET_FROM, BUDGET_TO) does not hold all of it."
    if ready.remaining is None:
        yield "what was spent can't be read: `python -m control ledger init` first."
    elif ready.remaining < ready.cost:
        left = f"{max(ready.remaining, Decimal(0)):.2f}"
        yield f"it may cost {cost}, and {left} of the budget is left."


def _of_what_it_takes(ready: Readiness) -> Iterable[str]:
    if ready.missing:
        names = ", ".join(ready.missing)
        yield f"the vaults lack {names}: `python -m control secrets init`."
    if not ready.has_payload:
        yield "the machine would find no payload: `python -m control payload update`."
