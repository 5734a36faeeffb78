"""The whole in simulated time: the real app over ports, Azure, its VMs, and people."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from http import HTTPStatus
from typing import Any
from zoneinfo import ZoneInfo

from control.assembly import Ports, assemble
from control.azure.faults import unanswered
from control.decision import Policy
from control.devices import Devices
from control.ledger import Ledger
from control.memory import MemoryPrices, MemoryTable
from control.model import Budget
from control.rules.money import month_start
from control.switch import Switch
from control.web.app import App
from control.web.http import Request, Response
from control.web.site import Place
from local.azure.estate import Estate
from local.azure.heart import Heard
from local.azure.spec import Spec
from local.azure.vm import Vm
from local.azure.wire import Reply, zulu
from tests.simulation.arm import FrontMachines
from tests.simulation.hazards import Hazards
from tests.simulation.services import Services
from tests.simulation.table import HazardousTable, step
from tests.simulation.tasks import Process, Tasks
from tests.simulation.views import Views
from tests.unit.builders import POLICY, PRICE

NAMES = ("vm-one", "vm-two")
TICK = timedelta(minutes=1)
PATIENCE = 5.0
_USUAL_CALL = 1.2
_BEAT_TIMES = ("armed_until", "cap_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a life begins with."""

    seed: int
    begins: datetime
    days: float
    machines: int = 1
    limit: Decimal = Decimal(4500)
    max_runtime: timedelta = timedelta(hours=4)
    tagged: bool = False

    @property
    def ends(self) -> datetime:
        return self.begins + timedelta(days=self.days)

    @property
    def names(self) -> tuple[str, ...]:
        return NAMES[: self.machines]

    @property
    def policies(self) -> Mapping[str, Policy]:
        """The settings of each machine; they share one budget."""
        budget = Budget(
            limit=self.limit,
            start=month_start(self.begins),
            end=month_start(month_start(self.begins) + timedelta(days=100)),
            standing_per_month=Decimal("49.66"),
        )
        return {name: self._policy(name, budget) for name in self.names}

    def _policy(self, name: str, budget: Budget) -> Policy:
        return replace(
            POLICY,
            machine=name,
            budget=budget,
            max_runtime=self.max_runtime,
            other_machines=tuple(other for other in self.names if other != name),
        )


@dataclass(slots=True)
class Instance:
    """One instance of the app, in a process of its own."""

    process: Process
    switch: Switch
    app: App


class World:
    """What one life is lived in; `Life` moves it through time."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.tasks = Tasks(setting.begins)
        self.hazards = Hazards(setting.seed)
        self.azure = Estate(
            self.tasks,
            machines=[
                Spec(
                    name=name,
                    tags={"controlled-by": "switch"} if setting.tagged else {},
                )
                for name in setting.names
            ],
        )
        self.rows = MemoryTable()
        self.table = HazardousTable(self.rows, self.tasks, self.hazards)
        self.ledger = Ledger(self.rows)
        self.ledger.initialise(Decimal(0), setting.begins)
        self.services = Services(MemoryPrices(PRICE))
        self.services.admit(setting.names)
        self.views = Views(self.azure)
        self.listeners: list[Callable[[str, str, Reply], None]] = []
        self.price_moved = self.notices_away = False
        self.on_reply: Callable[[str, Response], None] = lambda *_: None
        self.on_stop: Callable[[str], None] = lambda _: None
        self.on_ready: Callable[[str], None] = lambda _: None
        self.instances = [self._instance(f"app {number}") for number in (1, 2)]
        for vm in self.azure.vms:
            vm.heart.report_to(partial(self._report, vm))

    def vm(self, number: int) -> Vm:
        """A machine by its number; the first where there are fewer."""
        return self.azure.vms[number % len(self.azure.vms)]

    def name(self, number: int) -> str:
        return self.vm(number).name

    def instance(self, number: int) -> Instance:
        """An instance at work; the platform makes a new one where it died."""
        one = self.instances[number]
        if not one.process.alive:
            one = self.instances[number] = self._instance(one.process.name)
        return one

    def request(
        self,
        route: str,
        device: str,
        body: Mapping[str, Any] | None = None,
        instance: int = 0,
        **query: str,
    ) -> Response | None:
        """Ask the app something over HTTP; None where no answer came."""
        if self.hazards.app_away:
            return None
        if route == "stop":
            self.on_stop(query["machine"])
        one = self.instance(instance)
        method = "GET" if route in {"status", "sessions"} else "POST"
        request = Request(
            method=method,
            query=query,
            headers={"authorization": f"Bearer {device}"},
            body=json.dumps(body).encode() if body is not None else b"",
        )
        answer = self.tasks.ask(partial(one.app.answer, route, request), one.process)
        if answer is not None and "machine" in query:
            self.on_reply(query["machine"], answer)
        return answer

    def tick(self, number: int) -> None:
        """Run the timer in an instance, as the current task."""
        self.instance(number).switch.tick()

    def _instance(self, name: str) -> Instance:
        switch = assemble(self.setting.policies, self._ports())
        place = Place(
            policies=self.setting.policies,
            zone=ZoneInfo("Europe/Paris"),
            chat=dict.fromkeys(self.setting.names),
        )
        app = App(
            switch=switch,
            devices=Devices(self.table),
            tokens=self.services.tokens,
            clock=self.tasks,
            place=place,
        )
        return Instance(process=Process(name), switch=switch, app=app)

    def _ports(self) -> Ports:
        return Ports(
            clock=self.tasks,
            table=self.table,
            machines=FrontMachines(self.azure, self.tasks, self._to_arm),
            prices=self.services.prices,
            notices=self.services.notices,
            reports=self.services.reports,
            runner=self.tasks,
        )

    def _to_arm(self, verb: str, machine: str, act: Callable[[], Reply]) -> Reply:
        """Let a call take its time: Azure takes it half way, and dies half way too."""
        takes = self.hazards.small(self.tasks.now(), verb, _USUAL_CALL)
        takes += self.hazards.arm_takes
        self.tasks.wait(min(takes / 2, PATIENCE))
        step()
        reply = act()
        for heard in self.listeners:
            heard(verb, machine, reply)
        if verb == "read" and self.hazards.views_late:
            at = self.tasks.now() - self.hazards.views_late
            reply = self.views.late(reply, machine, at)
        self.tasks.wait(max(min(takes, PATIENCE) - takes / 2, 0))
        step()
        if takes > PATIENCE:
            raise unanswered("ARM took too long.")
        return reply

    def _report(self, vm: Vm, body: Mapping[str, Any]) -> Heard:
        """Send a heartbeat; the guest's own clock may be wrong, and its watcher's."""
        off = self.hazards.guest_clock.get(vm.name, timedelta(0))
        told = dict(body)
        for name in _BEAT_TIMES:
            if told[name] is not None:
                told[name] = zulu(datetime.fromisoformat(told[name]) + off)
        if told["idle_seconds"] is not None:
            told["idle_seconds"] += self.hazards.guest_idle.get(vm.name, 0)
        answer = self.request("heartbeat", vm.name, told)
        if answer is None:
            return Heard(status=None)
        good = answer.status == HTTPStatus.OK
        if good and body["phase"] == "ready":
            self.on_ready(vm.name)
        return Heard(
            status=answer.status, answer=json.loads(answer.body) if good else None
        )
