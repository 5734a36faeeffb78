"""A clock that tests move."""

import threading
from datetime import datetime, timedelta

from control.model import ensure_utc


class MemoryClock:
    """A clock that moves forward, and only when told."""

    def __init__(self, at: datetime) -> None:
        self._at = ensure_utc(at)
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """Return the instant it was last moved to."""
        return self._at

    def wait(self, seconds: float) -> None:
        """Move forward by what would have been waited."""
        self.advance(timedelta(seconds=seconds))

    def advance(self, by: timedelta) -> None:
        """Move forward."""
        if by < timedelta(0):
            raise ValueError("this clock only moves forward")
        with self._lock:
            self._at += by

    def set(self, at: datetime) -> None:
        """Move forward to an instant."""
        self.advance(ensure_utc(at) - self._at)
