"""The switch: what the routes and the timer call; values in, values out.

Each call is a run of the loop for one machine. Without a ledger `stop` goes on by ARM
alone, `status` says what ARM says, and nothing starts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from control import requests
from control.backstop import Backstop, Blind
from control.decision import Ask, Case, Policy
from control.errors import LedgerError
from control.journal import JournalEntry
from control.ledger import Ledger, State
from control.model import Heartbeat, Lease, Observed, Session
from control.ports import Clock
from control.reconcile import Ran, Reconciler, Request
from control.records import Pass
from control.rules.sight import counts
from control.said.reasons import Reason
from control.said.refusals import Refused
from control.sessions import Sessions
from control.timer import Housekeeping, Timer
from control.viewing import Viewer
from control.views import Answer, Reply, SessionFilter, SessionPage, View
from control.words import LeaseState, RunKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a switch is made of."""

    policies: Mapping[str, Policy]
    ledger: Ledger
    reconciler: Reconciler
    backstop: Backstop
    timer: Timer
    housekeeping: Housekeeping
    clock: Clock


class Switch:
    """Starts, stops and watches the machines of the settings."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._ledger = parts.ledger
        self._sessions = Sessions(parts.ledger)
        self._viewer = Viewer(parts.ledger)
        self.machines = tuple(parts.policies)

    def start(self, machine: str, ask: Ask) -> Answer:
        """Ask for a lease; a held one is answered as it is."""
        try:
            now = self._parts.clock.now()
            count = self._sessions.started_last_hour(machine, now)
        except LedgerError:
            return self._unverified(machine)

        def request(case: Case) -> requests.Outcome:
            return requests.start(case, ask, count)

        return self._ask(machine, RunKind.START, request, ask.max_hours, ask)

    def adopt(self, machine: str, ask: Ask) -> Answer:
        """Open a session for a machine that bills without one; never starts any."""
        return self._ask(machine, RunKind.ADOPT, None, ask.max_hours, ask)

    def stop(self, machine: str, by: str) -> Answer:
        """Take any lease away; never refused, with or without a ledger."""

        def request(case: Case) -> requests.Outcome:
            return requests.stop(case, by)

        try:
            ran = self._run(machine, RunKind.STOP, request=request)
            view = self._view(machine, ran, None)
        except LedgerError:
            blind = self._parts.backstop.stop(machine)
            return Answer(view=self._blind(machine, blind), unsent=blind.unsent)
        return Answer(view=view, unsent=ran.unsent)

    def extend(
        self, machine: str, minutes: Decimal, device: str, max_hours: Decimal | None
    ) -> Answer:
        """Move the deadline later, or say which rule forbids it."""

        def request(case: Case) -> requests.Outcome:
            return requests.extend(case, minutes, device, max_hours)

        return self._ask(machine, RunKind.POST, request, max_hours)

    def lock(self, machine: str, by: str, *, locked: bool) -> Answer:
        """Set or lift the kill switch."""

        def request(case: Case) -> requests.Outcome:
            return requests.lock(case, by, locked=locked)

        return self._ask(machine, RunKind.POST, request)

    def status(self, machine: str, max_hours: Decimal | None = None) -> View:
        """Say how the machine is; may take it away, never gives."""
        try:
            ran = self._run(machine, RunKind.READ)
            return self._view(machine, ran, max_hours)
        except LedgerError:
            reading = self._parts.backstop.look(machine)
            return self._blind(machine, Blind(reading=reading, sent=False))

    def heartbeat(self, beat: Heartbeat) -> Reply:
        """Take a heartbeat and answer how long the lease lives; may raise LedgerError.

        One that does not count is answered and ignored.
        """
        machine = beat.machine
        state = self._ledger.read(machine)
        if self._accepts(state, beat):
            self._ledger.put_heartbeat(beat)
        lease = self._run(machine, RunKind.HEARTBEAT).state.lease
        return Reply(
            now=self._parts.clock.now(),
            session_id=lease.session_id,
            expires_at=_vm_deadline(lease),
            drain=lease.state is LeaseState.RELEASING,
            purpose=lease.purpose,
            policy=self._parts.policies[machine],
        )

    def _accepts(self, state: State, beat: Heartbeat) -> bool:
        if counts(beat, state.lease, state.session) is None:
            return False
        kept = self._ledger.heartbeat(beat.machine)
        if kept is None or kept.boot_id != beat.boot_id:
            return True
        if beat.uptime_s is None or kept.uptime_s is None:
            return True
        return beat.uptime_s >= kept.uptime_s

    def sessions(self, machine: str, wanted: SessionFilter) -> SessionPage:
        """List sessions, newest first; may raise `LedgerError`.

        A run of its own, so that a frozen timer is made up for.
        """
        self.status(machine)
        return self._sessions.page(machine, wanted, self._parts.clock.now())

    def session(
        self, machine: str, session_id: str
    ) -> tuple[Session, tuple[JournalEntry, ...]] | None:
        """Return one session and its journal; may raise `LedgerError`."""
        return self._sessions.one(machine, session_id, self._parts.clock.now())

    def tick(self) -> Pass:
        """One pass of the timer over all machines, then the housekeeping."""
        made = self._parts.timer.enforce()
        self._parts.housekeeping.keep(made)
        return made

    def last_tick(self) -> Pass | None:
        """Return the newest pass of the timer; may raise `LedgerError`."""
        return self._ledger.last_tick()

    def _run(
        self,
        machine: str,
        kind: RunKind,
        *,
        ask: Ask | None = None,
        request: Request | None = None,
    ) -> Ran:
        policy = self._parts.policies[machine]
        return self._parts.reconciler.run(policy, kind, ask, request)

    def _ask(
        self,
        machine: str,
        kind: RunKind,
        request: Request | None,
        max_hours: Decimal | None = None,
        ask: Ask | None = None,
    ) -> Answer:
        try:
            ran = self._run(machine, kind, ask=ask, request=request)
            view = self._view(machine, ran, max_hours)
        except LedgerError:
            return self._unverified(machine)
        return Answer(
            view=view,
            refusal=ran.outcome.refusal,
            opened=ran.opened,
            unsent=ran.unsent,
        )

    def _view(self, machine: str, ran: Ran, max_hours: Decimal | None) -> View:
        case = Case(
            lease=ran.state.lease,
            session=ran.state.session,
            seen=ran.observation,
            policy=self._parts.policies[machine],
            now=self._parts.clock.now(),
        )
        view = self._viewer.view(case, max_hours)
        return replace(view, reason=ran.outcome.decision.reason)

    def _unverified(self, machine: str) -> Answer:
        reading = self._parts.backstop.look(machine)
        refusal = requests.Refusal(told=Refused.NOT_CONFIRMED.of(), retry_after=30)
        blind = Blind(reading=reading, sent=False)
        return Answer(view=self._blind(machine, blind), refusal=refusal)

    def _blind(self, machine: str, blind: Blind) -> View:
        reading, now = blind.reading, self._parts.clock.now()
        seen = Observed(
            reading=reading,
            power=reading.power,
            power_since=reading.began_at,
            last_run_at=now,
        )
        return View(
            now=now,
            policy=self._parts.policies[machine],
            seen=seen,
            reason=(Reason.BLIND_STOP if blind.sent else Reason.BLIND).say(),
            problems=("ledger-unverified",),
        )


def _vm_deadline(lease: Lease) -> datetime | None:
    if lease.state is LeaseState.RELEASING and lease.release is not None:
        return lease.release.since
    return lease.expires_at
