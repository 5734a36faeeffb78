"""A fault as a person writes it: `name`, or `name:parameter=value,...`.

Those of the ledger's Table Storage begin with `ledger_`; `on` says for which calls.
"""

import inspect
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, get_args

from local import tables
from local.azure.faults import catalogue
from local.azure.faults.armed import Faults
from local.offer import Offer
from local.tables import faults as table_faults

_LEDGER = "ledger_"
_ON = {"all": tables.everything(), "reads": tables.reads(), "writes": tables.writes()}
LEDGER: Mapping[str, Offer[Any]] = {
    _LEDGER + name: offer for name, offer in table_faults.OFFERS.items()
}
OFFERS: Mapping[str, Offer[Any]] = {**catalogue.OFFERS, **LEDGER}


class UnknownFaultError(ValueError):
    """What was written names no fault, or no parameter of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A fault to arm; `times` None holds until it is cleared.

    `on` names the ledger's calls that are meant.
    """

    name: str
    times: int | None = None
    on: str = "all"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def arm(self, azure: Faults, ledger: tables.Faults) -> None:
        """Switch it on, at Azure or at the ledger's door."""
        if self.name not in LEDGER:
            azure.arm(self.name, times=self.times, **self.parameters)
            return
        name = self.name.removeprefix(_LEDGER)
        ledger.arm(name, times=self.times, on=_ON[self.on], **self.parameters)


def wanted(text: str) -> list[Wanted]:
    """Read faults with spaces between them; raises UnknownFaultError."""
    return [_one(each) for each in text.split()]


def _one(text: str) -> Wanted:
    name, _, rest = text.partition(":")
    if name not in OFFERS:
        near = get_close_matches(name, OFFERS, n=3)
        hint = f"; near it: {', '.join(near)}" if near else ""
        raise UnknownFaultError(f"there is no fault {name!r}{hint} (docs/faults.md)")
    given = dict(_pairs(name, rest))
    times = given.pop("times", None)
    if times is not None and (type(times) is not int or times < 1):
        raise UnknownFaultError(f"times={times} of {name!r} is no count above 0")
    on = given.pop("on", "all")
    if on not in _ON:
        raise UnknownFaultError(f"on={on} of {name!r} is none of {', '.join(_ON)}")
    made = Wanted(name=name, times=times, on=on, parameters=given)
    try:
        OFFERS[name].make(**given)
    except (TypeError, ValueError, LookupError) as error:
        raise UnknownFaultError(f"{text!r}: {error}") from None
    return made


def _pairs(name: str, rest: str) -> Iterator[tuple[str, Any]]:
    takes = OFFERS[name].parameters
    known = {"times", *takes, *(["on"] if name in LEDGER else [])}
    for pair in filter(None, rest.split(",")):
        key, equals, value = pair.partition("=")
        if not equals or key not in known:
            raise UnknownFaultError(
                f"{name!r} takes {', '.join(sorted(known))}, not {pair!r}"
            )
        asked = _value(value)
        if key in takes and (wrong := _wrong(takes[key], asked)):
            raise UnknownFaultError(f"{key}={value} of {name!r} is {wrong}")
        yield key, asked


def _wrong(takes: inspect.Parameter, asked: Any) -> str | None:
    """Say what is wrong with a value; what may be nothing is a number otherwise."""
    optional = type(None) in get_args(takes.annotation)
    if optional and asked is None:
        return None
    if isinstance(takes.default, bool):
        return None if isinstance(asked, bool) else "neither true nor false"
    if isinstance(takes.default, str):
        return None if isinstance(asked, str) else "no word"
    return None if _is_number(asked) else "no number"


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
    )


def _value(text: str) -> Any:
    """Numbers, true, false and null as in JSON; anything else is text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
