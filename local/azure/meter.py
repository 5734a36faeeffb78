"""What Azure truly bills for one machine, by its power and to the second."""

from dataclasses import dataclass
from datetime import datetime

from local.azure.plan import BILLED, Power


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """One stretch of billed time; `until` is None while it goes on."""

    since: datetime
    until: datetime | None = None

    def seconds(self, now: datetime) -> float:
        return ((self.until or now) - self.since).total_seconds()


class Meter:
    """The table of everything billed; starting is billed (Azure's page of 2023)."""

    def __init__(self) -> None:
        self._stretches: list[Stretch] = []

    @property
    def stretches(self) -> list[Stretch]:
        return list(self._stretches)

    def read(self, power: Power, at: datetime) -> None:
        """Note the power from `at` on."""
        if power in BILLED and not self._running:
            self._stretches.append(Stretch(since=at))
        elif power not in BILLED and self._running:
            self._stretches[-1] = Stretch(since=self._stretches[-1].since, until=at)

    def seconds(self, now: datetime) -> float:
        return sum(stretch.seconds(now) for stretch in self._stretches)

    @property
    def _running(self) -> bool:
        return bool(self._stretches) and self._stretches[-1].until is None
