"""Draws a life from a seed: the setting, and a plan of all that will happen in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

from tests.simulation import azure, guests, outsiders, people, spells
from tests.simulation.catalogue import HAPPENINGS
from tests.simulation.happening import Event
from tests.simulation.world import Setting

_FIRST = datetime(2026, 11, 20, tzinfo=UTC)
# How many hazards a day, from a quiet life to one where everything fails.
_MOODS = (1.0, 4.0, 12.0, 40.0)
_CHEERFUL = ("used",)
_NEAR = timedelta(hours=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A life before it is lived."""

    setting: Setting
    events: Sequence[Event]


def drawn(seed: int, days: float) -> Plan:
    """Return the plan of a seed; the same seed gives the same plan."""
    chance = Random(seed)
    begins = _FIRST + timedelta(days=chance.randrange(11), hours=chance.randrange(24))
    setting = Setting(
        seed=seed,
        begins=begins,
        days=days,
        machines=chance.choice((1, 1, 2)),
        limit=Decimal(chance.choice((400, 1500, 4500, 20_000))),
        max_runtime=timedelta(hours=chance.choice((1, 4, 4))),
        tagged=chance.random() < 0.3,
    )
    taps = list(_people(chance, setting))
    events = taps + list(_hazards(chance, setting, [tap.at for tap in taps]))
    return Plan(setting=setting, events=sorted(events, key=lambda event: event.at))


def _people(chance: Random, setting: Setting) -> list[Event]:
    events = []
    for _ in range(_count(chance, chance.uniform(0.2, 1.5) * setting.days)):
        at = _some_time(chance, setting)
        machine = chance.randrange(setting.machines)
        first = "start" if chance.random() < 0.95 else "set_up"
        events.append(HAPPENINGS[first].event(first, at, machine, chance))
        for name, share, span in _AFTER_A_START:
            if chance.random() < share:
                then = at + timedelta(minutes=round(chance.uniform(*span), 2))
                events.append(HAPPENINGS[name].event(name, then, machine, chance))
    return events


_AFTER_A_START = (
    ("used", 0.7, (26, 40)),
    ("used", 0.3, (60, 180)),
    ("stop", 0.5, (0.1, 200)),
    ("stop", 0.1, (0.01, 2)),
    ("extend", 0.3, (5, 120)),
    ("page", 0.3, (0, 60)),
    ("start", 0.1, (0.2, 60)),
    ("lock", 0.05, (0, 200)),
    ("ledger", 0.1, (0, 200)),
)


def _hazards(chance: Random, setting: Setting, taps: list[datetime]) -> list[Event]:
    """Let most of them fall where something is going on."""
    count = _count(chance, chance.choice(_MOODS) * setting.days)
    events = []
    for _ in range(count):
        name = chance.choice(chance.choice(_NAMES))
        at = _some_time(chance, setting)
        if taps and chance.random() < 0.8:
            at = chance.choice(taps) + _NEAR * chance.uniform(-0.1, 1)
        machine = chance.randrange(setting.machines)
        events.append(HAPPENINGS[name].event(name, at, machine, chance))
    return events


_NAMES = (
    tuple(azure.HAPPENINGS),
    tuple(azure.HAPPENINGS),
    tuple(spells.HAPPENINGS),
    tuple(outsiders.HAPPENINGS),
    tuple(name for name in guests.HAPPENINGS if name not in _CHEERFUL),
    tuple(people.HAPPENINGS),
)


def _some_time(chance: Random, setting: Setting) -> datetime:
    at = setting.begins + timedelta(days=chance.uniform(0, setting.days))
    return at.replace(microsecond=0) + timedelta(milliseconds=chance.randrange(1000))


def _count(chance: Random, expected: float) -> int:
    whole = int(expected)
    return whole + (chance.random() < expected - whole)
