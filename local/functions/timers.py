"""Runs an app's timers on the host's clock.

As in Azure: one occurrence at a time, missed ones collapse into one, a failure waits
for the next, and only the call that makes up for a stop of the host is past due.
"""

import json
import logging
import threading
from datetime import datetime
from pathlib import Path
from typing import Self

from local.functions.host import FunctionFailed, Host

_POLL_SECONDS = 0.05

_log = logging.getLogger("host.timers")


class Timers:
    """One thread per timer function, from `start` to `stop`."""

    def __init__(self, host: Host, status: Path | None = None) -> None:
        self._host = host
        self._status = status
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._run, args=[name], daemon=True)
            for name in host.timers
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Begin nothing more; a run under way goes on."""
        self._stopped.set()

    def _run(self, name: str) -> None:
        clock, schedule = self._host.clock, self._host.timers[name]
        due = self._next(name)
        if due is not None and clock.now() > due:
            due = self._tick(name, past_due=True)
        elif self._host.trigger(name).get("runOnStartup"):
            due = self._tick(name)
        due = due or self._keep(name, schedule.after(clock.now()))
        while not self._stopped.wait(_POLL_SECONDS):
            if clock.now() >= due:
                due = self._tick(name)

    def _tick(self, name: str, *, past_due: bool = False) -> datetime:
        began = self._host.clock.now()
        try:
            self._host.tick(name, past_due=past_due)
        except FunctionFailed:
            _log.warning("%s failed; its next occurrence is not moved", name)
        return self._keep(name, self._host.timers[name].after(began))

    def _next(self, name: str) -> datetime | None:
        kept = self._read().get(name)
        return datetime.fromisoformat(kept) if kept else None

    def _keep(self, name: str, due: datetime) -> datetime:
        if self._status:
            with self._lock:
                self._status.write_text(
                    json.dumps(self._read() | {name: due.isoformat()})
                )
        return due

    def _read(self) -> dict[str, str]:
        if not self._status or not self._status.exists():
            return {}
        kept: dict[str, str] = json.loads(self._status.read_text())
        return kept
