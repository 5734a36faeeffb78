"""When the timer last ran, for those who ask often."""

import threading
from datetime import datetime, timedelta

from control.errors import LedgerError
from control.ports import Clock
from control.web.site import SwitchLike

KEPT_FOR = timedelta(seconds=10)


class LastTick:
    """When the timer last ran: one row, read at most every 10 seconds."""

    def __init__(self, switch: SwitchLike, clock: Clock) -> None:
        self._switch = switch
        self._clock = clock
        self._kept: tuple[datetime, datetime | None] | None = None
        self._lock = threading.Lock()

    def at(self) -> datetime | None:
        """Return its instant; None when there is none, or no ledger."""
        with self._lock:
            now = self._clock.now()
            if self._kept is None or now - self._kept[0] >= KEPT_FOR:
                self._kept = now, self._read()
            return self._kept[1]

    def _read(self) -> datetime | None:
        try:
            tick = self._switch.last_tick()
        except LedgerError:
            return None
        return tick.at if tick else None
