"""How long a run may take in all: 8 s in an HTTP call, 40 s a machine in a tick.

A single call to Azure or the ledger gets its own limit, or what is left of the run's.
The limit belongs to the thread (or task) that runs; real time, for people wait in it.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

IN_A_CALL = 8.0
IN_A_TICK = 40.0
LEAST = 1.0
_END: ContextVar[float | None] = ContextVar("end", default=None)


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Limit everything inside to so many seconds in all; never more than around it."""
    end, around = time.monotonic() + seconds, _END.get()
    kept = _END.set(end if around is None else min(end, around))
    try:
        yield
    finally:
        _END.reset(kept)


def left(limit: float) -> float:
    """Return the seconds a single call may take: its own limit, or what is left.

    Never less than one: the last call of a run that was kept waiting may well be the
    deallocate.
    """
    end = _END.get()
    if end is None:
        return limit
    return min(limit, max(end - time.monotonic(), LEAST))
