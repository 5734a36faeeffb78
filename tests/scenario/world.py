"""A whole switch for timelines: local Azure, Azurite, the functions over HTTP, people.

Time stands still until a timeline moves it; a minute is a tick of the timer.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import httpx

from control.azure.table import AzureTable
from control.ledger import Ledger
from local.azure import Kind, LocalAzure, Power
from local.azure.phases import USUAL
from local.azurite import Azurite
from local.clock import SharedClock
from local.functions.host import Host

PHONE = "phone-token-0123456789abcdef"
OPERATOR = "operator-token-0123456789abcdef"
VM = "vm-token-0123456789abcdef"
TOKENS = (PHONE, OPERATOR, VM)
MACHINE = "vm-kimi-01"
SHORT = dict.fromkeys(USUAL, timedelta(seconds=10))


def settings(azure: LocalAzure, azurite: Azurite, table: str) -> dict[str, str]:
    """Return the settings of a deployment on loopback, as the app reads them."""
    return azure.environment() | {
        "CONTROL_PLANE_NAME": "switch",
        "NOTIFY_SECRET": "notify-url",
        "PUBLIC_URL": "https://switch.example.com",
        "LEDGER_CONNECTION_STRING": azurite.connection_string,
        "LEDGER_TABLE": table,
        "PRICE_PER_HOUR": "84.80",
        "CURRENCY": "USD",
        "BUDGET_LIMIT": "4500",
        "BUDGET_FROM": "2026-11-01",
        "BUDGET_TO": "2027-02-01",
        "STANDING_COST_PER_MONTH": "49.66",
        "TIME_ZONE": "Europe/Paris",
        "CHAT_URL": "https://chat.example.com",
    }


def build_anew(host: Host, environ: dict[str, str], clock: SharedClock) -> None:
    """Give the app other settings: as good as a cold process for what it remembers."""
    kind = type(host.module.__dict__["root"])
    vars(host.module)["root"] = kind(environ, clock)


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody with a token; every call is a real HTTP request."""

    base: str
    token: str | None = None
    client: httpx.Client = field(repr=False)

    def call(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> httpx.Response:
        """Send a request; `body` is JSON."""
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return self.client.request(
            method, f"{self.base}{path}", json=body, headers=sent | headers
        )

    def post(self, path: str, body: Any = None) -> httpx.Response:
        return self.call("POST", path, {} if body is None else body)

    def get(self, path: str) -> httpx.Response:
        return self.call("GET", path)

    def say(self, path: str) -> str:
        """POST and return the one plain line that a Shortcut would speak."""
        return self.call("POST", path, {}, Accept="text/plain").text

    def status(self) -> dict[str, Any]:
        answer = self.get("/status")
        assert answer.status_code == 200, answer.text
        document: dict[str, Any] = answer.json()
        return document


@dataclass(frozen=True, kw_only=True)
class World:
    """Everything a timeline touches."""

    clock: SharedClock
    azure: LocalAzure
    azurite: Azurite
    host: Host
    base: str
    table: AzureTable
    environ: dict[str, str]
    client: httpx.Client

    @property
    def phone(self) -> Person:
        return self._person(PHONE)

    @property
    def operator(self) -> Person:
        return self._person(OPERATOR)

    @property
    def stranger(self) -> Person:
        return self._person(None)

    def _person(self, token: str | None) -> Person:
        return Person(base=self.base, token=token, client=self.client)

    @property
    def now(self) -> datetime:
        return self.clock.now()

    def build_anew(self, **settings: str) -> None:
        """Start cold, with some settings changed."""
        build_anew(self.host, self.environ | settings, self.clock)

    def tick(self) -> None:
        """Run the timer now."""
        self.host.tick("tick")

    def minutes(self, count: float, *, ticks: bool = True) -> None:
        """Let minutes pass: the VM lives on, and the timer runs each minute."""
        whole, rest = divmod(count * 60, 60)
        for seconds in [60.0] * int(whole) + ([rest] if rest else []):
            self.clock.advance(timedelta(seconds=seconds))
            self.azure.settle()
            if ticks:
                self.tick()

    def hop(self, minutes: float, *, step: float = 10) -> None:
        """Let a long time pass in few runs: none of them is a gap without a run."""
        while minutes > 0:
            self.clock.advance(timedelta(minutes=min(step, minutes)))
            self.azure.settle()
            self.tick()
            minutes -= step

    def sent(self, kind: Kind, caller: str = "app") -> int:
        """Count what Azure was asked for."""
        return len(self.azure.log.of(kind, caller=caller))

    def until(self, state: str, most: int = 60) -> dict[str, Any]:
        """Let minutes pass until the phone reads a state; return that status."""
        for _ in range(most):
            status = self.phone.status()
            if status["state"] == state:
                return status
            self.minutes(1)
        raise AssertionError(f"not {state} after {most} minutes: {status}")

    def told(self, words: str) -> list[str]:
        """Return the notices so far that have these words."""
        bodies = [str(notice.body) for notice in self.azure.sink.notices]
        return [body for body in bodies if words in body]

    def ready(self, **asked: Any) -> dict[str, Any]:
        """Start by the phone and boot in 2 minutes; the guest does not end itself.

        It is in use all the time, so that only the switch takes it away.
        """
        self.azure.vm.behave(takes=SHORT, ends_itself=False)
        answer = self.phone.post("/start", asked)
        assert answer.status_code == 202, answer.text
        status = self.until("ready", most=5)
        self.azure.vm.use(requests_running=1)
        return status

    def rows(self) -> str:
        """Return every row of the ledger as text, to search it."""
        partitions = (MACHINE, "-")
        found = [
            f"{row.partition} {row.key} {dict(row.values)}"
            for partition in partitions
            for row in self.table.scan(partition, " ", "~")
        ]
        return "\n".join(found)

    def sessions(self) -> list[dict[str, Any]]:
        """Return the ledger as the operator reads it, newest first."""
        answer = self.operator.get("/sessions")
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["sessions"]
        return found

    def journal(self, session: str) -> list[dict[str, Any]]:
        """Return what was done to a session, oldest first."""
        answer = self.operator.get(f"/sessions/{session}")
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["journal"]
        return found

    def accounted(self) -> None:
        """All is off and closed; each billed second is in a session and the totals."""
        assert self.phone.status()["state"] == "off"
        lines = self.sessions()
        assert all(line["ended_at"] for line in lines)
        assert self.azure.vm.power is Power.DEALLOCATED
        billed = sum(line["billed_seconds"] for line in lines)
        assert billed >= self.azure.vm.billed_seconds() - 1
        year = timedelta(days=365)
        totals = Ledger(self.table).totals(MACHINE, self.now - year, self.now + year)
        cost = sum(Decimal(line["cost"]) for line in lines)
        assert sum(total.cost for total in totals) == cost
