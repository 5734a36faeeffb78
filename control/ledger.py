"""The ledger: leases, sessions, journal and totals, each change in one transaction.

A change of a lease is guarded by its row's ETag and marked with a random
`decision_id`: after a conflict or a lost answer the row says who won. Every method
raises `LedgerError`.
"""

import logging
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from control import keys
from control.codec import Codec
from control.decision import Decision, Entry
from control.errors import (
    LedgerConflict,
    LedgerUnavailable,
    LedgerUnreadable,
    TableMissing,
)
from control.journal import JournalEntry, entry_writes
from control.model import Heartbeat, Lease, Observed, Session
from control.ports import Row, Table, Write, WriteKind
from control.records import Meta, Pass, Quoted, Reported, Total
from control.rules import money

SCHEMA = 1
# Sorts before every character of a generated key; a control character is none.
_NEXT = "!"
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A machine's lease as it was read, and its open session."""

    lease: Lease
    etag: str | None = None
    session: Session | None = None


_LEASES = Codec(Lease)
_SESSIONS = Codec(Session)
_TOTALS = Codec(Total)
_OBSERVED = Codec(Observed)
_HEARTBEATS = Codec(Heartbeat)
_QUOTED = Codec(Quoted)
_REPORTED = Codec(Reported)
_PASSES = Codec(Pass)
_META = Codec(Meta)
_JOURNAL = Codec(JournalEntry)


class Ledger:
    """Reads and writes the rows of one table; it decides nothing."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def read(self, machine: str) -> State:
        """Return the lease and its open session; no row is a lease of state none.

        A missing table is made: without `meta` in it the spend stays unknown.
        """
        try:
            row = self._table.get(machine, keys.LEASE)
        except TableMissing:
            self._table.create()
            row = self._table.get(machine, keys.LEASE)
        if row is None:
            return State(lease=Lease(machine=machine))
        lease = _LEASES.decode(row.values)
        session = None
        if lease.session_id is not None:
            session = self.session(machine, lease.session_id)
            if session is None:
                raise LedgerUnreadable(f"{machine}: its open session is not there")
        return State(lease=lease, etag=row.etag, session=session)

    def commit(self, before: State, decision: Decision, now: datetime) -> State:
        """Write a decision as one transaction and return the state after it.

        Raises `LedgerConflict` when somebody else's decision won. Another run may have
        decided since: then the state is what that came to.
        """
        machine = before.lease.machine
        mark = secrets.token_hex(8)
        lease = replace(decision.lease, decision_id=mark)
        writes = [
            _lease_write(lease, before.etag),
            *self._session_writes(machine, decision),
            *self._total_writes(machine, decision.closed),
            *_journal_writes(before, decision, now),
        ]
        try:
            self._table.commit(machine, writes)
        except (LedgerConflict, LedgerUnavailable) as lost:
            after = self.read(machine)
            if after.lease.decision_id != mark and not self._has_line(machine, writes):
                raise LedgerConflict("another run decided first") from lost
            return after
        try:
            return self.read(machine)
        except LedgerUnavailable:
            # It is written: what was decided has to be carried out.
            return State(lease=lease, session=decision.session)

    def _has_line(self, machine: str, writes: Sequence[Write]) -> bool:
        """Whether these writes were made, though a newer decision is in the lease."""
        inserted = [w.key for w in writes if w.kind is WriteKind.INSERT]
        lines = [key for key in inserted if key != keys.LEASE]
        return bool(lines) and self._table.get(machine, lines[0]) is not None

    def _session_writes(self, machine: str, decision: Decision) -> Iterator[Write]:
        for session in (decision.closed, decision.session):
            if session is None:
                continue
            key = keys.session(session.id)
            kept = self._table.get(machine, key)
            if kept is not None and kept.values.get("ended_at") is not None:
                raise LedgerConflict("a closed session is never changed")
            yield Write(
                kind=WriteKind.UPSERT, key=key, values=_SESSIONS.encode(session)
            )

    def _total_writes(self, machine: str, closed: Session | None) -> Iterator[Write]:
        if closed is None or closed.billing_since is None or closed.ended_at is None:
            return
        split = money.shares(
            closed.price_per_hour, closed.billing_since, closed.ended_at
        )
        for month, (cost, seconds) in split.items():
            row = self._table.get(machine, keys.total(month))
            old = _TOTALS.decode(row.values) if row else Total(month=month)
            total = Total(
                month=month,
                cost=old.cost + cost,
                billed_seconds=old.billed_seconds + seconds,
                sessions=old.sessions + 1,
                currency=closed.currency,
            )
            yield Write(
                kind=WriteKind.UPSERT,
                key=keys.total(month),
                values=_TOTALS.encode(total),
            )

    def totals(self, machine: str, start: datetime, end: datetime) -> list[Total]:
        """Return the totals of the months in [start, end)."""
        first, after = (keys.total(money.month_name(at)) for at in (start, end))
        rows = self._table.scan(machine, first, after)
        return [_TOTALS.decode(row.values) for row in rows]

    def session(self, machine: str, session_id: str) -> Session | None:
        """Return one session; None when there is none of that id."""
        try:
            row = self._table.get(machine, keys.session(session_id))
        except ValueError:
            return None
        return _SESSIONS.decode(row.values) if row else None

    def sessions(
        self,
        machine: str,
        *,
        after: str | None = None,
        since: datetime | None = None,
    ) -> Iterator[tuple[str, Session | None]]:
        """Yield row keys and sessions, newest first; an unreadable one is None.

        `after` is the row key of the last one already seen; those requested at `since`
        or before are left out.
        """
        first = max(f"{after}{_NEXT}" if after else "", keys.SESSIONS)
        end = keys.sessions_until(since) if since else keys.after(keys.SESSIONS)
        for row in self._table.scan(machine, first, end):
            try:
                yield row.key, _SESSIONS.decode(row.values)
            except LedgerUnreadable:
                yield row.key, None

    def journal(self, machine: str, session_id: str) -> list[JournalEntry]:
        """Return a session's journal, oldest first; an unreadable line is skipped."""
        prefix = keys.journal_of(session_id)
        rows = self._table.scan(machine, prefix, keys.after(prefix))
        lines = [_readable(row, _JOURNAL) for row in rows]
        return [line for line in lines if line is not None][::-1]

    def note(
        self, machine: str, session_id: str | None, entry: Entry, now: datetime
    ) -> None:
        """Add a line to the journal outside any transaction."""
        for write in entry_writes(session_id, (entry,), now):
            self._table.put(machine, write.key, write.values)

    def note_once(self, machine: str, entry: Entry, at: datetime) -> bool:
        """Add a line about what began at `at`; False when another run has done so."""
        [drawn] = entry_writes(None, (entry,), at)
        key = keys.journal(None, at, 0, entry.event)
        try:
            self._table.commit(machine, [replace(drawn, key=key)])
        except LedgerConflict:
            return False
        return True

    def observed(self, machine: str) -> Observed | None:
        """Return what the readings add up to; an unreadable row is none."""
        return self._plain(machine, keys.OBSERVED, _OBSERVED)

    def put_observed(self, machine: str, observed: Observed) -> None:
        self._table.put(machine, keys.OBSERVED, _OBSERVED.encode(observed))

    def heartbeat(self, machine: str) -> Heartbeat | None:
        """Return the newest heartbeat, whether or not it counts."""
        return self._plain(machine, keys.HEARTBEAT, _HEARTBEATS)

    def put_heartbeat(self, heartbeat: Heartbeat) -> None:
        row = _HEARTBEATS.encode(heartbeat)
        self._table.put(heartbeat.machine, keys.HEARTBEAT, row)

    def quoted(self) -> Quoted:
        """Return the newest quote; how old it may be is not decided here."""
        kept = self._plain(keys.DEPLOYMENT, keys.QUOTE, _QUOTED)
        return kept or Quoted()

    def put_quoted(self, quoted: Quoted) -> None:
        self._table.put(keys.DEPLOYMENT, keys.QUOTE, _QUOTED.encode(quoted))

    def reported(self) -> Reported:
        """Return Azure's highest figures so far, by window."""
        kept = self._plain(keys.DEPLOYMENT, keys.REPORTED, _REPORTED)
        return kept or Reported()

    def put_reported(self, reported: Reported) -> None:
        self._table.put(keys.DEPLOYMENT, keys.REPORTED, _REPORTED.encode(reported))

    def last_tick(self) -> Pass | None:
        """Return the newest pass of the timer."""
        return self._plain(keys.DEPLOYMENT, keys.TICK, _PASSES)

    def put_tick(self, made: Pass) -> None:
        self._table.put(keys.DEPLOYMENT, keys.TICK, _PASSES.encode(made))

    def meta(self) -> Meta | None:
        """Return what `control ledger init` wrote; a newer schema reads like none."""
        meta = self._plain(keys.DEPLOYMENT, keys.META, _META)
        return meta if meta is not None and meta.schema_version <= SCHEMA else None

    def initialise(self, carried_over: Decimal, now: datetime) -> Meta:
        """Make the table and its `meta` row; one that is there already is returned.

        The command alone calls this: the app never believes that nothing was spent.
        """
        self._table.create()
        kept = self.meta()
        if kept is not None:
            return kept
        meta = Meta(schema_version=SCHEMA, carried_over=carried_over, made_at=now)
        row = _META.encode(meta)
        write = Write(kind=WriteKind.INSERT, key=keys.META, values=row)
        try:
            self._table.commit(keys.DEPLOYMENT, [write])
        except (LedgerConflict, LedgerUnavailable):
            kept = self.meta()
            if kept is None:
                raise
            return kept
        return meta

    def _plain[T](self, partition: str, key: str, codec: Codec[T]) -> T | None:
        try:
            row: Row | None = self._table.get(partition, key)
        except LedgerUnreadable as error:
            _LOG.warning("%s/%s is skipped: %s", partition, key, error)
            return None
        return _readable(row, codec) if row else None


def _readable[T](row: Row, codec: Codec[T]) -> T | None:
    """Skip an unreadable row, and name it."""
    try:
        return codec.decode(row.values)
    except LedgerUnreadable as error:
        _LOG.warning("%s/%s is skipped: %s", row.partition, row.key, error)
        return None


def _lease_write(lease: Lease, etag: str | None) -> Write:
    kind = WriteKind.INSERT if etag is None else WriteKind.REPLACE
    return Write(kind=kind, key=keys.LEASE, values=_LEASES.encode(lease), etag=etag)


def _journal_writes(
    before: State, decision: Decision, now: datetime
) -> Sequence[Write]:
    sessions = (decision.closed, decision.session, before.session)
    session = next((found for found in sessions if found is not None), None)
    return entry_writes(session.id if session else None, decision.entries, now)
