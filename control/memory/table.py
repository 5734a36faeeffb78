"""The twin of the ledger's table, for threads; its service can fail."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import count

from control.errors import LedgerConflict, LedgerUnavailable, TableMissing
from control.model import ensure_utc
from control.ports import Row, Value, Values, Write, WriteKind

_LARGEST_TRANSACTION = 100


class MemoryTable:
    """`ports.Table` with its semantics, for threads; its service can fail."""

    def __init__(self, *, missing: bool = False) -> None:
        self.unreachable = False
        self._rows: dict[tuple[str, str], Row] | None = None if missing else {}
        self._lost_answers = 0
        self._lost_writes = 0
        self._etags = count(1)
        self._lock = threading.RLock()

    def drop(self) -> None:
        """Delete the table with all its rows."""
        with self._lock:
            self._rows = None

    def lose_answers(self, times: int = 1) -> None:
        """Let the next writes be made, or refused, and their answers be lost."""
        self._lost_answers = times

    def lose_writes(self, times: int = 1) -> None:
        """Let the next writes never arrive."""
        self._lost_writes = times

    def get(self, partition: str, key: str) -> Row | None:
        """Read one row."""
        with self._lock:
            return self._reached().get((partition, key))

    def scan(
        self, partition: str, first: str, after: str, *, limit: int | None = None
    ) -> Iterator[Row]:
        """Yield a range of rows as they were when the first was asked for."""
        with self._lock:
            found = [
                row
                for row in self._reached().values()
                if row.partition == partition and first <= row.key < after
            ]
        yield from sorted(found, key=lambda row: row.key)[:limit]

    def put(self, partition: str, key: str, values: Values) -> None:
        """Write one row whole."""
        write = Write(kind=WriteKind.UPSERT, key=key, values=values)
        self.commit(partition, [write])

    def delete(self, partition: str, key: str, etag: str) -> None:
        """Delete a row as it was read."""
        with self._lock:
            rows = self._arrived()
            row = rows.get((partition, key))
            if row is None or row.etag != etag:
                self._answer()
                raise LedgerConflict(f"The row {key} is not as it was read.")
            del rows[partition, key]
            self._answer()

    def commit(self, partition: str, writes: Sequence[Write]) -> None:
        """Make all writes or none."""
        assert 1 <= len(writes) <= _LARGEST_TRANSACTION
        assert len({write.key for write in writes}) == len(writes)
        with self._lock:
            rows = self._arrived()
            try:
                made = {
                    (partition, write.key): self._made(partition, write, rows)
                    for write in writes
                }
            except LedgerConflict:
                self._answer()
                raise
            rows.update(made)
            self._answer()

    def create(self) -> None:
        """Make the table where it is missing."""
        with self._lock:
            self._reach()
            self._rows = {} if self._rows is None else self._rows

    def _made(
        self, partition: str, write: Write, rows: Mapping[tuple[str, str], Row]
    ) -> Row:
        there = rows.get((partition, write.key))
        if write.kind is WriteKind.INSERT and there is not None:
            raise LedgerConflict(f"The row {write.key} is there already.")
        if write.kind is WriteKind.REPLACE:
            if not write.etag:
                raise ValueError("a conditional write without the etag that was read")
            if there is None or there.etag != write.etag:
                raise LedgerConflict(f"The row {write.key} is not as it was read.")
        values = {name: _stored(value) for name, value in write.values.items()}
        etag = f"memory-{next(self._etags)}"
        return Row(partition=partition, key=write.key, values=values, etag=etag)

    def _reach(self) -> None:
        if self.unreachable:
            raise LedgerUnavailable("The ledger is switched off.")

    def _reached(self) -> dict[tuple[str, str], Row]:
        self._reach()
        if self._rows is None:
            raise TableMissing("The ledger's table is missing.")
        return self._rows

    def _arrived(self) -> dict[tuple[str, str], Row]:
        rows = self._reached()
        if self._lost_writes:
            self._lost_writes -= 1
            raise LedgerUnavailable("The write was lost on its way.")
        return rows

    def _answer(self) -> None:
        if self._lost_answers:
            self._lost_answers -= 1
            raise LedgerUnavailable("The ledger's answer was lost.")


def _stored(value: Value) -> Value:
    return ensure_utc(value) if isinstance(value, datetime) else value
