"""The ledger's table: the twin and Azurite keep the same promises."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from control.azure.table import AzureTable
from control.errors import LedgerConflict, LedgerUnavailable, TableMissing
from control.ports import Row, Table, Values, Write, WriteKind
from local.azurite import Azurite
from local.certificate import Certificate

AT = datetime(2026, 11, 30, 10, 0, 0, 123456, tzinfo=UTC)


def insert(key: str, **values: str) -> Write:
    return Write(kind=WriteKind.INSERT, key=key, values=values)


def replaced(key: str, etag: str, **values: str) -> Write:
    return Write(kind=WriteKind.REPLACE, key=key, values=values, etag=etag)


def there(table: Table, partition: str, key: str) -> Row:
    row = table.get(partition, key)
    assert row is not None
    return row


def keys(table: Table, first: str, after: str, limit: int | None = None) -> list[str]:
    return [row.key for row in table.scan("vm-1", first, after, limit=limit)]


def test_a_row_comes_back_as_it_was_written(table: Table) -> None:
    """Text, booleans and instants keep their values and their plain types."""
    values: Values = {"state": "held", "locked": False, "expires_at": AT, "note": ""}
    table.put("vm-1", "lease", values)
    row = there(table, "vm-1", "lease")
    assert row.partition == "vm-1"
    assert row.key == "lease"
    assert row.values == values
    assert type(row.values["expires_at"]) is datetime
    assert type(row.values["locked"]) is bool


@pytest.mark.parametrize(
    "text",
    [
        "Zoë's 🦙 — “note” 日本語",
        "O'Brien' or '1' eq '1",
        "2026-11-30T10:00:00Z",
        "007",
    ],
)
def test_text_stays_text(table: Table, text: str) -> None:
    """Any letters come back, also what looks like a number, a time or a filter."""
    table.put("vm-1", "lease", {"note": text})
    assert there(table, "vm-1", "lease").values == {"note": text}


def test_an_instant_of_another_zone_comes_back_in_utc(table: Table) -> None:
    """The instant is kept, the zone is always UTC."""
    paris = AT.astimezone(timezone(timedelta(hours=2)))
    table.put("vm-1", "lease", {"at": paris})
    read = there(table, "vm-1", "lease").values["at"]
    assert isinstance(read, datetime)
    assert read.isoformat() == AT.isoformat()


def test_a_naive_time_is_refused(table: Table) -> None:
    """A time without a zone is nobody's time: it is not written."""
    with pytest.raises(ValueError, match="zone"):
        table.put("vm-1", "lease", {"at": AT.replace(tzinfo=None)})
    assert table.get("vm-1", "lease") is None


def test_a_row_that_is_not_there_is_none(table: Table) -> None:
    """Neither another key nor another partition has it."""
    table.put("vm-1", "lease", {"a": "1"})
    assert table.get("vm-1", "observed") is None
    assert table.get("vm-2", "lease") is None


def test_put_writes_the_row_whole(table: Table) -> None:
    """A value that is not in the new row is gone from the old one."""
    table.put("vm-1", "observed", {"a": "1", "b": "2"})
    table.put("vm-1", "observed", {"b": "3"})
    assert there(table, "vm-1", "observed").values == {"b": "3"}


def test_replace_needs_the_row_as_it_was_read(table: Table) -> None:
    """The second of two writers that read the same row loses and changes nothing."""
    table.commit("vm-1", [insert("lease", holder="nobody", note="x")])
    read = there(table, "vm-1", "lease")
    table.commit("vm-1", [replaced("lease", read.etag, holder="first")])
    with pytest.raises(LedgerConflict):
        table.commit("vm-1", [replaced("lease", read.etag, holder="second")])
    row = there(table, "vm-1", "lease")
    assert row.values == {"holder": "first"}
    assert row.etag != read.etag


def test_replace_of_a_deleted_row_loses(table: Table) -> None:
    """A row that went away since it was read is not made again."""
    table.commit("vm-1", [insert("lease", a="1")])
    read = there(table, "vm-1", "lease")
    table.delete("vm-1", "lease", read.etag)
    with pytest.raises(LedgerConflict):
        table.commit("vm-1", [replaced("lease", read.etag, a="2")])
    assert table.get("vm-1", "lease") is None


def test_replace_without_an_etag_is_a_mistake(table: Table) -> None:
    """It would overwrite whatever is there, so it is refused before it is sent."""
    table.commit("vm-1", [insert("lease", a="1")])
    write = Write(kind=WriteKind.REPLACE, key="lease", values={"a": "2"})
    with pytest.raises(ValueError, match="etag"):
        table.commit("vm-1", [write])
    assert there(table, "vm-1", "lease").values == {"a": "1"}


def test_insert_is_made_once(table: Table) -> None:
    """The second insert of a key loses, the first stays."""
    table.commit("vm-1", [insert("session:1", a="first")])
    with pytest.raises(LedgerConflict):
        table.commit("vm-1", [insert("session:1", a="second")])
    assert there(table, "vm-1", "session:1").values == {"a": "first"}


def test_upsert_in_a_transaction_overwrites(table: Table) -> None:
    """An upsert asks for nothing and writes the row whole."""
    table.commit("vm-1", [insert("total:2026-11", a="1", b="1")])
    upsert = Write(kind=WriteKind.UPSERT, key="total:2026-11", values={"a": "2"})
    table.commit("vm-1", [upsert, insert("journal:1", what="x")])
    assert there(table, "vm-1", "total:2026-11").values == {"a": "2"}


@pytest.mark.parametrize("loser", ["stale", "duplicate", "absent"])
def test_a_transaction_is_made_whole_or_not_at_all(table: Table, loser: str) -> None:
    """One lost write, wherever it stands, takes all the others with it."""
    table.commit("vm-1", [insert("lease", a="1"), insert("session:1", a="1")])
    read = there(table, "vm-1", "lease")
    table.put("vm-1", "lease", {"a": "2"})
    lost = {
        "stale": replaced("lease", read.etag, a="3"),
        "duplicate": insert("session:1", a="3"),
        "absent": replaced("session:9", read.etag, a="3"),
    }[loser]
    with pytest.raises(LedgerConflict):
        table.commit("vm-1", [insert("journal:1", w="x"), lost, insert("z", w="x")])
    assert there(table, "vm-1", "lease").values == {"a": "2"}
    assert table.get("vm-1", "journal:1") is None
    assert table.get("vm-1", "z") is None


def test_a_hundred_writes_are_one_transaction(table: Table) -> None:
    """The service's limit is reached and not passed."""
    table.commit("vm-1", [insert(f"journal:{n:03}", n=str(n)) for n in range(100)])
    assert len(keys(table, "journal:", "journal;")) == 100


def test_a_scan_yields_a_range_in_key_order(table: Table) -> None:
    """From the first key on, before the last, in one partition alone."""
    written = [
        "lease",
        "session:9",
        "session:10",
        "session:1:B",
        "session:1:A",
        "total",
    ]
    for key in written:
        table.put("vm-1", key, {"a": "1"})
    table.put("vm-2", "session:2", {"a": "1"})
    found = ["session:10", "session:1:A", "session:1:B", "session:9"]
    assert keys(table, "session:", "session;") == found
    assert keys(table, "session:1:A", "session:1:B") == ["session:1:A"]
    assert keys(table, "session:", "session;", limit=2) == found[:2]
    assert keys(table, "session:a", "session;") == []


def test_a_scan_goes_to_the_very_end(table: Table) -> None:
    """More rows than the service puts on one page."""
    for hundred in range(11):
        names = [f"journal:{hundred:02}:{n:02}" for n in range(100)]
        table.commit("vm-1", [insert(name, a="1") for name in names])
    found = keys(table, "journal:", "journal;")
    assert len(found) == 1100
    assert found == sorted(found)
    assert len(keys(table, "journal:", "journal;", limit=1050)) == 1050


def test_delete_takes_the_row_as_it_was_read(table: Table) -> None:
    """A changed row stays, a gone one is a conflict: of two deletes one wins."""
    table.put("-", "code:1", {"device": "iphone"})
    read = there(table, "-", "code:1")
    table.put("-", "code:1", {"device": "ipad"})
    with pytest.raises(LedgerConflict):
        table.delete("-", "code:1", read.etag)
    fresh = there(table, "-", "code:1")
    table.delete("-", "code:1", fresh.etag)
    with pytest.raises(LedgerConflict):
        table.delete("-", "code:1", fresh.etag)
    assert table.get("-", "code:1") is None


def test_of_ten_inserts_at_once_one_wins(table: Table) -> None:
    """Ten threads insert one key: one row, nine conflicts."""

    def race(number: int) -> bool:
        try:
            table.commit("vm-1", [insert("lease", winner=str(number))])
        except LedgerConflict:
            return False
        return True

    with ThreadPoolExecutor(10) as pool:
        won = list(pool.map(race, range(10)))
    assert won.count(True) == 1
    winner = str(won.index(True))
    assert there(table, "vm-1", "lease").values == {"winner": winner}


def test_of_ten_replaces_at_once_one_wins(table: Table) -> None:
    """Ten threads that read one etag: one replaces, nine lose."""
    table.commit("vm-1", [insert("lease", a="0")])
    etag = there(table, "vm-1", "lease").etag

    def race(number: int) -> bool:
        try:
            table.commit("vm-1", [replaced("lease", etag, a=str(number))])
        except LedgerConflict:
            return False
        return True

    with ThreadPoolExecutor(10) as pool:
        assert list(pool.map(race, range(10))).count(True) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda table: table.get("vm-1", "lease"),
        lambda table: list(table.scan("vm-1", "a", "b")),
        lambda table: table.put("vm-1", "observed", {"a": "1"}),
        lambda table: table.delete("vm-1", "lease", 'W/"x"'),
        lambda table: table.commit("vm-1", [insert("lease", a="1")]),
        lambda table: table.commit("vm-1", [replaced("lease", 'W/"x"', a="1")]),
    ],
    ids=["get", "scan", "put", "delete", "insert", "replace"],
)
def test_a_missing_table_is_told_from_a_missing_row(
    missing_table: Table, call: object
) -> None:
    """Without a table nothing is empty: every call says that it is not there."""
    assert callable(call)
    with pytest.raises(TableMissing):
        call(missing_table)


def test_create_makes_the_table_once_and_keeps_its_rows(missing_table: Table) -> None:
    """A second create changes nothing."""
    missing_table.create()
    missing_table.put("vm-1", "lease", {"a": "1"})
    missing_table.create()
    assert there(missing_table, "vm-1", "lease").values == {"a": "1"}


def test_a_service_that_hangs_or_is_gone_is_unavailable(
    certificate: Certificate, tmp_path: Path
) -> None:
    """Within seconds, and the rows are there when it comes back."""
    with Azurite(certificate, folder=tmp_path) as azurite:
        table = AzureTable.by_connection_string(
            azurite.connection_string, name="ledger"
        )
        table.create()
        table.put("vm-1", "lease", {"a": "1"})
        azurite.freeze()
        began = time.monotonic()
        with pytest.raises(LedgerUnavailable) as hanging:
            table.get("vm-1", "lease")
        assert time.monotonic() - began < 8
        azurite.thaw()
        azurite.stop()
        with pytest.raises(LedgerUnavailable) as gone:
            table.commit("vm-1", [insert("lease", a="2")])
        assert {type(hanging.value), type(gone.value)} == {LedgerUnavailable}
        azurite.start()
        assert there(table, "vm-1", "lease").values == {"a": "1"}
