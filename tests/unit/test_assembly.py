"""A switch is put together without a single call."""

from control.assembly import Ports, assemble
from control.memory import (
    MemoryClock,
    MemoryMachines,
    MemoryNotices,
    MemoryPrices,
    MemoryTable,
)
from tests.unit.builders import ASKED_AT, POLICY, VM


def test_assembling_calls_nothing() -> None:
    """Neither ARM nor the ledger: an import or a cold start costs nothing."""
    clock, table = MemoryClock(ASKED_AT), MemoryTable()
    table.unreachable = True
    machines = MemoryMachines(clock, (VM,))
    ports = Ports(
        clock=clock,
        table=table,
        machines=machines,
        prices=MemoryPrices(),
        notices=MemoryNotices(),
    )
    assert assemble({VM: POLICY}, ports).machines == (VM,)
    assert machines.calls == []
