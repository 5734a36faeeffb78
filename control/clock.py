"""The real time."""

import threading
from datetime import UTC, datetime


class SystemClock:
    """`ports.Clock` on the machine's own clock."""

    def now(self) -> datetime:
        """Return the instant, aware UTC."""
        return datetime.now(UTC)

    def wait(self, seconds: float) -> None:
        """Let so many seconds pass."""
        threading.Event().wait(seconds)
