"""The ledger's table through azure-data-tables.

Every conditional write names its match condition: without one the SDK overwrites
silently. Nothing is sent twice: a write whose answer was lost would meet itself.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError

from control.azure.faults import table_code, translated_for_ledger
from control.azure.lazy import Lazy
from control.model import ensure_utc
from control.ports import Row, Value, Values, Write, WriteKind

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential
    from azure.data.tables import TableClient, TableEntity

_LARGEST_PAGE = 1000
_ABSENT = {"ResourceNotFound", "EntityNotFound"}
_EXISTS = "TableAlreadyExists"
_OPTIONS: dict[str, Any] = {
    "connection_timeout": 2,
    "read_timeout": 5,
    "retry_total": 0,
    "permit_redirects": False,
}
_RANGE = "PartitionKey eq @partition and RowKey ge @first and RowKey lt @after"


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
        with translated_for_ledger():
            try:
                return _row(self._client().get_entity(partition, key))
            except HttpResponseError as refusal:
                if table_code(refusal) in _ABSENT:
                    return None
                raise

    def scan(
        self, partition: str, first: str, after: str, *, limit: int | None = None
    ) -> Iterator[Row]:
        """Yield a range of rows; an empty page in the middle is not the end."""
        with translated_for_ledger():
            entities = self._client().query_entities(
                _RANGE,
                parameters={"partition": partition, "first": first, "after": after},
                results_per_page=min(limit or _LARGEST_PAGE, _LARGEST_PAGE),
            )
            for entity in islice(entities, limit):
                yield _row(entity)

    def put(self, partition: str, key: str, values: Values) -> None:
        """Write one row whole."""
        from azure.data.tables import UpdateMode  # noqa: PLC0415 - slow: at first use

        with translated_for_ledger():
            entity = _entity(partition, key, values)
            self._client().upsert_entity(entity, mode=UpdateMode.REPLACE)

    def delete(self, partition: str, key: str, etag: str) -> None:
        """Delete a row as it was read, as a transaction: that tells when it is gone."""
        entity = _entity(partition, key, {})
        self._submit([("delete", entity, _unchanged(etag))])

    def commit(self, partition: str, writes: Sequence[Write]) -> None:
        """Make all writes or none."""
        if writes:
            self._submit([_operation(partition, write) for write in writes])

    def create(self) -> None:
        """Make the table where it is missing."""
        with translated_for_ledger():
            try:
                self._client().create_table()
            except HttpResponseError as refusal:
                if table_code(refusal) != _EXISTS:
                    raise

    def _submit(self, operations: list[Any]) -> None:
        with translated_for_ledger():
            self._client().submit_transaction(operations)


def _operation(partition: str, write: Write) -> tuple[str, dict[str, Any], Any]:
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
        etag=entity.metadata["etag"],
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
