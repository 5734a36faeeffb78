"""What systemd is told: that a unit is up, that it lives, that it needs more time.

https://www.freedesktop.org/software/systemd/man/sd_notify.html
"""

import contextlib
import os
import socket

_MICROSECONDS = 1_000_000


def ready(status: str) -> None:
    """Say that the unit is up."""
    _send(f"READY=1\nSTATUS={status}")


def alive() -> None:
    """Say that it lives (`WatchdogSec=`)."""
    _send("WATCHDOG=1")


def needs(seconds: float, status: str) -> None:
    """Ask for so many seconds from now on (`TimeoutStartSec=` is what it had)."""
    _send(f"EXTEND_TIMEOUT_USEC={int(seconds * _MICROSECONDS)}\nSTATUS={status}")


def _send(state: str) -> None:
    path = os.environ.get("NOTIFY_SOCKET")
    if not path:
        return
    address = "\0" + path[1:] if path.startswith("@") else path
    kind = socket.SOCK_DGRAM | socket.SOCK_CLOEXEC
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, kind) as out:
        out.connect(address)
        out.send(state.encode())
