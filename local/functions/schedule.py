"""NCRONTAB schedules: six fields, UTC, all of which must match."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

_MONTHS = ["", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP"]
_MONTHS += ["OCT", "NOV", "DEC"]
_DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
_LIMITS = ((0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_NAMES: tuple[list[str], ...] = ([], [], [], [], _MONTHS, _DAYS)
_HORIZON = timedelta(days=366 * 8)  # 29 February is at most eight years away


class ScheduleError(ValueError):
    """A schedule that is no NCRONTAB expression, or never occurs."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The seconds, minutes, hours, days, months and weekdays that match."""

    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]

    def after(self, instant: datetime) -> datetime:
        """Return the first occurrence later than an aware instant."""
        for day in _days_from(instant.astimezone(UTC).date()):
            if self._has(day):
                for at in self._times(day):
                    if at > instant:
                        return at
        raise ScheduleError("this schedule never occurs")

    def _has(self, day: date) -> bool:
        return (
            day.month in self.months
            and day.day in self.days
            and day.isoweekday() % 7 in self.weekdays
        )

    def _times(self, day: date) -> Iterator[datetime]:
        for hour in self.hours:
            for minute in self.minutes:
                for second in self.seconds:
                    yield datetime.combine(day, time(hour, minute, second), UTC)


def parse(expression: str) -> Schedule:
    """Read six fields, or five with the seconds left out."""
    fields = expression.split()
    if len(fields) == 5:  # noqa: PLR2004 (five fields, as the sentence above says)
        fields = ["0", *fields]
    if len(fields) != len(_LIMITS):
        raise ScheduleError(f"{expression!r} has not the six fields of NCRONTAB")
    try:
        return Schedule(*map(_field, fields, _LIMITS, _NAMES))
    except ValueError as error:
        raise ScheduleError(
            f"{expression!r} is no NCRONTAB schedule: {error}"
        ) from error


def _field(text: str, limits: tuple[int, int], names: list[str]) -> tuple[int, ...]:
    values: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        first, last = _span(span, limits, names, open_end=bool(step))
        values.update(range(first, last + 1, int(step) if step else 1))
    return tuple(sorted(values))


def _span(
    text: str, limits: tuple[int, int], names: list[str], *, open_end: bool
) -> tuple[int, int]:
    lowest, highest = limits
    if text == "*":
        return limits
    low, dash, high = text.partition("-")
    first = _value(low, names)
    last = _value(high, names) if dash else highest if open_end else first
    if not lowest <= first <= last <= highest:
        raise ScheduleError(f"{text} is not within {lowest} to {highest}")
    return first, last


def _value(text: str, names: list[str]) -> int:
    name = text.upper()
    return names.index(name) if name and name in names else int(text)


def _days_from(first: date) -> Iterator[date]:
    for ahead in range(_HORIZON.days):
        yield first + timedelta(days=ahead)
