"""This boot: its id, and its clock, which nobody sets and which never jumps."""

import time
from pathlib import Path

_ID = Path("/proc/sys/kernel/random/boot_id")


def identity() -> str:
    """Return the kernel's random id of this boot."""
    return _ID.read_text().strip()


def uptime() -> float:
    """Return the seconds since boot, the same for every process."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
