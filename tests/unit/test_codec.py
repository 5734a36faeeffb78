"""How values become rows: whole, as text, cut, and back without a loss."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from control.codec import FREE_TEXT_UNITS, Codec, cut
from control.errors import LedgerUnreadable
from control.model import Heartbeat, Lease, Observed, Report, Session
from control.records import Reported
from control.words import Power
from tests.unit.builders import (
    ASKED_AT,
    NOW,
    beat,
    last,
    lease,
    observed,
    provisioning,
    release,
    session,
    start,
)

utc = st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1)).map(  # noqa: DTZ001  made UTC
    lambda at: at.replace(tzinfo=UTC)
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
spans = st.timedeltas(timedelta(0), timedelta(days=3))
amounts = st.decimals("-99999", "99999", places=2)
floats = st.floats(0, 1e9, allow_nan=False)
counts = st.dictionaries(texts, st.integers(0, 10**9), max_size=3)
st.register_type_strategy(datetime, utc)
st.register_type_strategy(str, texts)
st.register_type_strategy(timedelta, spans)
st.register_type_strategy(Decimal, amounts)
st.register_type_strategy(float, floats)


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(
        st.from_type(Lease),
        st.builds(Session, phases=counts),
        st.from_type(Heartbeat),
        st.from_type(Observed),
    )
)
def test_every_value_comes_back_as_it_was(
    value: Lease | Session | Heartbeat | Observed,
) -> None:
    """Unset, nested, exact to the microsecond and to the cent."""
    codec: Codec[Any] = Codec(type(value))
    assert codec.decode(codec.encode(value)) == value


def test_unset_is_absent_and_the_rest_is_text() -> None:
    """So that a row is always written whole; booleans and instants stay."""
    row = Codec(Session).encode(session(billed_seconds=12))
    assert "cost" not in row
    assert row["billed_seconds"] == "12"
    assert row["price_per_hour"] == "84.80"
    assert row["requested_at"] == ASKED_AT
    assert row["adopted"] is False
    assert row["phases"] == "{}"


def test_a_value_inside_a_value_is_json() -> None:
    """With its own times as text."""
    row = Codec(Lease).encode(lease(start=start(), release=release(), last=last()))
    assert isinstance(row["start"], str)
    assert '"sent_at":"2026-11-30T10:00:00Z"' in row["start"]
    entry = provisioning("succeeded", NOW)
    kept = observed(Power.RUNNING, entry=entry)
    codec = Codec(Observed)
    assert codec.decode(codec.encode(kept)) == kept


def test_c01_a_time_without_a_zone_is_never_written() -> None:
    """It would be stored as if it were UTC."""
    naive = NOW.replace(tzinfo=None)
    with pytest.raises(ValueError, match="zone"):
        Codec(Session).encode(session(requested_at=naive))


def test_c01_another_zone_is_written_as_utc() -> None:
    """The instant stays."""
    paris = NOW.astimezone(timezone(timedelta(hours=1)))
    row = Codec(Session).encode(session(requested_at=paris))
    assert row["requested_at"] == NOW
    assert isinstance(row["requested_at"], datetime)
    assert row["requested_at"].tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a" * 2000, "a" * 2000),
        ("a" * 2001, "a" * 2000),
        ("a" * 1999 + "\U0001f600", "a" * 1999),
        ("a" * 1998 + "\U0001f600" + "b", "a" * 1998 + "\U0001f600"),
        ("\U0001f600" * 1001, "\U0001f600" * 1000),
        ("", ""),
    ],
)
def test_free_text_is_cut_at_2000_utf_16_units(text: str, kept: str) -> None:
    """Never through the middle of a character."""
    assert cut(text) == kept
    row = Codec(Session).encode(session(note=text))
    assert row["note"] == kept
    assert len(kept.encode("utf-16-le")) <= 2 * FREE_TEXT_UNITS


def test_text_inside_a_value_is_cut_but_an_address_is_not() -> None:
    """An operation's URL that is cut is no URL."""
    url = "https://" + "u" * 3000
    codec = Codec(Lease)
    made = codec.decode(
        codec.encode(
            lease(start=start(operation_url=url), release=release(by="b" * 3000))
        )
    )
    assert made.start is not None
    assert made.start.operation_url == url
    assert made.release is not None
    assert made.release.by == "b" * 2000


def test_a_tuple_of_values_comes_back() -> None:
    """And an empty one."""
    report = Report(
        amount=Decimal("1.50"), currency="USD", start=ASKED_AT, end=NOW, at=NOW
    )
    codec = Codec(Reported)
    for value in (Reported(highest=(report, report), newest=report), Reported()):
        assert codec.decode(codec.encode(value)) == value


@pytest.mark.parametrize(
    "changed",
    [
        {"state": "sleeping"},
        {"expires_at": "never"},
        {"max_hours": "NaN"},
        {"start": "{"},
        {"start": '{"attempts": 1}'},
        {"machine": None},
    ],
)
def test_a_row_that_makes_no_value_is_unreadable(changed: dict[str, str]) -> None:
    """Never half a value."""
    codec = Codec(Lease)
    row = {**codec.encode(lease()), **changed}
    with pytest.raises(LedgerUnreadable, match="Lease"):
        codec.decode({name: value for name, value in row.items() if value is not None})


def test_a_newer_apps_columns_are_passed_over() -> None:
    """What is not known is not needed."""
    codec = Codec(Heartbeat)
    assert codec.decode({**codec.encode(beat()), "mood": "fine"}) == beat()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """A value of the kinds that stand by themselves."""

    flag: bool
    count: int | None = None


def test_a_flag_is_no_count() -> None:
    """True stays true and one becomes text."""
    codec = Codec(Plain)
    assert codec.encode(Plain(flag=True, count=1)) == {"flag": True, "count": "1"}
    assert codec.decode({"flag": False}) == Plain(flag=False)
