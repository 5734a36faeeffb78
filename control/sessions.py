"""Lists the ledger's sessions: newest first, filtered, in pages."""

from dataclasses import replace
from datetime import datetime, timedelta

from control.errors import LedgerUnreadable
from control.journal import JournalEntry
from control.ledger import Ledger
from control.model import Session
from control.rules import leases, phases
from control.views import SessionFilter, SessionPage

_HOUR = timedelta(hours=1)


class Sessions:
    """Reads sessions for people; raises `LedgerError`."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def started_last_hour(self, machine: str, now: datetime) -> int:
        """Count the sessions that a `POST /start` opened in the last hour."""
        found = self._ledger.sessions(machine, since=now - _HOUR)
        return sum(1 for _, session in found if session and not session.adopted)

    def page(self, machine: str, wanted: SessionFilter, now: datetime) -> SessionPage:
        """Return one page; unreadable rows are skipped and named."""
        found: list[Session] = []
        skipped: list[str] = []
        cursor = None
        for key, session in self._ledger.sessions(machine, after=wanted.cursor):
            if session is None:
                skipped.append(key)
            elif wanted.start is not None and session.requested_at < wanted.start:
                break
            elif _fits(session, wanted):
                if len(found) == wanted.limit:
                    return self._page(machine, found, skipped, cursor, now)
                found.append(session)
            cursor = key
        return self._page(machine, found, skipped, None, now)

    def _page(
        self,
        machine: str,
        found: list[Session],
        skipped: list[str],
        cursor: str | None,
        now: datetime,
    ) -> SessionPage:
        shown = tuple(self.current(machine, session, now) for session in found)
        return SessionPage(sessions=shown, next_cursor=cursor, skipped=tuple(skipped))

    def one(
        self, machine: str, session_id: str, now: datetime
    ) -> tuple[Session, tuple[JournalEntry, ...]] | None:
        """Return a session as it stands now, and its journal, oldest first."""
        session = self._ledger.session(machine, session_id)
        if session is None:
            return None
        journal = tuple(self._ledger.journal(machine, session_id))
        return self.current(machine, session, now), journal

    def current(self, machine: str, session: Session, now: datetime) -> Session:
        """Return an open session with its cost so far; a closed one as it is."""
        if session.ended_at is not None:
            return session
        try:
            lease = self._ledger.read(machine).lease
        except LedgerUnreadable:
            return session
        return replace(
            session,
            cost=leases.cost(lease, session, now),
            phases=phases.so_far(lease, session, now),
        )


def _fits(session: Session, wanted: SessionFilter) -> bool:
    if wanted.end is not None and session.requested_at >= wanted.end:
        return False
    if wanted.device is not None and session.started_by != wanted.device:
        return False
    reason = session.stop_reason.value if session.stop_reason else None
    return wanted.reason is None or wanted.reason == reason
