"""The meter stops: whatever must end is told to, every minute, by whoever is able to.

How long a machine has been pressing is counted while an enforcer could act: it bills
and should not, nobody told Azure since, and Azure is not at it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from control.model import Lease
from control.rules import money
from control.words import LeaseState
from local.azure.vm import Vm
from local.azure.wire import Reply
from tests.simulation.hazards import LedgerFault
from tests.simulation.judge import Judge
from tests.simulation.rows import Rows
from tests.simulation.truth import Truth
from tests.simulation.verdict import Verdict
from tests.simulation.world import World
from tests.unit.builders import PRICE

# One tick, a person's deallocate of moments ago (50 s), and the calls themselves.
ONE_TICK = timedelta(seconds=60)
CALLS = timedelta(seconds=40)
PACE = timedelta(seconds=50)
WITHIN = ONE_TICK + PACE + CALLS
_UNREADABLE = frozenset({LedgerFault.UNREACHABLE, LedgerFault.READS})
# What the VM needs to end itself: its last answer at the end, and to drain.
KEEPER = timedelta(seconds=150)


@dataclass(slots=True)
class Count:
    """How long it presses, and how long it bills without a lease."""

    pressing: timedelta = timedelta(0)
    unleased: timedelta = timedelta(0)
    keeping: timedelta = timedelta(0)
    leased: timedelta = timedelta(0)
    due_at: datetime | None = None
    during: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Worst:
    """The longest that a machine billed after its end, and what was on then."""

    seconds: float = 0.0
    during: tuple[str, ...] = ()


class Pressing(Judge):
    """Counts for every machine; told of each call that reached Azure."""

    def __init__(
        self,
        world: World,
        truth: Truth,
        rows: Rows,
        verdict: Verdict,
        on: Callable[[], tuple[str, ...]],
    ) -> None:
        super().__init__(world, truth, rows, verdict)
        self._on = on
        self._counts = {vm.name: Count() for vm in world.azure.vms}
        self.worst = Worst()

    def called(self, verb: str, machine: str, _: Reply) -> None:
        """An attempt was made, whatever Azure said to it."""
        if verb == "deallocate":
            self._counts[machine].pressing = timedelta(0)

    def died(self) -> None:
        """What a process left undone is the next tick's: it has its own minute."""
        for count in self._counts.values():
            count.pressing = count.unleased = timedelta(0)

    def look(self, passed: timedelta) -> None:
        """Count on; some invariants break when a count is too high."""
        for vm in self._world.azure.vms:
            count, lease = self._counts[vm.name], self._rows.lease(vm.name)
            bills = self._truth.billing(vm)
            if bills and lease.session_id is not None and not vm.machine.unallocated:
                count.leased += passed
            self._measure(count, lease, bills=bills)
            self._press(vm, count, lease, passed, bills=bills)
            self._lease_it(vm, count, lease, passed, bills=bills)
            self._keep(vm, count, passed, bills=bills)

    def _press(
        self,
        vm: Vm,
        count: Count,
        lease: Lease,
        passed: timedelta,
        *,
        bills: bool,
    ) -> None:
        must = self._must_end(vm, lease)
        if not (bills and must) or self._truth.ending(vm):
            count.pressing = timedelta(0)
        elif self._able() and not self._truth.lying(vm):
            count.pressing += passed
        if count.pressing > WITHIN:
            text = f"{vm.name} bills, must end ({must}), and nobody tells Azure"
            self._verdict.fails("what must end is told to end", text)

    def _lease_it(
        self,
        vm: Vm,
        count: Count,
        lease: Lease,
        passed: timedelta,
        *,
        bills: bool,
    ) -> None:
        loose = lease.state is LeaseState.NONE or lease.session_id is None
        if not (bills and loose) or self._truth.foreign(vm):
            count.unleased = timedelta(0)
        elif self._truth.seeable(vm):
            count.unleased += passed
        if count.unleased > WITHIN:
            text = f"{vm.name} bills without a lease"
            self._verdict.fails("nothing of ours bills without a lease", text)

    def _keep(self, vm: Vm, count: Count, passed: timedelta, *, bills: bool) -> None:
        """With the app away the VM ends itself, at its own deadline."""
        boot, habits = vm.guest.boot, vm.guest.habits
        now = self._world.tasks.now()
        alive = boot is not None and habits.ends_itself and habits.beats
        due = alive and boot is not None and now > boot.keeper.lease_ends
        if (
            not (bills and due)
            or self._truth.ending(vm)
            or (boot is not None and boot.release_failed)
        ):
            count.keeping = timedelta(0)
        else:
            count.keeping += passed
        if count.keeping > KEEPER:
            text = f"{vm.name} is past its own deadline and does not end itself"
            self._verdict.fails("the VM ends itself", text)

    def _must_end(self, vm: Vm, lease: Lease) -> str | None:
        """Why it must end now, as far as the app can know; None where it need not."""
        now = self._world.tasks.now()
        if self._world.hazards.ledger & _UNREADABLE:
            return "over its cap" if self._over_cap(vm) else None
        if lease.state is LeaseState.RELEASING:
            return "releasing"
        if lease.state is LeaseState.HELD:
            if lease.locked:
                return "locked"
            if lease.expires_at is not None and now >= lease.expires_at:
                return "its time is up"
            if self._money_is_up():
                return "the money is up"
        return None

    def _money_is_up(self) -> bool:
        """Whether what ran with a lease has used the budget, at the one true price."""
        world = self._world
        if world.price_moved:
            return False
        budget = world.setting.policies[world.name(0)].budget
        standing = money.standing(budget.standing_per_month, budget.start, budget.end)
        leased = sum((c.leased for c in self._counts.values()), timedelta(0))
        return money.span_cost(PRICE, leased) >= budget.limit - standing

    def _over_cap(self, vm: Vm) -> bool:
        entry, cap = vm.machine.provisioning, self._world.setting.max_runtime
        if entry.time is None or self._truth.foreign(vm):
            return False
        return self._world.tasks.now() - entry.time > cap

    def _able(self) -> bool:
        hazards = self._world.hazards
        return not (hazards.app_away or hazards.ticks_lost)

    def _measure(self, count: Count, lease: Lease, *, bills: bool) -> None:
        """Note the longest overshoot: from when its time was up until it is off."""
        now = self._world.tasks.now()
        past = lease.expires_at is not None and now >= lease.expires_at
        if not bills or not past:
            count.due_at = None
            count.during.clear()
            return
        count.due_at = count.due_at or now
        count.during.update(self._on())
        seconds = (now - count.due_at).total_seconds()
        if seconds > self.worst.seconds:
            self.worst = Worst(seconds=seconds, during=tuple(sorted(count.during)))
