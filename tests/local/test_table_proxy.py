"""The proxy before Azurite: unseen unless it is armed, and each fault by its name."""

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from control.azure.table import AzureTable
from control.errors import (
    LedgerConflict,
    LedgerError,
    LedgerUnavailable,
    TableMissing,
)
from control.ports import Write, WriteKind
from local.azurite import Azurite
from local.certificate import Certificate
from local.tables import TableProxy, batches, creates, reads, writes
from local.tables.calls import Kind
from local.tables.faults import OFFERS

INSERT = Write(kind=WriteKind.INSERT, key="lease", values={"a": "1"})
LINE = Write(kind=WriteKind.INSERT, key="journal:1", values={"a": "1"})
_TABLES = count(1)


@pytest.fixture(scope="module")
def proxy(azurite: Azurite, certificate: Certificate) -> Iterator[TableProxy]:
    with TableProxy(azurite.endpoint, certificate) as running:
        yield running


@pytest.fixture
def table(
    proxy: TableProxy, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> Iterator[AzureTable]:
    """A table of its own, by the proxy."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate.authority))
    name = f"proxied{next(_TABLES)}"
    made = AzureTable.by_connection_string(proxy.connection_string, name=name)
    made.create()
    yield made
    proxy.faults.clear()


def test_what_is_not_armed_passes_unchanged(table: AzureTable) -> None:
    """Odd text, a transaction, a lost race, a delete and a scan are as without it."""
    text = "Zoë's 🦙 / # ? %27 \\"
    table.put("vm-1", "observed", {"note": text})
    row = table.get("vm-1", "observed")
    assert row is not None
    assert row.values == {"note": text}
    table.commit("vm-1", [INSERT, LINE])
    with pytest.raises(LedgerConflict):
        table.commit("vm-1", [INSERT])
    assert [row.key for row in table.scan("vm-1", "a", "m")] == ["journal:1", "lease"]
    table.delete("vm-1", "observed", row.etag)
    assert table.get("vm-1", "observed") is None


def test_a_call_is_understood(table: AzureTable, proxy: TableProxy) -> None:
    """Kind, partition and keys of every kind of call that the adapter makes."""
    table.create()
    table.put("vm-1", "observed", {"a": "1"})
    row = table.get("vm-1", "observed")
    assert row is not None
    replace = Write(kind=WriteKind.REPLACE, key="observed", values={}, etag=row.etag)
    table.commit("vm-1", [replace, INSERT, LINE])
    list(table.scan("vm-1", "session:", "session;"))
    seen = [(call.kind, call.partition, set(call.keys)) for call in proxy.seen[-5:]]
    assert seen == [
        (Kind.CREATE, "", set()),
        (Kind.PUT, "vm-1", {"observed"}),
        (Kind.GET, "vm-1", {"observed"}),
        (Kind.BATCH, "vm-1", {"observed", "lease", "journal:1"}),
        (Kind.SCAN, "vm-1", {"session:"}),
    ]


LOST, MISSING = LedgerUnavailable, TableMissing


def _put(table: AzureTable) -> None:
    table.put("vm-1", "lease", {"a": "1"})


def _commit(table: AzureTable) -> None:
    table.commit("vm-1", [INSERT, LINE])


@pytest.mark.parametrize("write", [_put, _commit])
@pytest.mark.parametrize(
    "case",
    [
        ("answer_lost", "", LOST, 1),
        ("reset", "", LOST, 0),
        ("internal_error", "", LOST, 0),
        ("internal_error", "taken", LOST, 1),
        ("operation_timed_out", "inside", LOST, 0),
        ("operation_timed_out", "taken", LOST, 1),
        ("server_busy", "", LOST, 0),
        ("server_busy", "inside", LOST, 0),
        ("unavailable", "", LOST, 0),
        ("unavailable", "taken", LOST, 1),
        ("too_many_requests", "", LOST, 0),
        ("table_being_deleted", "", MISSING, 0),
        ("table_being_deleted", "inside", MISSING, 0),
        ("table_not_found", "", MISSING, 0),
        ("table_not_found", "inside", MISSING, 0),
        ("not_found", "", MISSING, 0),
    ],
)
def test_a_write_under_a_fault(
    table: AzureTable,
    proxy: TableProxy,
    write: Callable[[AzureTable], None],
    case: tuple[str, str, type[LedgerError], int],
) -> None:
    """What the adapter makes of it, and whether the row is there: sent once."""
    fault, how, error, rows = case
    proxy.faults.arm(fault, on=writes(), **({how: True} if how else {}))
    calls = len(proxy.seen)
    with pytest.raises(LedgerError) as caught:
        write(table)
    assert type(caught.value) is error
    assert len(proxy.seen) == calls + 1
    assert len(list(table.scan("vm-1", "lease", "m"))) == rows


def test_a_write_whose_answer_is_empty_is_not_known_to_be_made(
    table: AzureTable, proxy: TableProxy
) -> None:
    """202 without the parts of the transaction proves nothing."""
    proxy.faults.arm("answer_empty", on=batches())
    with pytest.raises(LedgerUnavailable):
        table.commit("vm-1", [INSERT, LINE])
    assert table.get("vm-1", "lease") is not None


def test_delays_are_short_of_the_limit_or_not(
    table: AzureTable, proxy: TableProxy
) -> None:
    """Before and after it is taken, the adapter waits; a second is no error."""
    proxy.faults.arm("held_back", seconds=0.2)
    proxy.faults.arm("delayed", seconds=0.2)
    table.commit("vm-1", [INSERT])
    assert table.get("vm-1", "lease") is not None
    assert {"held_back", "delayed"} <= set(proxy.faults.met)


def test_a_fault_meets_the_calls_it_is_armed_for(
    table: AzureTable, proxy: TableProxy
) -> None:
    """By kind and key, after so many, and so many times."""
    proxy.faults.arm("reset", on=batches("journal:"), skip=1, times=1)
    proxy.faults.arm("reset", on=reads("observed"), times=None)
    proxy.faults.arm("reset", on=creates())
    table.commit("vm-1", [INSERT, LINE])
    table.put("vm-1", "journal:2", {"a": "1"})
    second = Write(kind=WriteKind.INSERT, key="journal:3", values={})
    with pytest.raises(LedgerUnavailable):
        table.commit("vm-1", [second])
    table.commit("vm-1", [second])
    assert table.get("vm-1", "lease") is not None
    for _ in range(2):
        with pytest.raises(LedgerUnavailable):
            table.get("vm-1", "observed")
    with pytest.raises(LedgerUnavailable):
        table.create()
    table.create()
    proxy.faults.clear()
    assert table.get("vm-1", "observed") is None


def test_a_fault_that_is_not_in_the_list_is_refused(proxy: TableProxy) -> None:
    """With the names that are."""
    with pytest.raises(KeyError, match="answer_lost"):
        proxy.faults.arm("answer_last")


@pytest.mark.parametrize(
    ("times", "shape", "calls"),
    [
        (1, (1, 1000), 2),
        (None, (2, 1000), 3),
        (None, (0, 10), 3),
        (None, (2, 10), 9),
    ],
)
def test_empty_and_short_pages_hold_all_the_rows(
    table: AzureTable,
    proxy: TableProxy,
    times: int | None,
    shape: tuple[int, int],
    calls: int,
) -> None:
    """Empty pages before each real one, or once, or short pages: nothing is missed."""
    names = [f"journal:{number:02}" for number in range(25)]
    made = [Write(kind=WriteKind.INSERT, key=name, values={}) for name in names]
    table.commit("vm-1", made)
    proxy.faults.arm("empty_page", times=times, pages=shape[0], rows=shape[1])
    before = len(proxy.seen)
    assert [row.key for row in table.scan("vm-1", "journal:", "journal;")] == names
    assert len(proxy.seen) - before == calls


def test_every_fault_says_what_it_does_in_a_sentence() -> None:
    """As the list in the docs has them."""
    assert all(offer.does.endswith(".") for offer in OFFERS.values())
