"""Idle minutes that may be skipped, and why nothing is lost by it.

A tick over machines that are off, without a lease and read as before, decides row 18
for each: it sends nothing, and writes the rows `observed` and `tick` alone, which the
next tick writes again, whole. What the one hands on to the next is `last_run_at` (a
longer gap would count), so that alone is moved on. Each condition of this proof is
looked at below, and a test lives lives with and without skipping: they are the same.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from control import keys
from control.model import Lease
from control.timer import ASKED_EVERY, QUOTE_EVERY
from control.words import LeaseState
from control.words import Power as Read
from local.azure.faults.kinds import WireFault
from local.azure.plan import Power
from local.azure.routing import VM_READS
from tests.simulation.hazards import Hazards
from tests.simulation.world import World

_HANDED_ON = frozenset({keys.OBSERVED, keys.TICK})
_SPARE = timedelta(minutes=2)


class Quiet:
    """Says until when nothing can happen; `wrote` tells it of every row."""

    def __init__(self, world: World, leases: Mapping[str, Lease]) -> None:
        self._world = world
        self._leases = leases
        self._calm = Hazards(world.setting.seed)
        self._ticks = 0

    def wrote(self, key: str) -> None:
        """A row that a tick at rest does not write: it was none."""
        if key not in _HANDED_ON:
            self._ticks = 0

    def ticked(self) -> None:
        """One more tick went by; two in a row at rest prove a third."""
        self._ticks += 1

    def until(self, most: datetime) -> datetime | None:
        """Return until when ticks may be skipped, None where they may not."""
        if self._ticks < 3 or not self._at_rest():
            return None
        dues = [most, self._world.tasks.next_at, *self._housekeeping()]
        dues += [vm.machine.next_at for vm in self._world.azure.vms]
        return min(due for due in dues if due is not None) - _SPARE

    def skip(self, by: timedelta) -> None:
        """Let the next tick find that the last one ran a minute before it."""
        for vm in self._world.azure.vms:
            seen = self._world.ledger.observed(vm.name)
            assert seen is not None
            moved = replace(seen, last_run_at=seen.last_run_at + by)
            self._world.ledger.put_observed(vm.name, moved)

    def _at_rest(self) -> bool:
        world = self._world
        hazards = world.hazards
        calm = hazards == replace(
            self._calm, guest_clock=hazards.guest_clock, guest_idle=hazards.guest_idle
        )
        return (
            calm
            and world.tasks.running == 0
            and all(one.process.dies_after is None for one in world.instances)
            and not any(_meets_reads(each.fault) for each in world.azure.faults.armed)
            and all(self._off(vm.name) for vm in world.azure.vms)
        )

    def _off(self, name: str) -> bool:
        vm = self._world.azure.machine(name)
        machine, lease = vm.machine, self._leases.get(name)
        seen = self._world.ledger.observed(name)
        free = lease is None or lease.state is LeaseState.NONE
        read_off = seen is not None and seen.power is Read.DEALLOCATED
        at_rest = machine.working is None and machine.awaits is None
        off = machine.exists and machine.shown is Power.DEALLOCATED
        return free and read_off and at_rest and off and vm.guest.boot is None

    def _housekeeping(self) -> list[datetime | None]:
        """When the timer asks for a price or Azure's figure again."""
        reported, quoted = self._world.ledger.reported(), self._world.ledger.quoted()
        asked = reported.asked_at
        dues = [asked + ASKED_EVERY if asked else self._world.tasks.now()]
        if quoted.newest is not None and quoted.asked_at is not None:
            old = quoted.newest.at + QUOTE_EVERY
            dues.append(max(old, quoted.asked_at + ASKED_EVERY))
        return [*dues]


def _meets_reads(fault: object) -> bool:
    """Whether a fault may come between a tick and what it reads."""
    return not isinstance(fault, WireFault) or bool(fault.kinds & VM_READS)
