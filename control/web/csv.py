"""Sessions as CSV: the columns of the JSON, flat; safe to open in a spreadsheet."""

import csv
import io
from collections.abc import Iterable

from control.model import Session
from control.web.documents import PHASES, session
from control.web.shapes import SessionShape

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def columns() -> list[str]:
    """Return the names of the columns; the phases stand where they do in the JSON."""
    names = list(SessionShape.__annotations__)
    at = names.index("phases")
    return [*names[:at], *PHASES, *names[at + 1 :]]


def table(of: Iterable[Session]) -> str:
    """Return the table with its head."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns(), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(_row(one) for one in of)
    return out.getvalue().removesuffix("\r\n")


def _row(of: Session) -> dict[str, object]:
    flat: dict[str, object] = dict(session(of))
    phases = flat.pop("phases")
    assert isinstance(phases, dict)
    return {name: _cell(value) for name, value in (flat | phases).items()}


def _cell(value: object) -> object:
    """A text that a spreadsheet would reckon gets an apostrophe before it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
