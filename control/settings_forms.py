"""What a setting may look like: the checks that several settings share.

A check raises ValueError; the sentence that a person reads is made of the setting's
own `form`, so that no value is ever repeated.
"""

import re
from datetime import date, time
from decimal import Decimal, InvalidOperation
from typing import Annotated
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, SecretStr

EVENTS = frozenset({"adopted", "alarm", "ended", "unknown", "warning"})
_HOURS_OF_A_YEAR = 24 * 366
_LOOPBACK = {"127.0.0.1", "localhost"}
_TIME = re.compile(r"(\d{2}):(\d{2})Z?")


def _is(found: object, why: str) -> None:
    if not found:
        raise ValueError(why)


def _amount(text: object) -> Decimal:
    try:
        number = Decimal(str(text).strip())
    except InvalidOperation:
        raise ValueError("no number") from None
    _is(number.is_finite(), "no finite number")
    return number


def _positive(number: Decimal) -> Decimal:
    _is(number > 0, "not above 0")
    return number


def _year(hours: Decimal) -> Decimal:
    _is(hours <= _HOURS_OF_A_YEAR, "longer than a year")
    return hours


def _not_negative(number: Decimal) -> Decimal:
    _is(number >= 0, "below 0")
    return number


def _whole(number: Decimal) -> int:
    _is(number == number.to_integral_value() and number <= 10**6, "no whole number")
    return int(number)


def _https(text: str) -> str:
    parts = urlsplit(text)
    _is(parts.scheme == "https" and parts.hostname, "no https address")
    _is(parts.username is None and not parts.fragment, "more than an address")
    return text.rstrip("/")


def _link(text: str) -> str:
    """A link for people: plain http only where nobody can listen."""
    parts = urlsplit(text)
    if parts.scheme == "http" and parts.hostname in _LOOPBACK:
        return text.rstrip("/")
    return _https(text)


def _month(text: object) -> date:
    day = date.fromisoformat(str(text))
    _is(day.day == 1, "no first day of a month")
    return day


def _time_of_day(text: object) -> time:
    if isinstance(text, time):
        return text
    found = _TIME.fullmatch(str(text).strip())
    if found is None:
        raise ValueError("no time of day")
    return time(int(found[1]), int(found[2]))


def _span_of_day(text: object) -> tuple[time, time]:
    start, _, end = str(text).partition("-")
    return _time_of_day(start), _time_of_day(end)


def _events(text: object) -> frozenset[str]:
    asked = frozenset(str(text).replace(" ", "").split(","))
    if asked == {"all"}:
        return EVENTS
    _is(asked <= EVENTS, "an unknown event")
    return asked


def _zone(text: object) -> ZoneInfo:
    try:
        return ZoneInfo(str(text))
    except (LookupError, OSError) as error:
        raise ValueError("no time zone") from error


def _connection(secret: SecretStr) -> SecretStr:
    names = {part.partition("=")[0] for part in secret.get_secret_value().split(";")}
    known = {"AccountName", "AccountKey", "TableEndpoint", "EndpointSuffix"}
    _is(names & known, "no connection string")
    _is("TableEndpoint=http://" not in secret.get_secret_value(), "plain http")
    _is("Protocol=http;" not in secret.get_secret_value() + ";", "plain http")
    return secret


type Amount = Annotated[Decimal, BeforeValidator(_amount)]
type Price = Annotated[Decimal, BeforeValidator(_amount), AfterValidator(_positive)]
type Hours = Annotated[
    Decimal, BeforeValidator(_amount), AfterValidator(_positive), AfterValidator(_year)
]
type Cost = Annotated[Decimal, BeforeValidator(_amount), AfterValidator(_not_negative)]
type Count = Annotated[
    int, BeforeValidator(lambda text: _whole(_positive(_amount(text))))
]
type Endpoint = Annotated[str, AfterValidator(_https)]
type Link = Annotated[str, AfterValidator(_link)]
type Month = Annotated[date, BeforeValidator(_month)]
type TimeOfDay = Annotated[time, BeforeValidator(_time_of_day)]
type SpanOfDay = Annotated[tuple[time, time], BeforeValidator(_span_of_day)]
type Events = Annotated[frozenset[str], BeforeValidator(_events)]
type Zone = Annotated[ZoneInfo, BeforeValidator(_zone)]
type Connection = Annotated[SecretStr, AfterValidator(_connection)]
