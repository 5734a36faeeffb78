"""What the ledger knows of devices: tokens that were accepted, and pairing codes.

Only hashes are kept, never a token or a code. Every method raises `LedgerError`.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from control import keys
from control.codec import Codec
from control.errors import LedgerConflict, LedgerUnreadable
from control.ports import Scope, Table, Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A token that the vault once said yes to; `digest` is its SHA-256."""

    device: str
    digest: bytes
    scope: Scope
    machine: str | None = None
    max_hours: Decimal | None = None
    checked_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A pairing code's row: `digest` is the hex SHA-256 of the code."""

    digest: str
    device: str
    expires_at: datetime
    etag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _AdmittedRow:
    device: str
    digest: str
    scope: Scope
    machine: str | None = None
    max_hours: Decimal | None = None
    checked_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class _CodeRow:
    device: str
    expires_at: datetime


_ADMITTED = Codec(_AdmittedRow)
_CODES = Codec(_CodeRow)
CODES_KEPT = timedelta(days=1)


class Devices:
    """The `token:` and `code:` rows."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def admitted(self, digest: bytes) -> Admitted | None:
        """Return the row of the token with this hash, if one was ever accepted."""
        found = (row for row in self.all() if row.digest == digest)
        return next(found, None)

    def admit(self, token: Token, at: datetime) -> None:
        """Write the token's row: it was accepted at `at`."""
        row = _AdmittedRow(
            device=token.device,
            digest=token.digest.hex(),
            scope=token.scope,
            machine=token.machine,
            max_hours=token.max_hours,
            checked_at=at,
        )
        key = f"{keys.TOKENS}{token.device}"
        self._table.put(keys.DEPLOYMENT, key, _ADMITTED.encode(row))

    def all(self) -> tuple[Admitted, ...]:
        """Return every token row; an unreadable one admits nobody."""
        rows = self._table.scan(keys.DEPLOYMENT, keys.TOKENS, keys.after(keys.TOKENS))
        found = []
        for row in rows:
            try:
                kept = _ADMITTED.decode(row.values)
                digest = bytes.fromhex(kept.digest)
            except (LedgerUnreadable, ValueError):
                continue
            found.append(
                Admitted(
                    device=kept.device,
                    digest=digest,
                    scope=kept.scope,
                    machine=kept.machine,
                    max_hours=kept.max_hours,
                    checked_at=kept.checked_at,
                )
            )
        return tuple(found)

    def put_code(self, digest: str, device: str, expires_at: datetime) -> None:
        """Keep a pairing code's hash until it is spent."""
        row = _CODES.encode(_CodeRow(device=device, expires_at=expires_at))
        self._table.put(keys.DEPLOYMENT, f"{keys.CODES}{digest}", row)

    def code(self, digest: str) -> Code | None:
        """Return the row of a code with this hash, however old."""
        row = self._table.get(keys.DEPLOYMENT, f"{keys.CODES}{digest}")
        if row is None:
            return None
        kept = _CODES.decode(row.values)
        return Code(
            digest=digest,
            device=kept.device,
            expires_at=kept.expires_at,
            etag=row.etag,
        )

    def spend_code(self, code: Code) -> bool:
        """Delete the row; False when somebody was first."""
        return self._delete(f"{keys.CODES}{code.digest}", code.etag)

    def _delete(self, key: str, etag: str) -> bool:
        try:
            self._table.delete(keys.DEPLOYMENT, key, etag)
        except LedgerConflict:
            return False
        return True

    def drop_old_codes(self, now: datetime) -> None:
        """Delete the rows of codes that ended a day ago."""
        rows = self._table.scan(keys.DEPLOYMENT, keys.CODES, keys.after(keys.CODES))
        for row in list(rows):
            expires_at = row.values.get("expires_at")
            if isinstance(expires_at, datetime) and now - expires_at > CODES_KEPT:
                self._delete(row.key, row.etag)
