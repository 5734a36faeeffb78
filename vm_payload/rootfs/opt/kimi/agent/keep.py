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
from agent.lease import Lease, State
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


def run(site: Site) -> NoReturn:
    """Keep the lease, and its cap over reboots."""
    caps = site.lib / "caps.json"
    keeper = Keeper(site.limits, _caps(caps))
    world = _World(site, Control(site))
    lease = Lease(keeper, site.board, world, _say, State.of(site.board))
    notify.ready("keeps the lease")
    while True:
        known = dict(keeper.caps)
        lease.step(boot.uptime())
        if keeper.caps != known:
            _keep(caps, keeper.caps)
        notify.alive()
        threading.Event().wait(_EVERY)


def _keep(place: Path, caps: Mapping[str, float]) -> None:
    """Keep the caps over a reboot; a full disk takes no lease away."""
    try:
        write_json(place, caps)
    except OSError as error:
        _say(f"the cap is not kept over a reboot: {error}")


def _caps(place: Path) -> dict[str, float]:
    said = read_json(place)
    return {name: at for name, at in said.items() if isinstance(at, float)}


def _say(what: str) -> None:
    sys.stdout.write(f"lease: {what}\n")
    sys.stdout.flush()
