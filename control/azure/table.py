"""The ledger's table through azure-data-tables.

Every conditional write names its match condition: without one the SDK overwrites
silently. Nothing is sent twice: a write whose answer was lost would meet itself.
Nothing is sent late: a write whose caller gave up could undo a newer one.
"""

from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError, ServiceRequestError

from control.azure.arm import call_options
from control.azure.deadline import Deadline, within
from control.azure.faults import table_code, translated_for_ledger
from control.azure.lazy import Lazy
from control.errors import LedgerUnavailable, LedgerUnreadable
from control.model import ensure_utc
from control.ports import Row, Value, Values, Write, WriteKind

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential
    from azure.data.tables import TableClient, TableEntity

LARGEST_TRANSACTION = 100
_SECONDS = 3.0
_LARGEST_PAGE = 1000
_ABSENT = {"ResourceNotFound", "EntityNotFound"}
_EXISTS = "TableAlreadyExists"
_DEADLINE: ContextVar[Deadline | None] = ContextVar("deadline", default=None)
_RANGE = "PartitionKey eq @partition and RowKey ge @first and RowKey lt @after"

type Operation = tuple[str, dict[str, Any], dict[str, Any]]


class AzureTable:
    """`ports.Table` on Table Storage or Azurite."""

    def __init__(self, client: "Lazy[TableClient]") -> None:
        self._client = client

    @classmethod
    def by_identity(
        cls, *, endpoint: str, name: str, credential: "TokenCredential"
    ) -> Self:
        """Use a table by the app's identity, as it is deployed."""
        return cls(Lazy(partial(_by_identity, endpoint, name, credential)))

    @classmethod
    def by_connection_string(cls, connection: str, *, name: str) -> Self:
        """Use a table by an account's key."""
        return cls(Lazy(partial(_by_connection_string, connection, name)))

    def get(self, partition: str, key: str) -> Row | None:
        """Read one row; only the service's own "no such entity" is a None."""

        def read(client: "TableClient") -> Row | None:
            try:
                return _row(client.get_entity(partition, key))
            except HttpResponseError as refusal:
                if table_code(refusal) in _ABSENT:
                    return None
                raise
            except ValueError:
                # The SDK makes instants of text by itself and may fail at it.
                raise LedgerUnreadable(f"an unreadable row: {key}") from None

        return self._call(read)

    def scan(
        self, partition: str, first: str, after: str, *, limit: int | None = None
    ) -> Iterator[Row]:
        """Yield a range of rows; an empty page in the middle is not the end."""

        def ask(client: "TableClient") -> "Iterator[Iterator[TableEntity]]":
            return client.query_entities(
                _RANGE,
                parameters={"partition": partition, "first": first, "after": after},
                results_per_page=min(limit or _LARGEST_PAGE, _LARGEST_PAGE),
            ).by_page()

        yield from islice(self._rows(self._call(ask)), limit)

    def put(self, partition: str, key: str, values: Values) -> None:
        """Write one row whole."""
        from azure.data.tables import UpdateMode  # noqa: PLC0415 - slow: at first use

        entity = _entity(partition, key, values)
        self._call(lambda table: table.upsert_entity(entity, mode=UpdateMode.REPLACE))

    def delete(self, partition: str, key: str, etag: str) -> None:
        """Delete a row as it was read, as a transaction: that tells when it is gone."""
        self._transact([("delete", _entity(partition, key, {}), _unchanged(etag))])

    def commit(self, partition: str, writes: Sequence[Write]) -> None:
        """Make all writes or none."""
        assert 1 <= len(writes) <= LARGEST_TRANSACTION
        self._transact([_operation(partition, write) for write in writes])

    def create(self) -> None:
        """Make the table where it is missing."""

        def make(client: "TableClient") -> None:
            try:
                client.create_table()
            except HttpResponseError as refusal:
                if table_code(refusal) != _EXISTS:
                    raise

        self._call(make)

    def _transact(self, operations: list[Operation]) -> None:
        answers = self._call(lambda table: table.submit_transaction(operations))
        if len(answers) != len(operations):
            # The SDK takes a 202 without any parts for a success.
            raise LedgerUnavailable("The ledger did not say what became of a write.")

    def _rows(self, pages: "Iterator[Iterator[TableEntity]]") -> Iterator[Row]:
        def page(_: object) -> list[Row] | None:
            found = next(pages, None)
            return None if found is None else [_row(entity) for entity in found]

        while (rows := self._call(page)) is not None:
            yield from rows

    def _call[T](self, call: "Callable[[TableClient], T]") -> T:
        with translated_for_ledger():
            client = self._client()
            return within(_SECONDS, lambda deadline: _timed(deadline, call, client))


def _timed[T](
    deadline: Deadline, call: "Callable[[TableClient], T]", client: "TableClient"
) -> T:
    _DEADLINE.set(deadline)
    return call(client)


def _in_time(_: object) -> None:
    """Run last before a request is sent; its token may have been waited for."""
    deadline = _DEADLINE.get()
    if deadline is not None and deadline.passed:
        raise ServiceRequestError("out of time before it was sent")


_OPTIONS: dict[str, Any] = {
    **call_options(_SECONDS),
    "retry_total": 0,
    "permit_redirects": False,
    "raw_request_hook": _in_time,
}


def _operation(partition: str, write: Write) -> Operation:
    from azure.data.tables import UpdateMode  # noqa: PLC0415 - slow: at first use

    entity = _entity(partition, write.key, write.values)
    match write.kind:
        case WriteKind.INSERT:
            return "create", entity, {}
        case WriteKind.UPSERT:
            return "upsert", entity, {"mode": UpdateMode.REPLACE}
        case WriteKind.REPLACE:
            options = _unchanged(write.etag or "")
            return "update", entity, {"mode": UpdateMode.REPLACE, **options}


def _unchanged(etag: str) -> dict[str, Any]:
    if not etag:
        raise ValueError("a conditional write without the etag that was read")
    return {"etag": etag, "match_condition": MatchConditions.IfNotModified}


def _entity(partition: str, key: str, values: Values) -> dict[str, Any]:
    stored = {
        name: ensure_utc(value) if isinstance(value, datetime) else value
        for name, value in values.items()
    }
    return {**stored, "PartitionKey": partition, "RowKey": key}


def _row(entity: "TableEntity") -> Row:
    values = {
        name: _value(value)
        for name, value in entity.items()
        if name not in {"PartitionKey", "RowKey"}
    }
    return Row(
        partition=entity["PartitionKey"],
        key=entity["RowKey"],
        values=values,
        etag=entity.metadata["etag"] or "",
    )


def _value(value: Any) -> Value:
    """Take text, booleans and instants as they are; the rest becomes text."""
    if isinstance(value, datetime):
        # The SDK's own datetime writes its old text back whatever was computed.
        return datetime.combine(value.date(), value.time(), tzinfo=UTC)
    return value if isinstance(value, str | bool) else str(value)


def _by_identity(
    endpoint: str, name: str, credential: "TokenCredential"
) -> "TableClient":
    from azure.data.tables import TableClient  # noqa: PLC0415 - slow: at first use

    return TableClient(endpoint, name, credential=credential, **_OPTIONS)


def _by_connection_string(connection: str, name: str) -> "TableClient":
    from azure.data.tables import TableClient  # noqa: PLC0415 - slow: at first use

    return TableClient.from_connection_string(connection, name, **_OPTIONS)
