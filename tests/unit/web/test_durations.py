"""`until` across both changes of the clock, and the numbers that phones send."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest

from control.web.durations import next_time

PARIS = ZoneInfo("Europe/Paris")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


CASES = {
    "later today": ("2026-11-30 10:00", "18:00", "2026-11-30 17:00"),
    "already over today": ("2026-11-30 18:00", "18:00", "2026-12-01 17:00"),
    "this very instant is over": ("2026-11-30 17:00", "18:00", "2026-12-01 17:00"),
    "a second before": ("2026-11-30 16:59:59", "18:00", "2026-11-30 17:00"),
    "past midnight there": (
        "2026-11-30 23:30",
        "01:00",
        "2026-12-01 00:00",
    ),
    "doubled: the earlier one": ("2026-10-24 20:00", "02:30", "2026-10-25 00:30"),
    "doubled, seen from before it": ("2026-10-25 00:10", "02:30", "2026-10-25 00:30"),
    "doubled, in between": ("2026-10-25 00:45", "02:30", "2026-10-25 01:30"),
    "doubled, behind both": ("2026-10-25 01:30", "02:30", "2026-10-26 01:30"),
    "doubled, its first minute": ("2026-10-24 20:00", "02:00", "2026-10-25 00:00"),
    "doubled, just behind it": ("2026-10-24 20:00", "03:00", "2026-10-25 02:00"),
    "across the autumn change": ("2026-10-24 22:00", "04:00", "2026-10-25 03:00"),
    "left out: the change": ("2026-03-28 20:00", "02:30", "2026-03-29 01:00"),
    "left out, its first minute": ("2026-03-28 20:00", "02:00", "2026-03-29 01:00"),
    "left out, its last minute": ("2026-03-28 20:00", "02:59", "2026-03-29 01:00"),
    "just behind the gap": ("2026-03-28 20:00", "03:00", "2026-03-29 01:00"),
    "just before the gap": ("2026-03-28 20:00", "01:59", "2026-03-29 00:59"),
    "left out, and the change is over": (
        "2026-03-29 01:00",
        "02:30",
        "2026-03-30 00:30",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_until_is_the_next_such_time_in_paris(case: str) -> None:
    """The doubled hour is the earlier one, a missing time the instant of the change."""
    now, said, expected = CASES[case]
    assert next_time(time.fromisoformat(said), PARIS, utc(now)) == utc(expected)


def test_a_change_of_half_an_hour_is_found_to_the_second() -> None:
    """Lord Howe Island moves by 30 minutes: 02:10 is left out on 2026-10-04."""
    zone = ZoneInfo("Australia/Lord_Howe")
    found = next_time(time(2, 10), zone, utc("2026-10-03 12:00"))
    assert found == utc("2026-10-03 15:30")


def test_utc_has_no_changes() -> None:
    """A deployment without a zone reads the clock as it is."""
    found = next_time(time(2, 30), ZoneInfo("UTC"), utc("2026-03-29 01:00"))
    assert found == utc("2026-03-29 02:30")
