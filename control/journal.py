"""The journal: append-only lines of what was done to a lease and why."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from control import keys
from control.codec import Codec
from control.decision import Entry
from control.ports import Write, WriteKind


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One line of the journal as it was written."""

    at: datetime
    event: str
    text: str
    by: str


_CODEC = Codec(JournalEntry)


def entry_writes(
    session_id: str | None, entries: Iterable[Entry], now: datetime
) -> list[Write]:
    """Return one insert a line; lines of one instant keep their order.

    `session_id` is of the session that lines without one of their own belong to.
    """
    made = []
    for number, entry in enumerate(entries):
        line = JournalEntry(at=now, event=entry.event, text=entry.text, by=entry.by)
        of = entry.session_id or session_id
        key = keys.journal(of, now, number, secrets.token_hex(4))
        made.append(Write(kind=WriteKind.INSERT, key=key, values=_CODEC.encode(line)))
    return made
