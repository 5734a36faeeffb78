"""How a value becomes a row of the ledger and comes back.

Instants and booleans stay what they are; counts, money and words are text; a value
inside a value is JSON text. Unset is absent, so that a row is always written whole.
"""

import dataclasses
import json
from collections.abc import Mapping
from datetime import datetime
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from control.errors import LedgerUnreadable
from control.model import ensure_utc
from control.ports import Value, Values

FREE_TEXT_UNITS = 2000
_NOT_FREE = frozenset({"operation_url"})


def cut(text: str, units: int = FREE_TEXT_UNITS) -> str:
    """Cut text to so many UTF-16 units, never through the middle of a character."""
    raw = text.encode("utf-16-le", "surrogatepass")
    if len(raw) <= 2 * units:
        return text
    return raw[: 2 * units].decode("utf-16-le", "ignore")


class Codec[T]:
    """Turns one kind of frozen dataclass into row values and back."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind
        self._adapter = TypeAdapter(kind)
        hints = get_type_hints(kind)
        self._nested = frozenset(name for name in hints if _is_nested(hints[name]))
        self._names = frozenset(hints)

    def encode(self, value: T) -> dict[str, Value]:
        """Return the row values; None is absent, free text is cut."""
        plain = self._adapter.dump_python(value, mode="json")
        row: dict[str, Value] = {}
        for name, said in plain.items():
            if said is None:
                continue
            whole = getattr(value, name)
            row[name] = _value(name, said, whole)
        return row

    def decode(self, row: Values) -> T:
        """Return the value; raises `LedgerUnreadable` where the row makes none."""
        plain: dict[str, Any] = {k: v for k, v in row.items() if k in self._names}
        try:
            for name in self._nested & plain.keys():
                plain[name] = json.loads(str(plain[name]))
            return self._adapter.validate_python(plain)
        except (ValidationError, ValueError) as error:
            kind = self._kind.__name__
            raise LedgerUnreadable(f"an unreadable row: {kind}") from error


def _is_nested(hint: Any) -> bool:
    kinds = get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)
    return any(
        dataclasses.is_dataclass(kind) or get_origin(kind) in {tuple, dict}
        for kind in kinds
    )


def _value(name: str, plain: Any, whole: object) -> Value:
    if isinstance(whole, datetime):
        return ensure_utc(whole)
    if isinstance(plain, bool):
        return plain
    if isinstance(plain, Mapping | list):
        return json.dumps(_cut_all(name, plain), separators=(",", ":"))
    return str(_cut_all(name, plain))


def _cut_all(name: str, plain: Any) -> Any:
    if isinstance(plain, Mapping):
        return {key: _cut_all(key, part) for key, part in plain.items()}
    if isinstance(plain, list):
        return [_cut_all(name, part) for part in plain]
    if isinstance(plain, str) and name not in _NOT_FREE:
        return cut(plain)
    return plain
