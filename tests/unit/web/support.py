"""A web app over a switch double and the real rules for tokens, for its tests."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from control.decision import Ask, Policy
from control.devices import Devices
from control.errors import ControlError
from control.journal import JournalEntry
from control.memory import MemoryClock, MemoryTable, MemoryTokens
from control.model import (
    Budget,
    Heartbeat,
    Lease,
    Observed,
    Provisioning,
    Reading,
    Session,
    Spend,
)
from control.ports import Scope
from control.records import Pass
from control.requests import Refusal
from control.views import Answer, Offer, Reply, SessionFilter, SessionPage, View
from control.web.app import App
from control.web.http import Request, Response
from control.web.site import Place
from control.words import LeaseState, Limit, Phase, Power, PriceSource, Purpose

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
VM = "vm-1"
PHONE, OPERATOR, MACHINE = "phone-secret", "operator-secret", "machine-secret"
CHATS: Mapping[str, str | None] = MappingProxyType({VM: "https://chat.example.com"})
PARIS = ZoneInfo("Europe/Paris")
BUDGET = Budget(
    limit=Decimal(4500),
    start=datetime(2026, 11, 1, tzinfo=UTC),
    end=datetime(2027, 2, 1, tzinfo=UTC),
    standing_per_month=Decimal("33.76"),
)


def policy(machine: str = VM, **changes: Any) -> Policy:
    """Return a policy of the default settings."""
    made = Policy(
        machine=machine,
        control_plane="switch",
        price_per_hour=Decimal("84.80"),
        currency="USD",
        budget=BUDGET,
        default_asked=timedelta(hours=2),
        max_runtime=timedelta(hours=4),
        expected_ready=timedelta(minutes=30),
        ready_deadline=timedelta(minutes=75),
        idle=timedelta(minutes=20),
        capacity_retry=timedelta(minutes=30),
        max_starts_per_hour=6,
    )
    return replace(made, **changes)


def place(
    policies: Mapping[str, Policy] | None = None,
    chat: Mapping[str, str | None] = CHATS,
) -> Place:
    """Return the settings that answers hang on; the first machine has a chat."""
    return Place(policies=policies or {VM: policy()}, zone=PARIS, chat=chat)


def seen(power: Power, **changes: Any) -> Observed:
    """Return what an observation adds up to: this power for ten minutes."""
    since = NOW - timedelta(minutes=10)
    made = Observed(
        reading=Reading(
            began_at=NOW,
            power=power,
            provisioning=Provisioning(state="succeeded", at=since),
        ),
        power=power,
        power_since=since,
        known=None if power is Power.UNKNOWN else power,
        last_run_at=NOW,
    )
    return replace(made, **changes)


def session(**changes: Any) -> Session:
    """Return a session that was asked for 48 minutes ago."""
    made = Session(
        id="01JDTRZ7Q0000000000000000A",
        machine=VM,
        started_by="iphone",
        requested_at=NOW - timedelta(minutes=48),
        price_per_hour=Decimal("84.80"),
        price_source=PriceSource.RETAIL,
        currency="USD",
        billing_since=NOW - timedelta(minutes=48),
        provisional=False,
    )
    return replace(made, **changes)


def beat(phase: Phase, **changes: Any) -> Heartbeat:
    """Return a heartbeat of half a minute ago."""
    made = Heartbeat(
        received_at=NOW - timedelta(seconds=30),
        machine=VM,
        boot_id="boot-1",
        phase=phase,
        progress=0.45,
    )
    return replace(made, **changes)


def off(**changes: Any) -> View:
    """Return the view of a machine that is off and could be started."""
    offer = Offer(
        expires_at=NOW + timedelta(hours=2),
        limited_by=Limit.ASKED,
        max_hours=Decimal(4),
        max_limited_by=Limit.MAX_RUNTIME,
        max_cost=Decimal("169.60"),
        price_per_hour=Decimal("84.80"),
        price_source=PriceSource.RETAIL,
    )
    spend = Spend(
        spent=Decimal("1201.33"),
        standing_to_come=Decimal("101.28"),
        remaining=Decimal("3197.39"),
        rate=Decimal(0),
    )
    made = View(
        now=NOW,
        policy=policy(),
        lease=Lease(machine=VM),
        seen=seen(Power.DEALLOCATED),
        spend=spend,
        offer=offer,
        tick_at=NOW - timedelta(seconds=40),
    )
    return replace(made, **changes)


def held(power: Power = Power.RUNNING, **changes: Any) -> View:
    """Return the view of a machine that holds a lease for 72 minutes more."""
    lease = Lease(
        machine=VM,
        state=LeaseState.HELD,
        session_id=session().id,
        expires_at=NOW + timedelta(minutes=72),
        limited_by=Limit.ASKED,
        device="iphone",
        ran=power is Power.RUNNING,
    )
    whole: dict[str, Any] = {
        "lease": lease,
        "session": session(),
        "seen": seen(power),
        "cost": Decimal("101.76"),
        "extendable_until": NOW + timedelta(hours=3, minutes=12),
    }
    return off(**(whole | changes))


@dataclass
class Double:
    """A switch that remembers what it was asked and answers what it was told to."""

    views: dict[str, View] = field(default_factory=lambda: {VM: off()})
    asked: list[tuple[Any, ...]] = field(default_factory=list)
    answer: Answer | None = None
    refusal: Refusal | None = None
    page: SessionPage = field(default_factory=lambda: SessionPage(sessions=()))
    found: tuple[Session, tuple[JournalEntry, ...]] | None = None
    ticked: Pass | None = None
    failing: BaseException | None = None
    failing_for: str | None = None
    tick_reads: int = 0

    @property
    def machines(self) -> tuple[str, ...]:
        return tuple(self.views)

    def _note(self, *call: Any) -> None:
        self.asked.append(call)
        if self.failing is not None and self.failing_for in {None, call[1]}:
            raise self.failing

    def _answer(self, machine: str) -> Answer:
        made = self.answer or Answer(view=self.views[machine])
        return replace(made, refusal=self.refusal)

    def start(self, machine: str, ask: Ask) -> Answer:
        self._note("start", machine, ask)
        return self._answer(machine)

    def stop(self, machine: str, by: str) -> Answer:
        self._note("stop", machine, by)
        return replace(self.answer or Answer(view=self.views[machine]))

    def extend(
        self, machine: str, minutes: Decimal, device: str, max_hours: Decimal | None
    ) -> Answer:
        self._note("extend", machine, minutes, device, max_hours)
        return self._answer(machine)

    def lock(self, machine: str, by: str, *, locked: bool) -> Answer:
        self._note("lock", machine, by, locked)
        return self._answer(machine)

    def status(self, machine: str, max_hours: Decimal | None = None) -> View:
        self._note("status", machine, max_hours)
        return self.views[machine]

    def heartbeat(self, beat: Heartbeat) -> Reply:
        self._note("heartbeat", beat.machine, beat)
        return Reply(
            now=NOW,
            session_id="01JDTRZ7Q0000000000000000A",
            expires_at=NOW + timedelta(hours=1),
            drain=False,
            purpose=Purpose.WORK,
            policy=policy(),
        )

    def sessions(self, machine: str, wanted: SessionFilter) -> SessionPage:
        self._note("sessions", machine, wanted)
        return self.page

    def session(
        self, machine: str, session_id: str
    ) -> tuple[Session, tuple[JournalEntry, ...]] | None:
        self._note("session", machine, session_id)
        return self.found

    def last_tick(self) -> Pass | None:
        self.tick_reads += 1
        if isinstance(self.failing, ControlError):
            raise self.failing
        return self.ticked


class Site:
    """An app with a phone, an operator and a machine in its vault."""

    def __init__(self, *machines: str) -> None:
        names = machines or (VM,)
        self.clock = MemoryClock(NOW)
        self.table = MemoryTable()
        self.devices = Devices(self.table)
        self.tokens = MemoryTokens()
        self.tokens.add("iphone", PHONE, Scope.PHONE, max_hours=Decimal(3))
        self.tokens.add("laptop", OPERATOR, Scope.OPERATOR)
        self.tokens.add("vm-vm-1", MACHINE, Scope.VM, machine=VM)
        self.policies = {name: policy(name) for name in names}
        self.switch = Double(
            views={name: off(policy=one) for name, one in self.policies.items()}
        )
        self.app = self.cold()

    def cold(self) -> App:
        """Return an app as in a new process, on the same vault and ledger."""
        return App(
            switch=self.switch,
            devices=self.devices,
            tokens=self.tokens,
            clock=self.clock,
            place=place(self.policies),
        )

    def call(
        self,
        name: str,
        method: str = "POST",
        *,
        token: str | None = PHONE,
        body: Any = None,
        query: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
        **headers: str,
    ) -> Response:
        """Send one request to the route of this name."""
        sent = {key.replace("_", "-"): value for key, value in headers.items()}
        if token is not None:
            sent["authorization"] = f"Bearer {token}"
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = Request(
            method=method,
            query=query or {},
            headers=sent,
            params=params or {},
            body=b"" if body is None else raw,
        )
        return self.app.answer(name, request)

    def get(self, name: str, **more: Any) -> Response:
        return self.call(name, "GET", **more)


def document(response: Response) -> dict[str, Any]:
    """Return the JSON of an answer."""
    made: dict[str, Any] = json.loads(response.body)
    return made


def slug(response: Response) -> str:
    """Return the slug of a problem document, after a look at its form."""
    made = document(response)
    assert response.headers["Content-Type"] == "application/problem+json"
    assert made["status"] == response.status
    assert made["title"]
    assert made["detail"]
    return str(made["type"]).removeprefix("/problems/")
