"""A ledger in trouble with exactly one write, and a person who presses again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import httpx

from control import keys
from control.ledger import Ledger
from local.azure import Power
from local.tables import TableProxy, batches, reads
from local.tables.calls import Meets
from tests.scenario.conftest import START
from tests.scenario.world import MACHINE, World

type Trouble = Callable[[TableProxy, Meets], None]


def one(name: str, **how: Any) -> Trouble:
    """Let the fault meet one write."""
    return lambda proxy, on: proxy.faults.arm(name, on=on, **how)


def then_silence(name: str) -> Trouble:
    """Let nobody read the lease after it was to be written."""

    def arm(proxy: TableProxy, on: Meets) -> None:
        proxy.faults.arm(name, on=on)
        proxy.faults.arm("reset", on=reads(keys.LEASE), skip=1, times=None)

    return arm


# Which answer means what is tested at the adapter; here is one of each kind, and each
# that people have met.
TROUBLES: Mapping[str, Trouble] = {
    "answer_lost": one("answer_lost"),
    "answer_empty": one("answer_empty"),
    "reset": one("reset"),
    "delayed": one("delayed", seconds=0.2),
    "held_back": one("held_back", seconds=0.2),
    "500": one("operation_timed_out", taken=True),
    "503": one("server_busy"),
    "429": one("too_many_requests"),
    "being_deleted": one("table_being_deleted", inside=True),
    "lost_then_silence": then_silence("answer_lost"),
    "reset_then_silence": then_silence("reset"),
}
HARD = ("answer_lost", "reset", "503", "lost_then_silence", "reset_then_silence")


@dataclass(frozen=True, kw_only=True)
class Evening:
    """A person, the timer, and a ledger in trouble with one write each time."""

    world: World
    proxy: TableProxy
    trouble: Trouble

    def press(self, path: str, body: Any = None) -> httpx.Response:
        """Press while the write is in trouble; once more where we could not tell."""
        who = self.world.operator if "lock" in path else self.world.phone
        answer = self._troubled(partial(who.post, path, body))
        if answer.status_code == 503:
            assert answer.json()["type"] == "/problems/ledger-unverified"
            assert answer.json()["detail"].startswith("Not confirmed")
            answer = who.post(path, body)
        elif answer.json()["problem"] == "ledger-unverified":
            assert path == "/stop"
            assert "again" in answer.json()["summary"]
            answer = who.post(path, body)
        assert answer.status_code in {200, 202}, answer.text
        return answer

    def tick(self) -> None:
        """Let a minute pass into a tick whose write is in trouble."""
        self._troubled(partial(self.world.minutes, 1))

    def _troubled[T](self, act: Callable[[], T]) -> T:
        before = sum(self.proxy.faults.met.values())
        self.trouble(self.proxy, batches(keys.LEASE))
        made = act()
        assert sum(self.proxy.faults.met.values()) > before, "no write met the trouble"
        self.proxy.faults.clear()
        return made

    def events(self) -> list[str]:
        """What the newest session's journal says was decided."""
        session = self.world.sessions()[0]["id"]
        return [line["event"] for line in self.world.journal(session)]


def settled(world: World) -> None:
    """Off, every second in the ledger, and the totals are the sum of the sessions."""
    world.until("off", most=10)
    world.accounted()
    assert world.azure.vm.power is Power.DEALLOCATED
    lines = [line for line in world.sessions() if line["billing_since"]]
    after = START + timedelta(days=60)
    totals = Ledger(world.table).totals(MACHINE, START, after)
    cost = sum(Decimal(line["cost"]) for line in lines)
    assert sum(total.cost for total in totals) == cost
    assert sum(total.sessions for total in totals) == len(lines)
