"""What a request to Table Storage is about: its kind, partition and row keys."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import unquote

from local.azure.wire import Request

_ENTITY = re.compile(r"\(PartitionKey='((?:[^']|'')*)',RowKey='((?:[^']|'')*)'\)")
_IN_BODY = re.compile(r'"(PartitionKey|RowKey)":\s*"((?:[^"\\]|\\.)*)"')
_IN_FILTER = re.compile(r"(PartitionKey eq|RowKey ge) '((?:[^']|'')*)'")


class Kind(StrEnum):
    """What a request asks for."""

    GET = "get"
    SCAN = "scan"
    PUT = "put"
    BATCH = "batch"
    CREATE = "create"


_READS = frozenset({Kind.GET, Kind.SCAN})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request, understood; a scan's key is the first that it asks for."""

    kind: Kind
    request: Request
    partition: str = ""
    keys: tuple[str, ...] = ()

    def about(self, prefix: str) -> bool:
        """Whether any row of it has a key that begins so."""
        return not prefix or any(key.startswith(prefix) for key in self.keys)


type Meets = Callable[[Call], bool]


def understood(request: Request) -> Call:
    """Return what a request is about."""
    path = unquote(request.path)
    if path.endswith("/$batch"):
        return _batch(request)
    if path.endswith("/Tables"):
        return Call(kind=Kind.CREATE, request=request)
    found = _ENTITY.search(path)
    if found is None:
        return _scan(request)
    kind = Kind.GET if request.method == "GET" else Kind.PUT
    partition, key = found.groups()
    return Call(kind=kind, request=request, partition=partition, keys=(key,))


def _batch(request: Request) -> Call:
    body = request.body.decode()
    named = _ENTITY.findall(unquote(body))
    written = _IN_BODY.findall(body)
    partitions = [name for name, _ in named]
    partitions += [text for part, text in written if part == "PartitionKey"]
    keys = [key for _, key in named]
    keys += [text for part, text in written if part == "RowKey"]
    return Call(
        kind=Kind.BATCH,
        request=request,
        partition=next(iter(partitions), ""),
        keys=tuple(dict.fromkeys(keys)),
    )


def _scan(request: Request) -> Call:
    asked = dict(_IN_FILTER.findall(request.query.get("$filter", "")))
    return Call(
        kind=Kind.SCAN,
        request=request,
        partition=asked.get("PartitionKey eq", ""),
        keys=(asked.get("RowKey ge", ""),),
    )


def everything() -> Meets:
    """Meet every call."""
    return lambda _: True


def reads(prefix: str = "", partition: str | None = None) -> Meets:
    """Meet readings of rows whose key begins so, and scans from there."""

    def meets(call: Call) -> bool:
        inside = partition in (None, call.partition)
        return call.kind in _READS and inside and call.about(prefix)

    return meets


def writes(prefix: str = "") -> Meets:
    """Meet whatever writes a row whose key begins so, transactions too."""
    return lambda call: call.kind not in _READS and call.about(prefix)


def batches(prefix: str = "") -> Meets:
    """Meet transactions that write a row whose key begins so."""
    return lambda call: call.kind is Kind.BATCH and call.about(prefix)


def creates() -> Meets:
    """Meet the making of a table."""
    return lambda call: call.kind is Kind.CREATE
