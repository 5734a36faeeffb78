"""A healthy session is never ended: each reason for an end must be true."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from control.model import Lease, Session
from control.spend import Spending
from control.words import LeaseState, StopReason
from local.azure.plan import Power
from local.azure.vm import Vm
from tests.simulation.judge import Judge
from tests.simulation.rows import Rows
from tests.simulation.truth import Notes, Truth
from tests.simulation.verdict import Verdict
from tests.simulation.world import World

# A heartbeat counts for three minutes; a reading is a call old.
_LAG = timedelta(minutes=4)
_TAPPED = timedelta(seconds=60)
_SPARE = timedelta(minutes=2)
_IDLE = timedelta(minutes=30) - _LAG

type True_ = Callable[["Ends", Vm, Lease, Lease], bool]


class Ends(Judge):
    """Judges every lease that is taken away, by what is truly so."""

    def __init__(
        self, world: World, truth: Truth, rows: Rows, verdict: Verdict
    ) -> None:
        super().__init__(world, truth, rows, verdict)
        self._spending = Spending(world.ledger, world.setting.policies)
        self._stops: dict[str, datetime] = {}

    def tapped(self, machine: str) -> None:
        """Somebody pressed stop."""
        self._stops[machine] = self._now

    def changed(self, before: Lease, after: Lease, _: Mapping[str, Session]) -> None:
        """Learn of a lease that changed; one that closed was off by itself."""
        vm = self._world.azure.machine(before.machine)
        if before.session_id is not None and after.session_id != before.session_id:
            self._is_off(vm)
        if before.state is not LeaseState.HELD or after.release is None:
            return
        reason = after.release.reason
        if not _TRUE[reason](self, vm, before, after):
            text = f"{vm.name} was ended as {reason}, which is not so"
            self._verdict.fails("a healthy session is never ended", text)

    def _is_off(self, vm: Vm) -> None:
        if not self.off(vm):
            text = f"{vm.name} is {vm.machine.power}"
            self._verdict.fails("a session ends when the machine is off", text)

    @property
    def _now(self) -> datetime:
        return self._world.tasks.now()

    def _notes(self, vm: Vm) -> Notes:
        return self._truth.of[vm.name]

    def _lately(self, at: datetime | None, within: timedelta = _LAG) -> bool:
        return at is not None and self._now - at <= within

    def user(self, vm: Vm, *_: Lease) -> bool:
        return self._lately(self._stops.get(vm.name), _TAPPED)

    def time_up(self, _: Vm, before: Lease, after: Lease) -> bool:
        """Its deadline is reached (a run may have moved it earlier just now)."""
        ends = after.expires_at or before.expires_at
        return ends is not None and self._now >= min(ends, before.expires_at or ends)

    def locked(self, _: Vm, before: Lease, after: Lease) -> bool:
        return before.locked or after.locked

    def idle(self, vm: Vm, *_: Lease) -> bool:
        """Nobody uses it, and it was ready for as long as it may be idle.

        How long it was idle the VM alone knows, and may be wrong about; one that has
        ended itself says so itself.
        """
        notes, boot = self._notes(vm), vm.guest.boot
        if boot is not None and boot.ending is not None:
            return True
        ready_for = self._now - (notes.unready_at or self._now)
        used = notes.busy_since is not None and not self._lately(notes.busy_since)
        return not used and ready_for >= _IDLE

    def unready(self, vm: Vm, before: Lease, _: Lease) -> bool:
        """No heartbeat said ready for as long as it may take."""
        heard = self._notes(vm).heard_ready_at
        begun = before.adopted_at or (before.start.sent_at if before.start else None)
        since = max((at for at in (heard, begun) if at), default=None)
        deadline = timedelta(minutes=75) - _SPARE
        return since is None or self._now - since >= deadline

    def unwell(self, vm: Vm, *_: Lease) -> bool:
        return self._lately(self._notes(vm).unwell_at, timedelta(minutes=6))

    def stopped(self, vm: Vm, *_: Lease) -> bool:
        return self._lately(self._notes(vm).stopped_at) or self._truth.lying(vm)

    def off(self, vm: Vm, *_: Lease) -> bool:
        off = self._lately(self._notes(vm).off_at) or not vm.machine.exists
        return off or self._truth.lying(vm)

    def not_started(self, vm: Vm, *_: Lease) -> bool:
        """It does not run, or Azure says that it cannot tell."""
        runs = vm.machine.power is Power.RUNNING
        return not runs or self._lately(self._notes(vm).off_at) or self._unready(vm)

    def _unready(self, vm: Vm) -> bool:
        return self._lately(self._notes(vm).unready_at)

    def spent(self, vm: Vm, before: Lease, after: Lease) -> bool:
        """Its deadline was the budget's, or the ledger's rows leave nothing."""
        state = self._world.ledger.read(vm.name)
        spend = self._spending.read(state, self._now)
        nothing = spend is not None and spend.remaining <= 0
        return nothing or self.time_up(vm, before, after)

    def never(self, *_: object) -> bool:
        """What was asked for is no late start: the new one owns the machine."""
        return False


_TRUE: Mapping[StopReason, True_] = {
    StopReason.USER: Ends.user,
    StopReason.ASKED: Ends.time_up,
    StopReason.MAX_RUNTIME: Ends.time_up,
    StopReason.DEVICE: Ends.time_up,
    StopReason.BUDGET: Ends.spent,
    StopReason.BUDGET_PERIOD: Ends.time_up,
    StopReason.IDLE: Ends.idle,
    StopReason.NEVER_READY: Ends.unready,
    StopReason.NOT_RESPONDING: Ends.unready,
    StopReason.BROKEN: Ends.unwell,
    StopReason.GUEST_SHUTDOWN: Ends.stopped,
    StopReason.OUTSIDE: Ends.off,
    StopReason.LATE_START: Ends.never,
    StopReason.LOCKED: Ends.locked,
    StopReason.NO_CAPACITY: Ends.not_started,
    StopReason.START_FAILED: Ends.not_started,
}
