"""The small part of OData's `$filter` that the Retail Prices API knows.

`field eq 'text'` joined by `and`; case matters in names and in texts.
"""

import re
from collections.abc import Mapping
from typing import Any

_TERM = re.compile(r"\s*(\w+)\s+eq\s+('(?:[^']|'')*'|true|false)\s*")
_AND = re.compile(r"\band\b")
_WORDS = {"true": True, "false": False}

type Terms = list[tuple[str, str | bool]]


class FilterError(ValueError):
    """The filter is not one that this reads."""


def read(text: str) -> Terms:
    """The terms of a filter; an empty one has none."""
    terms: Terms = []
    at = 0
    while text[at:].strip():
        if terms:
            at = _past_and(text, at)
        term = _TERM.match(text, at)
        if term is None:
            raise FilterError(f"cannot read {text[at:]!r}")
        terms.append((term[1], _value(term[2])))
        at = term.end()
    return terms


def matches(terms: Terms, row: Mapping[str, Any]) -> bool:
    return all(row.get(name) == value for name, value in terms)


def _past_and(text: str, at: int) -> int:
    joined = _AND.match(text, at)
    if joined is None:
        raise FilterError(f"'and' expected at {text[at:]!r}")
    return joined.end()


def _value(text: str) -> str | bool:
    return _WORDS[text] if text in _WORDS else text[1:-1].replace("''", "'")
