"""What is truly so of each machine, whatever anybody reads: the judge's own notes."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from local.azure.phases import Phase
from local.azure.plan import BILLED, Power, Verb
from local.azure.vm import Vm
from tests.simulation.world import World


@dataclass(slots=True)
class Notes:
    """One machine's: when what was last so; None is never."""

    off_at: datetime | None = None
    stopped_at: datetime | None = None
    unready_at: datetime | None = None
    busy_since: datetime | None = None
    unwell_at: datetime | None = None
    heard_ready_at: datetime | None = None
    lied_at: datetime | None = None
    foreign: list[tuple[datetime, datetime]] = field(default_factory=list)
    blind: list[tuple[datetime, datetime]] = field(default_factory=list)
    unallocated: list[tuple[datetime, datetime]] = field(default_factory=list)
    starting: list[tuple[datetime, datetime]] = field(default_factory=list)
    ending: list[tuple[datetime, datetime]] = field(default_factory=list)


# A view or a 404 that says what is not so.
_LIES = frozenset({"hibernated", "vm_not_found", "failed_running", "starts_as_stopped"})
_UNREADABLE = frozenset(
    {
        "unavailable",
        "unreachable",
        "token_expired",
        "subscription_not_found",
        "group_missing",
        "reads_throttled",
        "bucket_empty",
        "no_power_state",
        "power_unknown",
        "two_power_states",
        "no_statuses",
        "null_statuses",
        "no_instance_view",
        "only_updating",
        "deleting",
    }
)


class Truth:
    """Looks at every machine whenever anything happened."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.of: dict[str, Notes] = defaultdict(Notes)
        self._seen_at = world.tasks.now()

    def look(self) -> timedelta:
        """Take notes; return how much time passed since the last look."""
        now = self._world.tasks.now()
        passed, since = now - self._seen_at, self._seen_at
        self._seen_at = now
        for vm in self._world.azure.vms:
            self._note(vm, since, now)
        return passed

    def billing(self, vm: Vm) -> bool:
        """Whether Azure bills it, truly."""
        return vm.machine.exists and vm.machine.power in BILLED

    def ending(self, vm: Vm) -> bool:
        """Whether Azure is truly taking it away."""
        working, power = vm.machine.working, vm.machine.power
        under_way = working is not None and working.verb is Verb.DEALLOCATE
        waits = vm.machine.awaits is Verb.DEALLOCATE
        return under_way or waits or power is Power.DEALLOCATING

    def armed(self, vm: Vm, names: frozenset[str]) -> bool:
        """Whether a fault of these is on for this machine."""
        return any(
            each.name in names and each.target in (None, vm.name)
            for each in self._world.azure.faults.armed
        )

    def foreign(self, vm: Vm) -> bool:
        """Whether another control plane's name stands on it."""
        return vm.machine.tags.get("controlled-by", "switch") != "switch"

    def lying(self, vm: Vm) -> bool:
        """Whether what ARM says of it is not so, now or until moments ago."""
        at = self.of[vm.name].lied_at
        return at is not None and self._seen_at - at < timedelta(minutes=3)

    def seeable(self, vm: Vm) -> bool:
        """Whether the app can learn now how the machine is, and write it down."""
        hazards = self._world.hazards
        runs = not (hazards.app_away or hazards.ticks_lost)
        reads = not (hazards.arm_takes > 4 or self.armed(vm, _UNREADABLE))
        return runs and reads and not hazards.ledger and not self.lying(vm)

    def _note(self, vm: Vm, since: datetime, now: datetime) -> None:
        notes, power = self.of[vm.name], vm.machine.power
        if not self.billing(vm):
            notes.off_at = now
        if power in (Power.STOPPED, Power.STOPPING):
            notes.stopped_at = now
        if self._world.hazards.views_late or self.armed(vm, _LIES):
            notes.lied_at = now
        self._note_guest(vm, notes, now)
        if self.foreign(vm):
            notes.foreign.append((since, now))
        if not self.seeable(vm):
            notes.blind.append((since, now))
        working = vm.machine.working
        if working is not None and working.verb is Verb.START:
            notes.starting.append((since, now))
            if vm.machine.unallocated:
                notes.unallocated.append((since, now))
        if self.ending(vm):
            notes.ending.append((since, now))

    def _note_guest(self, vm: Vm, notes: Notes, now: datetime) -> None:
        boot, guest = vm.guest.boot, vm.guest
        if boot is None or guest.stage(boot, now).phase is not Phase.READY:
            notes.unready_at = now
        if boot is None or guest.habits.fixed is Phase.BROKEN or boot.release_failed:
            notes.unwell_at = now
        if boot is not None and boot.ending is not None:
            notes.unwell_at = now
        busy = guest.activity.busy
        notes.busy_since = (notes.busy_since or now) if busy else None
