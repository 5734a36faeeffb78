"""Carries out what was decided: one ARM call, its outcome in the ledger, and notices.

A failing notifier or ledger never stops a deallocate.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import assert_never

from control.decision import Decision, Entry, Notify, SendDeallocate, SendStart
from control.errors import AzureError, LedgerConflict, LedgerError
from control.ledger import Ledger, State
from control.model import Lease, Outcome, Start
from control.ports import Accepted, Clock, Machines, Notices
from control.rules import starts
from control.said.journal import Line
from control.said.notices import TITLES
from control.said.notices import Notice as Told
from control.words import Fault, LeaseState

_TRIES = 5
_SERVER_ERROR = 500
_URGENT = frozenset({Fault.PERMISSION, Fault.NOT_FOUND, Fault.SCOPE_LOCK})
_URGENT_STATUS = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND})
_LOG = logging.getLogger(__name__)


class Actor:
    """The hands of the loop."""

    def __init__(
        self, ledger: Ledger, machines: Machines, notices: Notices, clock: Clock
    ) -> None:
        self._ledger = ledger
        self._machines = machines
        self._notices = notices
        self._clock = clock

    def act(self, after: State, decision: Decision) -> Fault | None:
        """Send what was decided and written; why Azure did not take it, or None."""
        unsent: Fault | None = None
        for action in decision.actions:
            match action:
                case SendStart():
                    if not _overtaken(after, decision):
                        unsent = self._start(after)
                case SendDeallocate(force=force):
                    unsent = self._deallocate(after, force=force)
                case Notify():
                    continue
                case _:
                    assert_never(action)
        return unsent

    def notify(self, machine: str, notice: Notify) -> None:
        """Tell the owner, if that is possible."""
        title = TITLES.get(notice.event, notice.event)
        try:
            self._notices.send(f"{machine}: {title}", notice.text)
        except AzureError as error:
            _LOG.warning("A notice could not be sent: %s", error)

    def deallocate_blind(self, machine: str, decision: Decision) -> None:
        """The intent could not be written: a deallocate goes out, a start does not."""
        releasing = decision.lease.state is LeaseState.RELEASING
        sends = any(isinstance(a, SendDeallocate) for a in decision.actions)
        if releasing or sends:
            self.deallocate_unrecorded(machine)

    def deallocate_unrecorded(self, machine: str) -> Fault | None:
        """Send one deallocate without a ledger; why Azure did not take it, or None."""
        try:
            self._machines.deallocate(machine)
        except AzureError as error:
            _LOG.error("%s: deallocate without a ledger failed: %s", machine, error)
            self._alarm_at_once(machine, error)
            return error.fault
        return None

    def _start(self, state: State) -> Fault | None:
        machine, start = state.lease.machine, state.lease.start
        assert start is not None
        try:
            taken = self._machines.start(machine)
        except AzureError as error:
            self._record(
                state,
                _refused(start, error, self._clock.now()),
                [Entry(event="start_refused", text=str(error), by="azure")],
            )
            return error.fault
        self._record(
            state,
            _accepted(start, taken),
            [Entry(event="start_accepted", text=Line.TAKEN.say(), by="azure")],
        )
        return None

    def _deallocate(self, state: State, *, force: bool) -> Fault | None:
        machine = state.lease.machine
        try:
            self._machines.deallocate(machine, force=force)
        except AzureError as error:
            self._deallocate_failed(state, error, force=force)
            return error.fault
        return None

    def _deallocate_failed(
        self, state: State, error: AzureError, *, force: bool
    ) -> None:
        machine, status = state.lease.machine, error.evidence.status
        text = Line.DEALLOCATE_FAILED.say(why=error)
        _LOG.error("%s: %s", machine, text)
        client_error = status is not None and status < _SERVER_ERROR
        change = _force_refused if force and client_error else _same
        self._record(
            state, change, [Entry(event="deallocate_failed", text=text, by="azure")]
        )
        self._alarm_at_once(machine, error)

    def _alarm_at_once(self, machine: str, error: AzureError) -> None:
        """What waiting does not mend is told with the first failure."""
        if error.fault not in _URGENT and error.evidence.status not in _URGENT_STATUS:
            return
        known = error.fault in _URGENT
        told = Told[error.fault.name] if known else Told.REFUSED
        self.notify(machine, Notify(event="alarm", text=told.say(machine=machine)))

    def _record(
        self, sent: State, change: Callable[[Lease], Lease], entries: list[Entry]
    ) -> None:
        """Write the outcome into the lease as it is now, if it is still ours."""
        machine = sent.lease.machine
        try:
            for _ in range(_TRIES):
                state = self._ledger.read(machine)
                if state.lease.session_id != sent.lease.session_id:
                    self._note(sent, entries)
                    return
                if self._wrote(state, change, entries):
                    return
            _LOG.error("%s: an outcome is not recorded: too many races", machine)
        except LedgerError as error:
            _LOG.error("%s: an outcome is not recorded: %s", machine, error)

    def _note(self, sent: State, entries: list[Entry]) -> None:
        """The session is over: what came of the call stands in its journal alone."""
        machine, session_id = sent.lease.machine, sent.lease.session_id
        for entry in entries:
            self._ledger.note(machine, session_id, entry, self._clock.now())

    def _wrote(
        self, state: State, change: Callable[[Lease], Lease], entries: list[Entry]
    ) -> bool:
        decision = Decision(
            rows=(),
            reason="",
            lease=change(state.lease),
            session=state.session,
            entries=tuple(entries),
        )
        try:
            self._ledger.commit(state, decision, self._clock.now())
        except LedgerConflict:
            return False
        return True


def _overtaken(after: State, decision: Decision) -> bool:
    """Whether the lease was taken away, or started anew, before we came to send."""
    wanted, start = decision.lease.start, after.lease.start
    same = wanted is not None and start is not None and start.sent_at == wanted.sent_at
    return after.lease.state is not LeaseState.HELD or not same


def _accepted(sent: Start, taken: Accepted) -> Callable[[Lease], Lease]:
    def change(lease: Lease) -> Lease:
        if lease.start is None or lease.start.sent_at != sent.sent_at:
            return lease
        return starts.accepted(lease, taken.at, taken.operation_url)

    return change


def _same(lease: Lease) -> Lease:
    return lease


def _force_refused(lease: Lease) -> Lease:
    assert lease.release is not None
    return replace(lease, release=replace(lease.release, force_refused=True))


def _refused(sent: Start, error: AzureError, now: datetime) -> Callable[[Lease], Lease]:
    """Return the change for a start that Azure did not take, as far as it said so.

    A 5xx without a known cause, or no answer, proves nothing: the start may have been
    taken, and counts as unanswered until a reading tells.
    """
    evidence = error.evidence
    proves = error.fault is not Fault.UNAVAILABLE
    outcome = Outcome(
        fault=error.fault, code=evidence.code, message=evidence.message, learnt_at=now
    )
    wait = evidence.retry_after
    retry_at = now + timedelta(seconds=wait) if wait else None

    def change(lease: Lease) -> Lease:
        if lease.start is None or lease.start.sent_at != sent.sent_at:
            return lease
        start = replace(
            lease.start, outcome=outcome if proves else None, retry_at=retry_at
        )
        return replace(lease, start=start)

    return change
