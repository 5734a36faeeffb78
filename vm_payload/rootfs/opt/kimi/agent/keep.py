"""The verb `lease`: watch the deadlines of `lease.py`, each second, for ever."""

import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import NoReturn

from agent import arm, boot, notify
from agent.control import INSTANCE_SECONDS, Control
from agent.files import read_json, write_json
from agent.keeper import Answer, Keeper
from agent.lease import LEASE, Lease, State
from agent.site import Site

_EVERY = 1.0
_ASK_SECONDS = 10.0
# Two questions and a deallocation, all unanswered: its watchdog must wait longer.
LONGEST_STEP = 2 * (_ASK_SECONDS + INSTANCE_SECONDS) + arm.LONGEST


@dataclass(frozen=True)
class _World:
    """The control plane, Azure, and the time of day."""

    site: Site
    control: Control

    def ask(self) -> None:
        self.control.report(_ASK_SECONDS)

    def answer(self) -> tuple[Answer, float] | None:
        return self.control.answer()

    def deallocate(self) -> None:
        arm.deallocate(self.site)

    def wall(self) -> float:
        return time()


class Keeping:
    """The lease at work in this process, and its cap over reboots."""

    def __init__(self, site: Site, by: str = LEASE) -> None:
        self._by = by
        self._caps = site.lib / "caps.json"
        self._keeper = Keeper(site.limits, _read(self._caps))
        world = _World(site, Control(site))
        state = State.of(site.board)
        self._lease = Lease(self._keeper, site.board, world, self._say, state, by)

    def step(self) -> None:
        """Do all that is due now."""
        known = dict(self._keeper.caps)
        self._lease.step(boot.uptime())
        if self._keeper.caps != known:
            self._write(self._keeper.caps)

    def _write(self, caps: Mapping[str, float]) -> None:
        """Keep the caps over a reboot; a full disk takes no lease away."""
        try:
            write_json(self._caps, caps)
        except OSError as error:
            self._say(f"the cap is not kept over a reboot: {error}")

    def _say(self, what: str) -> None:
        sys.stdout.write(f"{self._by}: {what}\n")
        sys.stdout.flush()


def run(site: Site) -> NoReturn:
    """Keep the lease."""
    keeping = Keeping(site)
    notify.ready("keeps the lease")
    while True:
        keeping.step()
        notify.alive()
        threading.Event().wait(_EVERY)


def _read(place: Path) -> dict[str, float]:
    said = read_json(place)
    return {name: at for name, at in said.items() if isinstance(at, float)}
