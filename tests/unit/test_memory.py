"""What the twins can be told beyond the ports: failures, lost answers, time."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from control.errors import (
    Evidence,
    LedgerUnavailable,
    TableMissing,
    Throttled,
    Unavailable,
)
from control.memory import (
    MemoryClock,
    MemoryMachines,
    MemoryNotices,
    MemoryPrices,
    MemoryReports,
    MemoryTable,
    MemoryTokens,
)
from control.ports import Scope, Write, WriteKind
from control.words import Fault, OperationState, Power

AT = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


def test_the_clock_moves_when_told_and_never_back() -> None:
    """Waiting moves it too; a time without a zone does not."""
    clock = MemoryClock(AT)
    clock.wait(2.5)
    clock.advance(timedelta(seconds=1))
    assert clock.now() == AT + timedelta(seconds=3.5)
    with pytest.raises(ValueError, match="forward"):
        clock.set(AT)
    with pytest.raises(ValueError, match="zone"):
        clock.set(AT.replace(tzinfo=None))


def test_planned_failures_are_met_in_order_and_then_over() -> None:
    """Each takes one call, and the call is in the log all the same."""
    machines = MemoryMachines(MemoryClock(AT), ("vm-1",))
    machines.fail("start", Throttled(Evidence()))
    machines.fail("start", Unavailable(Evidence()), times=2)
    for kind in (Throttled, Unavailable, Unavailable):
        with pytest.raises(kind):
            machines.start("vm-1")
    assert machines.start("vm-1").operation_url is not None
    assert [call.verb for call in machines.calls] == ["start"] * 4


def test_a_lasting_failure_ends_when_taken_back() -> None:
    """Until then every call meets it."""
    machines = MemoryMachines(MemoryClock(AT), ("vm-1",))
    machines.fail("read", Unavailable(Evidence()), times=None)
    for _ in range(3):
        with pytest.raises(Unavailable):
            machines.read("vm-1")
    machines.recover()
    assert machines.read("vm-1").power is Power.DEALLOCATED


def test_starting_moves_no_machine() -> None:
    """The twin says what it was set to, and operations end when told."""
    clock = MemoryClock(AT)
    machines = MemoryMachines(clock, ("vm-1",))
    url = machines.start("vm-1").operation_url
    assert url is not None
    assert machines.read("vm-1").power is Power.DEALLOCATED
    assert machines.operation(url).state is OperationState.IN_PROGRESS
    machines.finish(url, Fault.CAPACITY, code="AllocationFailed")
    assert machines.operation(url).fault is Fault.CAPACITY


def test_a_lost_answer_leaves_the_write_made() -> None:
    """The caller can't tell, so it has to read again."""
    table = MemoryTable()
    table.lose_answers()
    with pytest.raises(LedgerUnavailable):
        table.commit("vm-1", [Write(kind=WriteKind.INSERT, key="lease", values={})])
    assert table.get("vm-1", "lease") is not None
    table.put("vm-1", "lease", {})


def test_an_unreachable_table_writes_nothing() -> None:
    """Neither reads nor writes get through, and the rows are there afterwards."""
    table = MemoryTable()
    table.put("vm-1", "lease", {"a": "1"})
    table.unreachable = True
    with pytest.raises(LedgerUnavailable):
        table.put("vm-1", "lease", {"a": "2"})
    with pytest.raises(LedgerUnavailable):
        list(table.scan("vm-1", "a", "z"))
    table.unreachable = False
    row = table.get("vm-1", "lease")
    assert row is not None
    assert row.values == {"a": "1"}


def test_a_dropped_table_comes_back_empty() -> None:
    """Its rows are gone for good."""
    table = MemoryTable()
    table.put("vm-1", "lease", {})
    table.drop()
    with pytest.raises(TableMissing):
        table.get("vm-1", "lease")
    table.create()
    assert table.get("vm-1", "lease") is None


def test_the_vault_counts_its_reads() -> None:
    """Failed ones too: that is what a rule of once a minute is held to."""
    tokens = MemoryTokens()
    tokens.add("iphone", "value", Scope.PHONE)
    tokens.fail(Unavailable(Evidence()))
    with pytest.raises(Unavailable):
        tokens.read()
    assert len(tokens.read()) == 1
    assert tokens.reads == 2


@pytest.mark.parametrize(
    ("twin", "call"),
    [
        (MemoryReports(), lambda twin: twin.read(AT)),
        (MemoryPrices(), lambda twin: twin.quote(AT)),
        (MemoryNotices(), lambda twin: twin.send("a", "b")),
        (MemoryTokens(), lambda twin: twin.read()),
    ],
)
def test_every_twin_can_fail_for_good_and_recover(twin: Any, call: Any) -> None:
    """So that an outage of any length can be played."""
    twin.fail(Unavailable(Evidence()), times=None)
    for _ in range(3):
        with pytest.raises(Unavailable):
            call(twin)
    twin.recover()
    call(twin)
