"""Two answers side by side, field by field: names, JSON types, header names."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.evidence.shared import Response

_GUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_KINDS = {bool: "boolean", str: "string", int: "number", float: "number"}
_KINDS |= {dict: "object", list: "array", type(None): "null"}
_EMPTY: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What may differ, each with its reason; what does not differ must not be named.

    A name that ends in a dot, or in `[]`, stands for all below it.
    """

    lacks: Mapping[str, str] = field(default_factory=dict)
    adds: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)


NOTHING = Allowed()


def fields(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every field's path with its JSON type; a list's items share one path."""
    yield path, _KINDS[type(value)]
    if isinstance(value, dict):
        for name, each in value.items():
            yield from fields(each, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for each in value:
            yield from fields(each, f"{path}[]")


def check_fields(ours: Any, theirs: Any, allowed: Allowed = NOTHING) -> None:
    """Fail with every field that one of two bodies has and the other has not."""
    mine, recorded = _typed(ours), _typed(theirs)
    _check("ours lacks", set(recorded) - set(mine), allowed.lacks)
    _check("ours adds", set(mine) - set(recorded), allowed.adds)
    both = set(mine) & set(recorded)
    other = {name for name in both if mine[name].isdisjoint(recorded[name])}
    _check("another type", other, allowed.types)


def check_headers(
    ours: httpx.Headers, theirs: Mapping[str, Any], allowed: Allowed = NOTHING
) -> None:
    """The same for the names of headers."""
    mine, recorded = set(ours.keys()), {name.lower() for name in theirs}
    _check("ours lacks the header", recorded - mine, allowed.lacks)
    _check("ours adds the header", mine - recorded, allowed.adds)


def check_error(
    ours: httpx.Response, theirs: Response, headers: Allowed = NOTHING
) -> None:
    """Status, fields, codes at every depth and headers are the recorded ones."""
    assert ours.status_code == theirs["status"]
    check_fields(ours.json(), theirs["body"])
    assert codes(ours.json()) == codes(theirs["body"])
    check_headers(ours.headers, theirs["headers"], headers)
    cause = theirs["headers"].get("x-ms-failure-cause")
    assert ours.headers.get("x-ms-failure-cause") == cause


def codes(value: Any) -> list[str]:
    """Every code of a body, the outer ones first."""
    if isinstance(value, list):
        return [code for each in value for code in codes(each)]
    if not isinstance(value, dict):
        return []
    own = [value["code"]] if isinstance(value.get("code"), str) else []
    return own + [code for each in value.values() for code in codes(each)]


def words(text: str) -> str:
    """A message without its names, times and numbers."""
    return re.sub(r"'[^']*'", "''", text)


def pattern_of(value: str) -> str:
    """A URL with what differs each time taken out."""
    text = re.sub(_GUID, "{guid}", value)
    text = re.sub(r"https?://[^/]+", "{host}", text)
    text = re.sub(r"(subscriptions|locations)/[^/]+", r"\1/{}", text)
    return re.sub(r"(api-version=)[\w-]+", r"\1{}", text)


def windows(value: str) -> list[str]:
    """The names of a rate-limit header's windows, without what is left."""
    return [part.partition(";")[0] for part in value.split(",")]


def timeless(status: Mapping[str, Any]) -> dict[str, Any]:
    """A status with its time's offset in place of its time."""
    return {n: v[-6:] if n == "time" else v for n, v in status.items()}


def _typed(body: Any) -> dict[str, set[str]]:
    typed: dict[str, set[str]] = {}
    for path, kind in fields(body):
        typed.setdefault(path, set()).add(kind)
    return typed


def _check(what: str, found: set[str], allowed: Mapping[str, str]) -> None:
    unexplained = {name for name in found if not _names(allowed, name)}
    assert unexplained == set(), what
    idle = {each for each in allowed if not any(_names([each], n) for n in found)}
    assert idle == set(), f"allowed and no difference: {what}"


def _names(allowed: Any, name: str) -> bool:
    return any(
        name == each or (each.endswith((".", "[]")) and name.startswith(each))
        for each in allowed
    )
