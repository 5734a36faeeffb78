"""Enforcement by ARM alone, for when the ledger cannot be read.

A backstop, not the rule: a restart, redeploy or update of the machine moves ARM's time
forward. The VM's own lease keeper and the daily auto-shutdown need neither.
"""

import logging
from dataclasses import dataclass, replace

from control.act import Actor
from control.decision import Policy
from control.model import Reading
from control.observe import read_machine
from control.ports import Clock, Machines
from control.words import Fault, Power

READS = 3
SECONDS_APART = 5.0
_OFF = frozenset({Power.DEALLOCATED, Power.GONE})
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blind:
    """What ARM alone says of a machine, and whether a deallocate was taken.

    `unsent` says why Azure did not take it; None where none was sent, too.
    """

    reading: Reading
    sent: bool = False
    unsent: Fault | None = None


class Backstop:
    """Stops machines without a ledger; it never starts one."""

    def __init__(self, actor: Actor, machines: Machines, clock: Clock) -> None:
        self._actor = actor
        self._machines = machines
        self._clock = clock

    def look(self, machine: str) -> Reading:
        """Read a machine; an unreadable one is unknown."""
        return read_machine(self._machines, machine, self._clock)

    def stop(self, machine: str) -> Blind:
        """A person asked: deallocate unless it is read deallocated."""
        reading = self.look(machine)
        if reading.power in _OFF:
            return Blind(reading=reading)
        blind = self._send(machine, reading)
        if reading.power is Power.DEALLOCATING:
            # It goes off already, whatever Azure says of being told once more.
            return replace(blind, sent=True, unsent=None)
        return blind

    def enforce(self, policy: Policy) -> Blind:
        """The timer's part: deallocate what has been on for longer than the cap."""
        reading = self.look(policy.machine)
        if not self._overdue(policy, reading):
            return Blind(reading=reading)
        _LOG.error("%s: over its cap without a ledger; deallocate", policy.machine)
        return self._send(policy.machine, reading)

    def _send(self, machine: str, reading: Reading) -> Blind:
        unsent = self._actor.deallocate_unrecorded(machine)
        return Blind(reading=reading, sent=unsent is None, unsent=unsent)

    def _overdue(self, policy: Policy, reading: Reading) -> bool:
        entry = reading.provisioning
        if (
            policy.other_controller(reading)
            or reading.power in _OFF
            or reading.not_found
        ):
            return False
        if entry is not None and entry.at is not None and not entry.changing:
            return self._clock.now() - entry.at > policy.max_runtime
        return self._stays_untold(policy, reading)

    def _stays_untold(self, policy: Policy, reading: Reading) -> bool:
        """Whether it bills and shows no time of an operation in three reads."""
        for number in range(READS):
            entry = reading.provisioning
            told = entry is not None and (entry.changing or entry.at is not None)
            if told or not reading.power.billing or policy.other_controller(reading):
                return False
            if number < READS - 1:
                self._clock.wait(SECONDS_APART)
                reading = self.look(policy.machine)
        return True
