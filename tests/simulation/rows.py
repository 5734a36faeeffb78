"""What must hold of the ledger's rows with every single write."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from control import keys
from control.codec import Codec
from control.model import Lease, Session
from control.records import Total
from control.words import LeaseState
from tests.simulation.table import Change
from tests.simulation.verdict import Verdict

if TYPE_CHECKING:
    from datetime import datetime

type Listener = Callable[[Lease, Lease, Mapping[str, Session]], None]

_LEASES, _SESSIONS, _TOTALS = Codec(Lease), Codec(Session), Codec(Total)


class Rows:
    """Follows the rows of every machine: leases, sessions and totals."""

    def __init__(self, verdict: Verdict) -> None:
        self._verdict = verdict
        self.leases: dict[str, Lease] = {}
        self.changed_at: dict[str, datetime] = {}
        self.sessions: dict[str, dict[str, Session]] = {}
        self.open: dict[str, list[tuple[datetime, datetime]]] = {}
        self.listeners: list[Listener] = []
        self.on_write: Callable[[str], None] = lambda _: None

    def committed(self, partition: str, changes: Sequence[Change]) -> None:
        """Check one transaction."""
        before = self.lease(partition)
        for change in changes:
            self.on_write(change.key)
            if change.key.startswith(keys.SESSIONS):
                self._session(partition, change)
            elif change.key.startswith("total:"):
                self._only_grows(change)
            elif change.key == keys.LEASE:
                self.leases[partition] = _LEASES.decode(change.values)
        after = self.leases.get(partition)
        if after is not None and after is not before:
            self._one_open_session(partition, after)
            self._no_release_taken_back(before, after)
            self._deadline_moves_by_rule(before, after)
            self._one_answered_start(before, after)
            if (before.state, before.locked) != (after.state, after.locked):
                self.changed_at[partition] = self._verdict.now()
            if before.session_id != after.session_id:
                self._opened_or_closed(partition, before, after)
            for listener in self.listeners:
                listener(before, after, self.sessions.get(partition, {}))

    def lease(self, machine: str) -> Lease:
        """Return a machine's lease; no row is one of state none."""
        return self.leases.get(machine) or Lease(machine=machine)

    def _session(self, partition: str, change: Change) -> None:
        if change.before is not None and change.before.values.get("ended_at"):
            self._verdict.fails(
                "closed rows never change", f"{change.key} was written again"
            )
        session = _SESSIONS.decode(change.values)
        self.sessions.setdefault(partition, {})[session.id] = session

    def _one_open_session(self, partition: str, lease: Lease) -> None:
        found = self.sessions.get(partition, {}).values()
        open_ones = [each.id for each in found if each.ended_at is None]
        held = [lease.session_id] if lease.session_id else []
        if open_ones != held:
            text = f"open are {open_ones}, the lease is of {held}"
            self._verdict.fails("one lease, one open session", text)

    def _only_grows(self, change: Change) -> None:
        if change.before is None:
            return
        old = _TOTALS.decode(change.before.values)
        new = _TOTALS.decode(change.values)
        if new.cost < old.cost or new.billed_seconds < old.billed_seconds:
            self._verdict.fails(
                "totals never decrease", f"{change.key}: {old.cost} to {new.cost}"
            )

    def _opened_or_closed(self, machine: str, before: Lease, after: Lease) -> None:
        """Keep from when to when a session was open, by the clock of the judge."""
        now = self._verdict.now()
        spans = self.open.setdefault(machine, [])
        if before.session_id is not None:
            spans[-1] = spans[-1][0], now
        if after.session_id is not None:
            spans.append((now, now))

    def _no_release_taken_back(self, before: Lease, after: Lease) -> None:
        if before.release is None or before.session_id != after.session_id:
            return
        if before.session_id is not None and after.state is LeaseState.HELD:
            text = f"it was released as {before.release.reason}, and is held again"
            self._verdict.fails("a release is never taken back", text)

    def _deadline_moves_by_rule(self, before: Lease, after: Lease) -> None:
        """Only the recount, once, and an extend move a deadline later."""
        same = before.session_id is not None and before.session_id == after.session_id
        if not same or before.expires_at is None or after.expires_at is None:
            return
        if after.expires_at <= before.expires_at:
            return
        recounted = after.recounted and not before.recounted
        if not recounted and after.extend == before.extend:
            text = f"{before.expires_at} to {after.expires_at}"
            self._verdict.fails("a deadline moves later by rule alone", text)

    def _one_answered_start(self, before: Lease, after: Lease) -> None:
        """A start that Azure took is not sent again before its outcome is known."""
        old, new = before.start, after.start
        if before.state is not LeaseState.HELD or old is None or new is None:
            return
        if new.sent_at == old.sent_at or old.accepted_at is None:
            return
        if old.in_flight:
            text = f"sent {old.sent_at}, and again {new.sent_at}"
            self._verdict.fails("one answered start in flight", text)
