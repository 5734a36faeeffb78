"""A clock that several local processes share and that tests may move or speed up.

It lives in one small file, so that the functions, the local Azure and the virtual VM
read one time whatever process they run in. The deployed app never reads it.
"""

import json
import os
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

type _Setting = tuple[float, float, float]


class SharedClock:
    """Virtual time = base + (real time since it was set) x speed, read from a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    @classmethod
    def create(
        cls, path: Path, start: datetime | None = None, speed: float = 1.0
    ) -> "SharedClock":
        """Make the file: `start` is aware UTC (now if none), `speed` 0 stands still."""
        clock = cls(path)
        real = datetime.now(UTC)
        clock._write((real.timestamp(), (start or real).timestamp(), speed))
        return clock

    def now(self) -> datetime:
        """Return the virtual instant, aware UTC."""
        real, base, speed = self._read()
        elapsed = datetime.now(UTC).timestamp() - real
        return datetime.fromtimestamp(base + elapsed * speed, UTC)

    def wait(self, seconds: float) -> None:
        """Let so many virtual seconds pass; a clock that stands still is not moved.

        The real wait is cut to a second: nobody watches the virtual ones.
        """
        speed = self._read()[2]
        real = min(seconds / speed, 1.0) if speed else 0.01
        threading.Event().wait(real)

    def advance(self, by: timedelta) -> None:
        """Move forward; a clock that goes back would be another test."""
        if by < timedelta(0):
            raise ValueError("this clock only moves forward")
        with self._lock:
            real, base, speed = self._read()
            self._write((real, base + by.total_seconds(), speed))

    def set(self, at: datetime) -> None:
        """Jump forward to an aware instant; the speed stays."""
        self.advance(at - self.now())

    def run_at(self, speed: float) -> None:
        """Go on from now at another speed."""
        with self._lock:
            now = self.now()
            self._write((datetime.now(UTC).timestamp(), now.timestamp(), speed))

    def _read(self) -> _Setting:
        real, base, speed = json.loads(self._path.read_text())
        return real, base, speed

    def _write(self, setting: _Setting) -> None:
        draft = self._path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        draft.write_text(json.dumps(setting))
        draft.replace(self._path)
