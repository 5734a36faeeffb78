"""`GET /healthz`: whether the timer runs; any uptime monitor is a dead man's switch."""

import threading
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING

from control.errors import LedgerError
from control.ports import Clock
from control.version import VERSION
from control.web.http import Response
from control.web.problems import Problem
from control.web.site import SwitchLike
from control.web.states import STALE_TICK

if TYPE_CHECKING:
    from control.web.call import Call

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


def show(call: "Call") -> Response:
    """Answer 200, or 503 when the last tick is older than 3 minutes."""
    at, now = call.tools.last_tick.at(), call.now
    age = max(now - at, timedelta(0)) if at is not None else None
    ok = age is not None and age <= STALE_TICK
    seconds = int(age.total_seconds()) if age is not None else None
    document = {"ok": ok, "version": VERSION, "last_tick_age_s": seconds}
    if ok:
        said = f"Healthy. The timer ran {seconds} seconds ago."
        return call.answer(HTTPStatus.OK, document, said)
    ago = "is not known" if seconds is None else f"was {seconds} seconds ago"
    return Problem(
        slug="timer-stale",
        detail=f"Not healthy: the timer's last run {ago}.",
        retry_after=60,
        fields=document,
    ).response(call.request)
