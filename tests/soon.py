"""To wait for what comes of itself, and no longer than it may take."""

import threading
import time
from collections.abc import Callable
from typing import Any

_SECONDS = 30.0


def soon(holds: Callable[[], Any], seconds: float = _SECONDS, what: str = "") -> Any:
    """Wait until something holds, and return it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := holds():
            return found
        threading.Event().wait(0.1)
    raise AssertionError(f"not within {seconds:g} s: {what or holds}")
