"""What people say of time: hours and minutes as they type them, and `until`."""

import re
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator

from control.said.wrong import Wrong

_NUMBER = re.compile(r"[0-9]{1,9}(?:[.,][0-9]{1,9})?|[.,][0-9]{1,9}")
_SHOWN = re.compile(r"[A-Za-z0-9.,:+-]{1,12}(?: [A-Za-z0-9.,:+-]{1,12})?")
_TIME = re.compile(r"(\d{1,2}):(\d{2})")


def _number(said: object) -> Decimal | None:
    """Read 2, 1.5, "2", "1.5" and "1,5": Shortcuts send each of them."""
    if said is None:
        return None
    number = _as_decimal(said)
    if number is None or not number.is_finite() or number <= 0:
        raise ValueError(_no(Wrong.NO_NUMBER, Wrong.NO_NUMBER_BUT, said))
    return number


def _as_decimal(said: object) -> Decimal | None:
    if isinstance(said, bool):
        return None
    if isinstance(said, int | Decimal):
        return Decimal(said)
    text = said.strip() if isinstance(said, str) else ""
    found = _NUMBER.fullmatch(text)
    return Decimal(text.replace(",", ".")) if found else None


def _time_of_day(said: object) -> time | None:
    if said is None:
        return None
    found = _TIME.fullmatch(said.strip()) if isinstance(said, str) else None
    wrong = _no(Wrong.NO_TIME, Wrong.NO_TIME_BUT, said)
    if found is None:
        raise ValueError(wrong)
    try:
        return time(int(found[1]), int(found[2]))
    except ValueError:
        raise ValueError(wrong) from None


def _no(plain: Wrong, shown: Wrong, said: object) -> str:
    """Say what is wrong, and show what was said where it is short and harmless."""
    spoken = isinstance(said, int | float | Decimal | str)
    text = str(said) if spoken and not isinstance(said, bool) else ""
    return shown.say(got=text) if _SHOWN.fullmatch(text) else plain.say()


type Number = Annotated[Decimal, BeforeValidator(_number)]
type TimeOfDay = Annotated[time, BeforeValidator(_time_of_day)]


def next_time(at: time, zone: ZoneInfo, now: datetime) -> datetime:
    """Return the next instant after `now` at which clocks in `zone` show `at`.

    In the doubled hour it is the earlier one that is still to come; a time that is
    left out is the instant of the change.
    """
    day = now.astimezone(zone).date()
    while True:
        for instant in _instants(datetime.combine(day, at, zone)):
            if instant > now:
                return instant
        day += timedelta(days=1)


def _instants(local: datetime) -> tuple[datetime, ...]:
    first, second = (local.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    if first <= second:
        return first, second
    return (_change(local.tzinfo, second, first),)


def _change(zone: object, before: datetime, after: datetime) -> datetime:
    """Return the first second in (before, after] with another offset than `before`."""
    assert isinstance(zone, ZoneInfo)
    offset = before.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) // 2
        middle = middle.replace(microsecond=0)
        same = middle.astimezone(zone).utcoffset() == offset
        before, after = (middle, after) if same else (before, middle)
    return after
