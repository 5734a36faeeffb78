"""What was found not to hold: it is told to a verdict, for the app swallows errors."""

from dataclasses import dataclass
from datetime import datetime

from control.ports import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """One invariant that did not hold."""

    invariant: str
    text: str
    at: datetime

    def __str__(self) -> str:
        return f"{self.invariant}: {self.text} ({self.at:%d %b %H:%M:%S})"


class Verdict:
    """Keeps the first invariant that broke."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.first: Broken | None = None

    def now(self) -> datetime:
        return self._clock.now()

    def fails(self, invariant: str, text: str) -> None:
        """Say that it does not hold now."""
        if self.first is None:
            self.first = Broken(invariant=invariant, text=text, at=self.now())
