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
    """The table of everything billed; starting is billed (Azure's page of 2023).

    `billed` and `least`, in seconds for each stretch, are as other readings have it.
    """

    def __init__(self) -> None:
        self.billed = BILLED
        self.least = 0.0
        self._stretches: list[Stretch] = []

    @property
    def stretches(self) -> list[Stretch]:
        return list(self._stretches)

    def read(self, power: Power, at: datetime) -> None:
        """Note the power from `at` on."""
        billed = power in self.billed
        if billed and not self._running:
            self._stretches.append(Stretch(since=at))
        elif not billed and self._running:
            self._stretches[-1] = Stretch(since=self._stretches[-1].since, until=at)

    def seconds(self, now: datetime) -> float:
        return sum(max(self.least, each.seconds(now)) for each in self._stretches)

    @property
    def _running(self) -> bool:
        return bool(self._stretches) and self._stretches[-1].until is None
