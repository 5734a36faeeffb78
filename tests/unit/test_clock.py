"""The real clock: aware UTC, and a wait that waits."""

import time
from datetime import UTC, datetime, timedelta

from control.clock import SystemClock


def test_now_is_aware_utc() -> None:
    """And it is now."""
    now = SystemClock().now()
    assert now.tzinfo is UTC
    assert abs(datetime.now(UTC) - now) < timedelta(seconds=5)


def test_wait_lets_time_pass() -> None:
    """A short moment, not none."""
    began = time.monotonic()
    SystemClock().wait(0.05)
    assert time.monotonic() - began >= 0.045
