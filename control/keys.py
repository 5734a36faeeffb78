"""The row keys of the ledger: newest first by key order, generated characters only."""

from datetime import UTC, datetime, timedelta

from ulid import ULID

LEASE = "lease"
OBSERVED = "observed"
HEARTBEAT = "heartbeat"
DEPLOYMENT = "-"
TICK = "tick"
REPORTED = "reported"
QUOTE = "quote"
META = "meta"
SESSIONS = "session:"
TOKENS = "token:"
CODES = "code:"
AFTER_COLON = ";"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_MS = 10**13 - 1
_LAST_US = 10**16 - 1


def new_session_id(now: datetime) -> str:
    """Return a ULID of that millisecond."""
    return str(ULID.from_datetime(now))


def _before(at: datetime) -> str:
    """Return a key part that sorts a later instant before an earlier one."""
    return f"{_LAST_MS - (at - _EPOCH) // timedelta(milliseconds=1):013d}"


def session(session_id: str) -> str:
    """Return the row key of a session; raises ValueError for what is no ULID."""
    made = ULID.from_str(session_id)
    return f"{SESSIONS}{_before(made.datetime)}:{made}"


def sessions_until(at: datetime) -> str:
    """Return the key before the first session requested at or before `at`."""
    return f"{SESSIONS}{_before(at)}"


def journal(session_id: str | None, at: datetime, number: int, random: str) -> str:
    """Return the row key of the `number`th entry written at `at`."""
    micros = (at - _EPOCH) // timedelta(microseconds=1) + number
    return f"{journal_of(session_id)}{_LAST_US - micros:016d}:{random}"


def journal_of(session_id: str | None) -> str:
    """Return what the keys of one session's journal begin with."""
    return f"journal:{session_id or '-'}:"


def after(prefix: str) -> str:
    """Return the key after every key that begins with `prefix` (which ends in ':')."""
    return prefix[:-1] + AFTER_COLON


def total(month: str) -> str:
    """Return the row key of a month's total; `month` is yyyy-mm."""
    return f"total:{month}"
