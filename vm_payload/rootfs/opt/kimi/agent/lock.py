"""One run of a verb at a time."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.errors import AgentError


@contextmanager
def alone(lock: Path, what: str) -> Iterator[None]:
    """Hold a lock file within the block.

    Raises:
        AgentError: another run holds it.
    """
    with lock.open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise AgentError(f"another run is at work on the {what}.") from None
        yield
