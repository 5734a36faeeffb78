"""The table on the wire: what Azurite can't be made to answer."""

import threading
import time
from typing import Any

import pytest

from control.azure.table import AzureTable
from control.errors import LedgerConflict, LedgerUnavailable, TableMissing
from control.patience import patience
from control.ports import Write, WriteKind
from tests.unit.azure.stub import BEARER, Credential, Stub

INSERT = Write(kind=WriteKind.INSERT, key="lease", values={"a": "1"})
KEY = "c2VjcmV0LWtleS1vZi10aGUtYWNjb3VudA=="


def table(stub: Stub) -> AzureTable:
    connection = (
        "DefaultEndpointsProtocol=https;AccountName=acct;"
        f"AccountKey={KEY};TableEndpoint={stub.url}/acct;"
    )
    return AzureTable.by_connection_string(connection, name="ledger")


def refusal(code: str) -> dict[str, Any]:
    return {"odata.error": {"code": code, "message": {"value": "No."}}}


def page(*keys: str) -> dict[str, Any]:
    rows = [
        {"PartitionKey": "vm-1", "RowKey": key, "odata.etag": 'W/"1"', "a": "1"}
        for key in keys
    ]
    return {"value": rows}


def test_an_empty_page_is_not_the_end(stub: Stub) -> None:
    """Pages that carry only a continuation are followed to the row behind them."""
    more = {
        "x-ms-continuation-NextPartitionKey": "1!8!dm0tMQ--",
        "x-ms-continuation-NextRowKey": "1!8!eA--",
    }
    stub.tell(body=page(), headers=more)
    stub.tell(body=page(), headers=more)
    stub.tell(body=page("session:1"))
    assert [row.key for row in table(stub).scan("vm-1", "a", "z")] == ["session:1"]
    assert len(stub.got) == 3


def test_keys_in_a_filter_are_quoted(stub: Stub) -> None:
    """A quote in a key ends no text of the filter."""
    stub.tell(body=page())
    list(table(stub).scan("vm' or 'x' eq 'x", "a", "z"))
    assert "vm%27%27%20or" in stub.got[0].path


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (404, refusal("TableNotFound"), TableMissing),
        (404, b"", TableMissing),
        (409, refusal("TableBeingDeleted"), TableMissing),
        (409, refusal("AccountBeingCreated"), LedgerUnavailable),
        (403, refusal("AuthorizationFailure"), LedgerUnavailable),
        (500, refusal("OperationTimedOut"), LedgerUnavailable),
        (503, refusal("ServerBusy"), LedgerUnavailable),
        (503, b"", LedgerUnavailable),
        (404, "<html>proxy</html>", TableMissing),
        (302, b"", LedgerUnavailable),
    ],
)
def test_a_refusal_that_is_no_lost_race_is_no_conflict(
    stub: Stub, status: int, body: Any, kind: type[Exception]
) -> None:
    """Only a row that changed, appeared or went away is a conflict."""
    stub.tell(status, body, {"Retry-After": "0", "Location": stub.url})
    with pytest.raises(LedgerUnavailable) as caught:
        table(stub).put("vm-1", "observed", {"a": "1"})
    assert type(caught.value) is kind
    assert len(stub.got) == 1


@pytest.mark.parametrize("status", [404, 500])
def test_a_row_is_missing_only_when_the_service_says_so(
    stub: Stub, status: int
) -> None:
    """A bare refusal is not "no such row": the ledger would look empty."""
    stub.tell(status, b"")
    with pytest.raises(LedgerUnavailable):
        table(stub).get("vm-1", "lease")


def test_a_write_is_sent_once(stub: Stub) -> None:
    """A lost answer is not asked for again: a second try would meet the first."""
    stub.tell(hang_up=True)
    with pytest.raises(LedgerUnavailable):
        table(stub).commit("vm-1", [INSERT])
    assert len(stub.got) == 1


def test_create_waits_for_a_table_that_is_going_away(stub: Stub) -> None:
    """While the old table is being deleted there is none."""
    stub.tell(409, refusal("TableBeingDeleted"))
    with pytest.raises(TableMissing):
        table(stub).create()


def test_the_account_may_be_entered_by_identity(stub: Stub) -> None:
    """By a token for storage, and the key of no account."""
    stub.tell(body=page())
    credential = Credential()
    by_identity = AzureTable.by_identity(
        endpoint=stub.url, name="ledger", credential=credential
    )
    assert list(by_identity.scan("vm-1", "a", "z")) == []
    assert credential.scopes == ["https://storage.azure.com/.default"]
    assert stub.got[0].headers["authorization"] == f"Bearer {BEARER}"


def test_no_error_tells_the_accounts_key(stub: Stub) -> None:
    """Neither a refusal nor a bad connection string."""
    stub.tell(403, refusal("AuthenticationFailed"))
    with pytest.raises(LedgerUnavailable) as caught:
        table(stub).get("vm-1", "lease")
    assert KEY not in str(caught.value)
    broken = AzureTable.by_connection_string(f"AccountKey={KEY}", name="ledger")
    with pytest.raises(LedgerUnavailable) as worse:
        broken.get("vm-1", "lease")
    assert KEY not in str(worse.value)


def test_a_conflict_is_told_by_the_header_alone(stub: Stub) -> None:
    """Some answers carry the code in a header, without a body."""
    stub.tell(412, b"", {"x-ms-error-code": "UpdateConditionNotSatisfied"})
    with pytest.raises(LedgerConflict):
        table(stub).put("vm-1", "lease", {"a": "1"})


def test_a_service_that_hangs_is_given_up(stub: Stub) -> None:
    """In five seconds, once."""
    stub.tell(body=page("a"), drip=True)
    began = time.monotonic()
    with pytest.raises(LedgerUnavailable):
        table(stub).get("vm-1", "lease")
    assert time.monotonic() - began < 8


@pytest.mark.parametrize("body", [b"", "--batch\r\n\r\n--batch--"])
def test_a_transaction_without_its_parts_is_not_made(stub: Stub, body: Any) -> None:
    """202 alone proves nothing: the SDK takes it for a success."""
    headers = {"Content-Type": "multipart/mixed; boundary=batch"}
    stub.tell(202, body, headers)
    with pytest.raises(LedgerUnavailable):
        table(stub).commit("vm-1", [INSERT])
    with pytest.raises(LedgerUnavailable):
        table(stub).delete("vm-1", "code:1", 'W/"1"')


def test_a_write_whose_caller_gave_up_is_not_sent(stub: Stub) -> None:
    """It waited for its token too long: a newer write may be in by now."""
    stub.tell(204)
    slow = threading.Event()
    by_identity = AzureTable.by_identity(
        endpoint=stub.url, name="ledger", credential=Credential(slow)
    )
    with patience(0.1), pytest.raises(LedgerUnavailable):
        by_identity.put("vm-1", "observed", {"a": "old"})
    waiting = [t for t in threading.enumerate() if t.name == "azure call"]
    slow.set()
    for thread in waiting:
        thread.join(10)
    assert stub.got == []
    by_identity.put("vm-1", "observed", {"a": "new"})
    assert len(stub.got) == 1
