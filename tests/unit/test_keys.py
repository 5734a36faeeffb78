"""The row keys: newest first, generated characters only."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control import keys
from tests.unit.builders import MINUTE, NOW, SECOND, SESSION_ID

MS = SECOND / 1000
US = SECOND / 1_000_000
instants = st.datetimes(datetime(2020, 1, 1), datetime(2200, 1, 1)).map(  # noqa: DTZ001  made UTC
    lambda at: at.replace(tzinfo=UTC)
)


@given(instants, instants)
def test_a_later_session_has_the_earlier_key(one: datetime, other: datetime) -> None:
    """Newest first by key order alone."""
    first, second = (
        keys.session(keys.new_session_id(at)) for at in sorted([one, other])
    )
    assert first.split(":")[1] >= second.split(":")[1]


def test_a_sessions_key_follows_from_its_id() -> None:
    """So that one session is a point read, in whatever case it was typed."""
    assert keys.session(SESSION_ID) == keys.session(SESSION_ID)
    assert keys.session(SESSION_ID).endswith(SESSION_ID)
    assert keys.session(SESSION_ID) == keys.session(SESSION_ID.lower())


@pytest.mark.parametrize("text", ["", "x", "lease", "'; drop", SESSION_ID + "A"])
def test_c06_what_is_no_id_makes_no_key(text: str) -> None:
    """Nobody's text becomes a key."""
    with pytest.raises(ValueError, match=r".+"):
        keys.session(text)


@pytest.mark.parametrize(("late", "inside"), [(0 * MS, False), (MS, True)])
def test_sessions_until_bounds_a_scan(late: timedelta, inside: object) -> None:
    """What was requested later comes before it."""
    at = NOW + late
    key = keys.session(keys.new_session_id(at))
    assert (key < keys.sessions_until(NOW)) is inside


def test_c03_lines_of_one_instant_are_told_apart_and_ordered() -> None:
    """A later line has the earlier key, by the microsecond."""
    first = keys.journal(SESSION_ID, NOW, 0, "a")
    second = keys.journal(SESSION_ID, NOW, 1, "a")
    later = keys.journal(SESSION_ID, NOW + 2 * US, 0, "a")
    assert later < second < first
    assert keys.journal(SESSION_ID, NOW, 0, "b") != first


def test_a_journal_is_one_range() -> None:
    """Of its session, or of none."""
    prefix = keys.journal_of(SESSION_ID)
    key = keys.journal(SESSION_ID, NOW, 0, "a")
    assert prefix <= key < keys.after(prefix)
    other = keys.journal(None, NOW, 0, "a")
    assert other.startswith("journal:-:")
    assert not prefix <= other < keys.after(prefix)


def test_c06_keys_hold_generated_characters_only() -> None:
    """Digits, letters, colon, dash."""
    made = (
        keys.session(SESSION_ID),
        keys.journal(None, NOW + MINUTE, 3, "0f"),
        keys.total("2026-11"),
        keys.sessions_until(NOW),
    )
    assert all(re.fullmatch(r"[\w:-]+", key) for key in made)
