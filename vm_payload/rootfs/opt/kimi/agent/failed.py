"""The verb `failed`: a unit of the boot has given up; say so, and see that it ends.

`OnFailure=` starts it with the unit's name. The lease keeper ends a boot that is late;
where it is not at work itself, this verb does it in its stead. While the model answers,
a unit that gives up is told of, and nothing else.
"""

import sys
import threading
from contextlib import suppress

from agent import arm, boot, trouble
from agent.board import PHASE
from agent.errors import AgentError
from agent.lease import AGAIN, LEASE, RELEASE, SILENT, kept_at
from agent.site import Site

_MINUTE = 60.0


def run(site: Site) -> str:
    """Report `broken`, and past the boot deadline release: every minute, for ever."""
    board = site.board
    said = trouble.give_up(board, site["KIMI_UNIT"])
    if board.get(PHASE).get("phase") == "ready":
        return said
    while ending := _ending(site):
        with suppress(OSError):
            board.put(RELEASE, {"ending": ending})
        if boot.uptime() - kept_at(board) >= SILENT:
            _deallocate(site)
        threading.Event().wait(AGAIN)
    return said


def _ending(site: Site) -> str | None:
    """Say how this boot ends where it is late; None where it is not."""
    lease = site.board.get(LEASE)
    usual = site.limits.ready_deadline_minutes * _MINUTE
    deadline = lease.get("boot_deadline", usual)
    if deadline is not None and not isinstance(deadline, int | float):
        deadline = usual
    if deadline is None or boot.uptime() < deadline:
        return None
    return "broken" if lease.get("was_ready") is True else "never_ready"


def _deallocate(site: Site) -> None:
    try:
        arm.deallocate(site)
    except Exception as error:  # noqa: BLE001 - it is asked again in a minute
        told = error if isinstance(error, AgentError) else type(error).__name__
        sys.stdout.write(f"failed: {told}\n")
        sys.stdout.flush()
