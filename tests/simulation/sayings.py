"""What people are told is so, and Azure is told only what is still meant."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from http import HTTPStatus

from control.model import Lease, Session
from control.said.notices import TITLES
from control.web.http import Response
from control.words import LeaseState, Limit
from local.azure.vm import Vm
from local.azure.wire import Reply
from tests.simulation.hazards import LedgerFault
from tests.simulation.judge import Judge
from tests.simulation.pressing import CALLS, ONE_TICK
from tests.simulation.rows import Rows
from tests.simulation.truth import Truth
from tests.simulation.verdict import Verdict
from tests.simulation.world import World

# A reading is 8 s old at most, and a call to ARM takes 5 s.
_READ_AGO = timedelta(seconds=20)
_CALL = timedelta(seconds=30)
_ON_ITS_WAY = timedelta(seconds=10)
_ALARM_AFTER = timedelta(minutes=3) + 2 * ONE_TICK + CALLS
_ALARM = TITLES["alarm"]


class Sayings(Judge):
    """Judges answers, starts and alarms."""

    def __init__(
        self, world: World, truth: Truth, rows: Rows, verdict: Verdict
    ) -> None:
        super().__init__(world, truth, rows, verdict)
        self._billing: dict[str, timedelta] = {}
        self._overdue: dict[str, timedelta] = {}
        self._unknown = timedelta(0)
        self._told = 0

    def answered(self, machine: str, answer: Response) -> None:
        """An answer that says "not billing" is right."""
        if answer.status not in {HTTPStatus.OK, HTTPStatus.ACCEPTED}:
            return
        said = json.loads(answer.body)
        vm = self._world.azure.machine(machine)
        long = self._billing.get(machine, timedelta(0)) > _READ_AGO
        if said.get("billing") is False and long and not self._truth.lying(vm):
            text = (
                f"{machine} is {vm.machine.power}, people are told: {said['summary']}"
            )
            self._verdict.fails("nobody is told that a billing machine is off", text)

    def called(self, verb: str, machine: str, _: Reply) -> None:
        """A start belongs to a lease that is held, locked by nobody, and not over."""
        if verb != "start":
            return
        lease = self._rows.lease(machine)
        now = self._world.tasks.now()
        ended = lease.expires_at is not None and now - lease.expires_at > _ON_ITS_WAY
        lost = lease.state is not LeaseState.HELD or lease.locked
        changed = self._rows.changed_at.get(machine, now)
        if ended or (lost and now - changed > _ON_ITS_WAY):
            text = f"{machine}: the lease is {lease.state}, until {lease.expires_at}"
            self._verdict.fails("nothing starts without a lease", text)

    def changed(self, before: Lease, after: Lease, _: Mapping[str, Session]) -> None:
        """While the spend is unknown nothing is opened, and no budget's end moves."""
        if self._unknown <= _CALL:
            return
        opened = after.session_id is not None and after.session_id != before.session_id
        ends = [lease.expires_at for lease in (before, after)]
        later = before.limited_by is Limit.BUDGET and _rises(ends)
        if (opened and after.adopted_at is None) or (not opened and later):
            text = f"{after.machine} may run, and nobody knows what is spent"
            self._verdict.fails("an unknown never loosens a limit", text)

    def look(self, passed: timedelta) -> None:
        """Count for how long each bills, and for how long a release is overdue."""
        unknown = LedgerFault.MONEY in self._world.hazards.ledger
        self._unknown = self._unknown + passed if unknown else timedelta(0)
        sent = self._world.services.notices.sent
        alarms = [title for title, _ in sent[self._told :] if _ALARM in title]
        self._told = len(sent)
        for vm in self._world.azure.vms:
            bills = self._truth.billing(vm)
            before = self._billing.get(vm.name, timedelta(0))
            self._billing[vm.name] = before + passed if bills else timedelta(0)
            told = any(vm.name in each for each in alarms)
            self._alarm(vm, passed, silent=bills and not told)

    def _alarm(self, vm: Vm, passed: timedelta, *, silent: bool) -> None:
        """Whoever pays is told while a release does not come to its end."""
        releasing = self._rows.lease(vm.name).state is LeaseState.RELEASING
        if (
            not (silent and releasing)
            or not self._truth.seeable(vm)
            or self._world.notices_away
        ):
            self._overdue[vm.name] = timedelta(0)
            return
        self._overdue[vm.name] = self._overdue.get(vm.name, timedelta(0)) + passed
        if self._overdue[vm.name] > _ALARM_AFTER:
            text = f"{vm.name} bills and is being released, and nobody is told"
            self._verdict.fails("an overdue release is told", text)


def _rises(ends: list[datetime | None]) -> bool:
    first, second = ends
    return first is not None and second is not None and second > first
