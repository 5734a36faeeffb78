"""NCRONTAB: when a schedule occurs next."""

from datetime import UTC, datetime

import pytest

from local.functions.schedule import ScheduleError, parse


@pytest.mark.parametrize(
    ("expression", "after", "expected"),
    [
        ("0 * * * * *", "2026-11-30T10:00:00", "2026-11-30T10:01:00"),
        ("0 * * * * *", "2026-11-30T10:00:59.9", "2026-11-30T10:01:00"),
        ("* * * * *", "2026-11-30T10:00:30", "2026-11-30T10:01:00"),
        ("*/20 * * * * *", "2026-11-30T10:00:20", "2026-11-30T10:00:40"),
        ("0 */5 * * * *", "2026-11-30T10:56:00", "2026-11-30T11:00:00"),
        ("0 5/20 * * * *", "2026-11-30T10:26:00", "2026-11-30T10:45:00"),
        ("0 30 9-17 * * *", "2026-11-30T17:30:00", "2026-12-01T09:30:00"),
        ("0 0 0 1 JAN *", "2026-11-30T10:00:00", "2027-01-01T00:00:00"),
        ("0 0 0 * * MON-FRI", "2026-12-04T00:00:00", "2026-12-07T00:00:00"),
        ("0 0 0 * * 0", "2026-11-30T00:00:00", "2026-12-06T00:00:00"),
        ("0 0 0 13 * FRI", "2026-11-30T00:00:00", "2027-08-13T00:00:00"),
        ("0 0 0 29 2 *", "2026-11-30T00:00:00", "2028-02-29T00:00:00"),
        ("0,30 0 12 * * *", "2026-11-30T12:00:00", "2026-11-30T12:00:30"),
    ],
)
def test_the_next_occurrence(expression: str, after: str, expected: str) -> None:
    """The first instant later than now at which all six fields match."""
    instant = datetime.fromisoformat(after).replace(tzinfo=UTC)
    assert parse(expression).after(instant) == datetime.fromisoformat(expected).replace(
        tzinfo=UTC
    )


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "* * * *",
        "60 * * * * *",
        "0 * * * * 7",
        "0 x * * * *",
        "00:01:00",
        "0 5-1 * * * *",
    ],
)
def test_what_is_no_schedule_is_refused(expression: str) -> None:
    """A schedule that Azure would refuse stops the host at the start."""
    with pytest.raises(ScheduleError):
        parse(expression)


def test_a_day_that_never_comes_is_said() -> None:
    """30 February is an error, not an endless search."""
    with pytest.raises(ScheduleError, match="never"):
        parse("0 0 0 30 2 *").after(datetime(2026, 11, 30, tzinfo=UTC))
