"""The ledger's table under hazards; everything written passes the watch."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from control import keys
from control.errors import LedgerUnavailable
from control.memory import MemoryTable
from control.ports import Row, Values, Write
from tests.simulation.hazards import Hazards, LedgerFault
from tests.simulation.tasks import Tasks, here

_USUAL = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A row that was written: as it was (None: it was not) and as it is now."""

    key: str
    before: Row | None
    values: Values


class Witness(Protocol):
    """Who sees every write."""

    def committed(self, partition: str, changes: Sequence[Change]) -> None:
        """Learn what one transaction made."""


class HazardousTable:
    """`ports.Table` over the twin: it waits, fails, loses answers, and lets die."""

    def __init__(self, inner: MemoryTable, tasks: Tasks, hazards: Hazards) -> None:
        self._inner = inner
        self._tasks = tasks
        self._hazards = hazards
        self.witness: Witness | None = None

    def get(self, partition: str, key: str) -> Row | None:
        """Read one row."""
        self._arrive(partition, writes=False)
        return self._inner.get(partition, key)

    def scan(
        self, partition: str, first: str, after: str, *, limit: int | None = None
    ) -> Iterator[Row]:
        """Yield a range of rows."""
        self._arrive(partition, writes=False)
        yield from self._inner.scan(partition, first, after, limit=limit)

    def put(self, partition: str, key: str, values: Values) -> None:
        """Write one row whole."""
        self._arrive(partition, writes=True)
        before = self._inner.get(partition, key)
        self._inner.put(partition, key, values)
        self._tell(partition, [Change(key=key, before=before, values=values)])
        self._answer(partition)

    def delete(self, partition: str, key: str, etag: str) -> None:
        """Delete a row as it was read."""
        self._arrive(partition, writes=True)
        self._inner.delete(partition, key, etag)
        self._answer(partition)

    def commit(self, partition: str, writes: Sequence[Write]) -> None:
        """Make all writes or none."""
        self._arrive(partition, writes=True)
        changes = [
            Change(key=w.key, before=self._inner.get(partition, w.key), values=w.values)
            for w in writes
        ]
        self._inner.commit(partition, writes)
        self._tell(partition, changes)
        self._answer(partition)

    def create(self) -> None:
        """Make the table where it is missing."""
        self._arrive(keys.DEPLOYMENT, writes=True)
        self._inner.create()

    def _arrive(self, partition: str, *, writes: bool) -> None:
        self._pass_time("there")
        failing = self._hazards.ledger
        broken = {LedgerFault.UNREACHABLE, _fails(writes=writes)}
        if partition == keys.DEPLOYMENT:
            broken.add(LedgerFault.MONEY)
        if broken & failing:
            raise LedgerUnavailable("The ledger is away.")

    def _answer(self, partition: str) -> None:
        self._pass_time("back")
        lost = LedgerFault.LOST_ANSWERS in self._hazards.ledger
        if lost and partition != keys.DEPLOYMENT and self._drawn() < 1 / 3:
            raise LedgerUnavailable("The ledger's answer was lost.")

    def _drawn(self) -> float:
        return self._hazards.small(self._tasks.now(), "lost", 1.0)

    def _pass_time(self, where: str) -> None:
        usual = self._hazards.small(self._tasks.now(), where, _USUAL)
        self._tasks.wait(usual + self._hazards.ledger_takes)
        step()

    def _tell(self, partition: str, changes: Sequence[Change]) -> None:
        if self.witness is not None:
            self.witness.committed(partition, changes)


def step() -> None:
    """Let the process of the current task die here, if it is to."""
    process = here()
    if process is not None:
        process.step()


def _fails(*, writes: bool) -> LedgerFault:
    return LedgerFault.WRITES if writes else LedgerFault.READS
