"""What the platform may do to the app: to its ledger, its timer, its processes."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from control.memory import MemoryPrices, MemoryReports
from control.model import Report
from control.words import Fault
from tests.simulation.happening import Do, Event, Happening
from tests.simulation.hazards import LedgerFault
from tests.simulation.services import Services
from tests.simulation.world import World
from tests.unit.builders import LOST, PRICE, error

ON, OFF = True, False


def _ledger(fault: LedgerFault, says: str, minutes: tuple[float, float]) -> Happening:
    return Happening(
        says=says,
        begin=lambda world, _: world.hazards.ledger.add(fault),
        end=lambda world, _: world.hazards.ledger.discard(fault),
        minutes=minutes,
    )


def _set(name: str, value: Any) -> Do:
    return lambda world, _: setattr(world.hazards, name, value)


def _spell(
    says: str, name: str, on: Any, off: Any, minutes: tuple[float, float]
) -> Happening:
    return Happening(
        says=says, begin=_set(name, on), end=_set(name, off), minutes=minutes
    )


def _die(world: World, event: Event) -> None:
    """Die at a later step of whatever is at work, or will be."""
    one = world.instances[event.how["instance"]]
    one.process.dies_after = event.how["steps"]


def _notices(world: World, *, lost: bool) -> None:
    world.notices_away = lost
    world.services.notices.recover()
    if lost:
        world.services.notices.fail(LOST, None)


def _away(
    says: str,
    service: Callable[[Services], MemoryPrices | MemoryReports],
    minutes: tuple[float, float],
) -> Happening:
    return Happening(
        says=says,
        begin=lambda world, _: service(world.services).fail(LOST, None),
        end=lambda world, _: service(world.services).recover(),
        minutes=minutes,
    )


def _price(world: World, event: Event) -> None:
    world.services.prices.price = Decimal(event.how["price"])
    world.price_moved = True


def _report(world: World, event: Event) -> None:
    budget = world.setting.policies[world.name(0)].budget
    world.services.reports.report = Report(
        amount=Decimal(event.how["amount"]),
        currency="USD",
        start=budget.start,
        end=budget.end,
        at=event.at,
    )


def _vault_away(world: World, event: Event) -> None:
    world.services.tokens.fail(error(Fault(event.how["fault"])), None)


HAPPENINGS: Mapping[str, Happening] = {
    "ledger_unreachable": _ledger(
        LedgerFault.UNREACHABLE, "the ledger is away", (0.2, 400)
    ),
    "ledger_reads": _ledger(
        LedgerFault.READS, "the ledger can be written and not read", (0.2, 60)
    ),
    "ledger_writes": _ledger(
        LedgerFault.WRITES, "the ledger can be read and not written", (0.2, 120)
    ),
    "ledger_money": _ledger(
        LedgerFault.MONEY, "the rows of the deployment are away", (0.2, 120)
    ),
    "ledger_lost_answers": _ledger(
        LedgerFault.LOST_ANSWERS, "every third answer of the ledger is lost", (1, 120)
    ),
    "ledger_slow": _spell(
        "each call to the ledger takes half a second more",
        "ledger_takes",
        0.5,
        0.0,
        (1, 60),
    ),
    "arm_slow": _spell(
        "each call to ARM takes 3 s more", "arm_takes", 3.0, 0.0, (1, 60)
    ),
    "arm_too_slow": _spell(
        "ARM takes every call and answers after 7 s", "arm_takes", 7.0, 0.0, (0.5, 20)
    ),
    "views_late": _spell(
        "the views of the machines are a minute late",
        "views_late",
        timedelta(minutes=1),
        timedelta(0),
        (5, 200),
    ),
    "ticks_lost": _spell("the timer is frozen", "ticks_lost", ON, OFF, (1, 240)),
    "ticks_late": _spell("every tick is 40 s late", "tick_late", 40.0, 0.0, (5, 60)),
    "ticks_doubled": _spell(
        "every tick runs twice at once", "ticks_at_once", 2, 1, (5, 120)
    ),
    "app_away": _spell("the app is away", "app_away", ON, OFF, (1, 400)),
    "dies": Happening(
        says="instance {instance} of the app dies {steps} steps later",
        begin=_die,
        draw=lambda draw: {
            "instance": draw.choice((0, 0, 1)),
            "steps": draw.randrange(60),
        },
    ),
    "vault_away": Happening(
        says="the vault is away ({fault})",
        begin=_vault_away,
        end=lambda world, _: world.services.tokens.recover(),
        draw=lambda draw: {"fault": draw.choice(("unavailable", "permission"))},
        minutes=(2, 600),
    ),
    "prices_away": _away(
        "the price list is away", lambda services: services.prices, (60, 4000)
    ),
    "price_says": Happening(
        says="the price list says {price}",
        begin=_price,
        end=lambda world, _: setattr(world.services.prices, "price", PRICE),
        draw=lambda draw: {"price": draw.choice(("0", "40", "98.32", "500"))},
        minutes=(60, 4000),
    ),
    "budget_away": _away(
        "Azure's budget figure is away", lambda services: services.reports, (60, 4000)
    ),
    "budget_says": Happening(
        says="Azure's budget says that {amount} is spent",
        begin=_report,
        draw=lambda draw: {"amount": draw.choice(("0", "90", "400", "2500"))},
    ),
    "notices_away": Happening(
        says="notices cannot be sent",
        begin=lambda world, _: _notices(world, lost=True),
        end=lambda world, _: _notices(world, lost=False),
        minutes=(10, 2000),
    ),
}
