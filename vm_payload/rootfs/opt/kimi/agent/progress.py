"""How far a long piece of work is, told once a second to the board and to systemd.

systemd gives a unit a few quiet minutes; each byte that comes buys them anew, so that
what hangs is ended and what moves is not.
"""

import time
from collections import deque
from dataclasses import dataclass, field

from agent import notify
from agent.board import Board

# What a unit may be without progress; its TimeoutStartSec= is the same.
QUIET = 180.0
_WINDOW = 60.0
_GIGABYTE = 10**9
_MINUTE = 60


def told(words: str, done: int, total: int) -> str:
    """Return what a person reads of so many bytes."""
    return f"{words}, {done // _GIGABYTE} of {-(-total // _GIGABYTE)} GB"


@dataclass
class Progress:
    """The bytes of a phase, and how fast they have come in the last minute."""

    board: Board
    phase: str
    total: int
    quiet: float = QUIET
    _seen: deque[tuple[float, int]] = field(default_factory=deque)

    def tell(self, done: int, words: str) -> None:
        """Say that so many bytes are done; `words` say it for a person."""
        now = time.monotonic()
        grown = not self._seen or done > self._seen[-1][1]
        self._seen.append((now, done))
        while now - self._seen[0][0] > _WINDOW:
            self._seen.popleft()
        detail = told(words, done, self.total) + self._left(done)
        if grown:
            notify.needs(self.quiet, detail)
        part = done / self.total if self.total else 1.0
        self.board.phase(self.phase, detail, round(part, 4))

    def _left(self, done: int) -> str:
        """Say how long it will take at the pace of the last minute."""
        (begun, first), (now, _) = self._seen[0], self._seen[-1]
        came = done - first
        if came <= 0 or now <= begun or done >= self.total:
            return ""
        seconds = (self.total - done) * (now - begun) / came
        if seconds < _MINUTE:
            return ", less than a minute left"
        return f", about {round(seconds / _MINUTE)} min left"
