"""What is due to happen to one machine, in order of its instants."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

type Happen = Callable[[datetime], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """One thing that will happen; `owner` is the operation it belongs to."""

    at: datetime
    owner: str
    stubborn: bool
    happen: Happen


class Agenda:
    """Due things; those of one instant happen in the order they were added."""

    def __init__(self) -> None:
        self._due: list[Due] = []

    @property
    def next_at(self) -> datetime | None:
        return self._due[0].at if self._due else None

    def add(
        self, at: datetime, owner: str, happen: Happen, *, stubborn: bool = False
    ) -> None:
        due = Due(at=at, owner=owner, stubborn=stubborn, happen=happen)
        self._due.append(due)
        self._due.sort(key=lambda each: each.at)

    def drop(self, owner: str) -> None:
        """Forget what an operation had still to do, but for what is stubborn."""
        self._due = [each for each in self._due if each.owner != owner or each.stubborn]

    def settle(self, now: datetime) -> None:
        """Let everything happen that is due, each at its own instant."""
        while self._due and self._due[0].at <= now:
            due = self._due.pop(0)
            due.happen(due.at)
