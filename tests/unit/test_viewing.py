"""The view of a machine: what people ask beside the lease."""

from dataclasses import replace
from decimal import Decimal

import pytest

from control.model import Provisioning
from control.words import Limit, Power, PriceSource
from tests.unit.builders import (
    ASKED_AT,
    HOUR,
    MINUTE,
    POLICY,
    PRICE,
    VM,
    provisioning,
    world,
)


def test_an_offer_is_what_a_start_would_get() -> None:
    """With the longest possible and what the usual costs at most."""
    of = world()
    of.switch.tick()
    offer = of.view().offer
    assert offer is not None
    assert offer.expires_at == ASKED_AT + 2 * HOUR
    assert (offer.limited_by, offer.max_hours) == (Limit.ASKED, Decimal(4))
    assert offer.max_cost == Decimal("169.60")
    assert (offer.price_per_hour, offer.price_source) == (PRICE, PriceSource.RETAIL)
    assert offer.refused is None


def test_an_offer_knows_the_callers_own_limit() -> None:
    """The device's hours bind it."""
    offer = world().switch.status(VM, Decimal("0.5")).offer
    assert offer is not None
    assert (offer.limited_by, offer.max_hours) == (Limit.DEVICE, Decimal("0.5"))
    assert offer.max_cost == Decimal("42.40")


def test_an_offer_says_why_it_would_be_refused() -> None:
    """Also for too many starts."""
    of = world(max_starts_per_hour=1)
    assert of.view().offer is not None
    of.running()
    held = of.view().offer
    assert held is not None
    assert held.refused is None
    of.switch.stop(VM, "iphone")
    going = of.view().offer
    assert going is not None
    assert going.refused == "stopping"
    of.off()
    of.pass_by(1)
    off = of.view().offer
    assert off is not None
    assert off.refused == "too-many-starts"


def test_d04_an_unknown_spend_offers_nothing() -> None:
    """And says what is not verified."""
    view = world(carried=None).view()
    assert view.offer is None
    assert view.spend is None
    assert view.problems == ("ledger-unverified",)


def test_an_offer_is_never_below_zero() -> None:
    """With nothing left there is nothing to offer."""
    of = world(budget=replace(POLICY.budget, limit=Decimal(1)))
    offer = of.view().offer
    assert offer is not None
    assert (offer.max_hours, offer.refused) == (Decimal(0), "budget-exhausted")


def test_an_open_session_shows_its_cost_and_how_far_it_may_go() -> None:
    """For a caller with hours of his own too."""
    of = world()
    of.running()
    of.clock.set(ASKED_AT + 30 * MINUTE)
    of.switch.tick()
    view = of.switch.status(VM, Decimal(3))
    assert view.cost == Decimal("42.40")
    assert view.extendable_until == ASKED_AT + 3 * HOUR
    assert view.last is None
    assert view.tick_at == of.now()
    assert view.reason


def test_without_a_session_the_last_one_is_shown() -> None:
    """And none where there was none."""
    of = world()
    assert of.view().last is None
    of.running()
    of.off()
    of.pass_by(1)
    view = of.view()
    assert view.session is None
    assert view.extendable_until is None
    assert view.cost is None
    assert view.last == of.closed()


@pytest.mark.parametrize(
    ("power", "entry", "problem"),
    [
        (Power.UNKNOWN, None, "azure-unavailable"),
        (Power.RUNNING, provisioning("failed"), "provisioning-failed"),
        (Power.DEALLOCATED, provisioning("failed"), None),
        (Power.RUNNING, provisioning(), None),
    ],
)
def test_a09_what_is_wrong_is_named(
    power: Power, entry: Provisioning | None, problem: str | None
) -> None:
    """A provisioning problem beside a machine that bills, not one that is off."""
    of = world()
    of.machines.set(VM, power, provisioning=entry)
    assert of.view().problems == ((problem,) if problem else ())


def test_a_last_session_that_cannot_be_read_is_left_out() -> None:
    """The status is answered all the same."""
    of = world()
    of.running()
    of.off()
    of.pass_by(1)
    key = next(iter(of.ledger.sessions(VM)))[0]
    of.table.put(VM, key, {"id": "x"})
    assert of.view().last is None
