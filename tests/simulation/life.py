"""A life of the deployment from its first minute to its last, event after event."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from control.model import Lease, Session
from local.azure.vm import Vm
from local.azure.wire import Reply
from tests.simulation.accounts import Account, Accounts
from tests.simulation.catalogue import HAPPENINGS
from tests.simulation.chance import Plan
from tests.simulation.ends import Ends
from tests.simulation.happening import Event, told
from tests.simulation.hazards import Hazards
from tests.simulation.pressing import Pressing, Worst
from tests.simulation.quiet import Quiet
from tests.simulation.rows import Rows
from tests.simulation.sayings import Sayings
from tests.simulation.services import OPERATOR
from tests.simulation.truth import Truth
from tests.simulation.verdict import Broken, Verdict
from tests.simulation.world import TICK, World

# When all is well again: to stop what runs, and for the last late start to come.
_LAST_HOURS = timedelta(hours=3)
_LAST_STOP = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a life came to; `log` is the same for the same plan."""

    plan: Plan
    broken: Broken | None
    log: tuple[str, ...]
    ticks: int
    skipped: int
    injected: Mapping[str, int]
    account: Account | None
    worst: Worst


class Life:
    """Moves a world through time: ticks, guests, and whatever was planned."""

    def __init__(self, plan: Plan, *, skips: bool = True) -> None:
        self._plan = plan
        self._skips = skips
        self.world = World(plan.setting)
        self.verdict = Verdict(self.world.tasks)
        self.truth = Truth(self.world)
        self.rows = Rows(self.verdict)
        self.ends = Ends(self.world, self.truth, self.rows, self.verdict)
        self._on: list[str] = []
        self.pressing = Pressing(
            self.world, self.truth, self.rows, self.verdict, self._present
        )
        self.sayings = Sayings(self.world, self.truth, self.rows, self.verdict)
        self.quiet = Quiet(self.world, self.rows.leases)
        self.rows.listeners += [
            self.ends.changed,
            self.sayings.changed,
            self._lease_changed,
        ]
        self.rows.on_write = self.quiet.wrote
        self.world.table.witness = self.rows
        self.world.listeners += [
            self.sayings.called,
            self.pressing.called,
            self._called,
        ]
        self.world.on_reply = self.sayings.answered
        self.world.on_stop = self.ends.tapped
        self.world.on_ready = self._heard_ready
        self.log: list[str] = []
        self.injected: dict[str, int] = {}
        self.ticks = self.skipped = 0
        self._ends = plan.setting.ends
        self._next_tick = plan.setting.begins + TICK
        self._busy: set[str] = set()

    def run(self) -> Result:
        """Live until the end, or until an invariant breaks."""
        before = logging.root.manager.disable
        logging.disable(logging.CRITICAL)
        try:
            return self._run()
        finally:
            logging.disable(before)

    def _run(self) -> Result:
        for event in self._plan.events:
            if event.at < self._ends:
                self.world.tasks.at(event.at, partial(self._begin, event))
        self._live(self._ends)
        if self.verdict.first is None:
            self._wind_down()
        account = None
        if self.verdict.first is None:
            account = Accounts(self.world, self.truth, self.rows, self.verdict).settle()
        return Result(
            plan=self._plan,
            broken=self.verdict.first,
            log=tuple(self.log),
            ticks=self.ticks,
            skipped=self.skipped,
            injected=self.injected,
            account=account,
            worst=self.pressing.worst,
        )

    def _wind_down(self) -> None:
        """All is well again, somebody stops everything, and nobody starts any more."""
        world = self.world
        for event in self._plan.events:
            happening = HAPPENINGS[event.name]
            if event.at < self._ends < event.ends and happening.end:
                happening.end(world, event)
        world.azure.faults.clear()
        fresh = Hazards(self._plan.setting.seed)
        for name in Hazards.__slots__:
            setattr(world.hazards, name, getattr(fresh, name))
        self._on.clear()
        end = world.tasks.now() + _LAST_HOURS
        at = world.tasks.now()
        while at < end:
            for vm in world.azure.vms:
                world.tasks.at(at, partial(self._stop, vm.name))
            at += _LAST_STOP
        self._live(end)

    def _stop(self, machine: str) -> None:
        self.world.request("stop", OPERATOR, machine=machine)

    def _live(self, until: datetime) -> None:
        while self.world.tasks.now() < until and self.verdict.first is None:
            self._step(until)

    def _step(self, until: datetime) -> None:
        tasks = self.world.tasks
        self._skip(until)
        others = [self._next_tick, until, *map(self._due, self.world.azure.vms)]
        tasks.horizon = min(due for due in others if due is not None)
        at = max(min(tasks.horizon, tasks.next_at or until), tasks.now())
        tasks.pass_to(min(at, until))
        self._look(tasks.now())
        tasks.settle(tasks.now())
        now = tasks.now()
        if now >= self._next_tick:
            self._next_tick += TICK
            self._tick(now)
        for vm in self.world.azure.vms:
            due = self._due(vm)
            if due is not None and due <= now:
                self._busy.add(vm.name)
                tasks.at(now, partial(self._settle, vm))

    def _skip(self, until: datetime) -> None:
        """Leave out ticks that are proven to change nothing."""
        quiet_until = self.quiet.until(until) if self._skips else None
        if quiet_until is None:
            return
        count = (quiet_until - self._next_tick) // TICK
        if count > 0:
            self.quiet.skip(count * TICK)
            self._next_tick += count * TICK
            self.skipped += count

    def _look(self, now: datetime) -> None:
        for vm in self.world.azure.vms:
            vm.machine.settle(now)
        self.world.views.note(now)
        passed = self.truth.look()
        self.pressing.look(passed)
        self.sayings.look(passed)

    def _due(self, vm: Vm) -> datetime | None:
        return None if vm.name in self._busy else vm.heart.next_at

    def _settle(self, vm: Vm) -> None:
        try:
            vm.settle()
        finally:
            self._busy.discard(vm.name)

    def _tick(self, now: datetime) -> None:
        hazards = self.world.hazards
        if hazards.ticks_lost or hazards.app_away:
            return
        self.quiet.ticked()
        for number in range(hazards.ticks_at_once):
            self.ticks += 1
            process = self.world.instance(number).process
            late = timedelta(seconds=hazards.tick_late)
            self.world.tasks.at(now + late, partial(self.world.tick, number), process)

    def _begin(self, event: Event) -> None:
        happening = HAPPENINGS[event.name]
        self.log.append(told(event, happening))
        self.injected[event.name] = self.injected.get(event.name, 0) + 1
        if event.name == "dies":
            self.pressing.died()
        happening.begin(self.world, event)
        self._on.append(event.name)
        if event.lasts:
            self.world.tasks.at(event.ends, partial(self._end, event))
        else:
            later = event.at + timedelta(minutes=5)
            self.world.tasks.at(later, partial(self._forget, event))

    def _end(self, event: Event) -> None:
        self._forget(event)
        end = HAPPENINGS[event.name].end
        if end is not None and event.ends <= self._ends:
            end(self.world, event)

    def _forget(self, event: Event) -> None:
        if event.name in self._on:
            self._on.remove(event.name)

    def _present(self) -> tuple[str, ...]:
        return tuple(sorted(set(self._on)))

    def _say(self, text: str) -> None:
        self.log.append(f"{self.world.tasks.now():%d %b %H:%M:%S}    {text}")

    def _called(self, verb: str, machine: str, reply: Reply) -> None:
        if verb in {"start", "deallocate"}:
            self._say(f"Azure is told to {verb} {machine}, and says {reply.status}")

    def _lease_changed(
        self, before: Lease, after: Lease, sessions: Mapping[str, Session]
    ) -> None:
        ended = sessions.get(before.session_id or "")
        if before.session_id != after.session_id and ended is not None:
            seconds, cost = ended.billed_seconds, ended.cost
            why = f"{ended.stop_reason}: {seconds} s, {cost} USD"
            self._say(f"the session of {after.machine} is closed as {why}")
        if before.state is not after.state:
            release = after.release
            why = f" ({release.reason} by {release.by})" if release else ""
            self._say(f"the lease of {after.machine} is {after.state}{why}")

    def _heard_ready(self, name: str) -> None:
        self.truth.of[name].heard_ready_at = self.world.tasks.now()
