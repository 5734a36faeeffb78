"""What may happen in a life, as values: an event of a plan, and what it stands for."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

from tests.simulation.world import World

type Do = Callable[[World, "Event"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One happening at its time; `how` are its own parameters."""

    at: datetime
    name: str
    lasts: timedelta = timedelta(0)
    machine: int = 0
    how: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ends(self) -> datetime:
        return self.at + self.lasts


def _nothing(_: Random) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """What an event of a name does; `minutes` is how long a spell of it may last."""

    says: str
    begin: Do
    end: Do | None = None
    draw: Callable[[Random], Mapping[str, Any]] = _nothing
    minutes: tuple[float, float] = (0, 0)

    def event(self, name: str, at: datetime, machine: int, draw: Random) -> Event:
        """Draw one of its kind."""
        lasts = timedelta(minutes=round(draw.uniform(*self.minutes), 1))
        return Event(
            at=at, name=name, lasts=lasts, machine=machine, how=self.draw(draw)
        )


def told(event: Event, happening: Happening) -> str:
    """Say an event in plain words."""
    how = {"machine": f"machine {event.machine + 1}", **event.how}
    text = happening.says.format_map(defaultdict(lambda: "some", how))
    minutes = event.lasts / timedelta(minutes=1)
    span = f" (for {minutes:g} min)" if event.lasts else ""
    return f"{event.at:%d %b %H:%M:%S}  {text}{span}"
