"""What is to happen to a machine once, so long after it reached a power."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from local.azure.agenda import Agenda, Happen
from local.azure.plan import Power


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """What is to happen once, so long after a power without a break of it."""

    power: Power
    after: timedelta
    do: Happen
    owner: str = field(default_factory=lambda: str(uuid.uuid4()))


class Errands:
    """They count anew when the power is left before their time."""

    def __init__(self, agenda: Agenda) -> None:
        self._agenda = agenda
        self._waiting: list[Once] = []

    def add(
        self, power: Power, after: timedelta, do: Happen, since: datetime | None
    ) -> Callable[[], None]:
        """Take one on; `since` is when the power was reached, None if it is not.

        Returns what forgets it while it has not come to that.
        """
        waiting = Once(power=power, after=after, do=do)
        self._waiting.append(waiting)
        if since is not None:
            self._await(waiting, since)

        def forget() -> None:
            self._agenda.drop(waiting.owner)
            if waiting in self._waiting:
                self._waiting.remove(waiting)

        return forget

    def reached(self, power: Power, at: datetime) -> None:
        """Begin to count for this power, and stop for the one before."""
        for each in self._waiting:
            self._agenda.drop(each.owner)
            if each.power is power:
                self._await(each, at)

    def _await(self, waiting: Once, since: datetime) -> None:
        def happen(at: datetime) -> None:
            self._waiting.remove(waiting)
            waiting.do(at)

        self._agenda.add(since + waiting.after, waiting.owner, happen)
