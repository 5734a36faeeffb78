"""Bodies: what each may hold, and a 422 that names the field that is wrong."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from control.model import Heartbeat
from control.ports import Scope
from control.web.auth import Caller
from control.web.bodies import (
    Body,
    ExtendBody,
    HeartbeatBody,
    PairBody,
    StartBody,
    ask,
    read,
)
from control.web.http import Request
from control.web.problems import Refused
from control.web.site import Place
from control.words import Ending, Phase, Purpose
from tests.unit.web.support import NOW, PARIS, VM, policy

PHONE = Caller(device="iphone", scope=Scope.PHONE, max_hours=Decimal(3))
OPERATOR = Caller(device="laptop", scope=Scope.OPERATOR)
PLACE = Place(policies={VM: policy()}, zone=PARIS, chat={})
BEAT = {"machine": VM, "boot_id": "boot-1", "phase": "ready"}


def request(body: Any) -> Request:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Request(method="POST", body=raw)


def asked(body: Any, caller: Caller = PHONE) -> timedelta | None:
    said = read(StartBody, request(body))
    return ask(said, caller, policy(), PLACE, NOW).asked


def wrong_field(kind: type[Body] | type[HeartbeatBody], body: Any) -> str:
    with pytest.raises(Refused) as caught:
        read(kind, request(body))
    problem = caught.value.problem
    assert problem.slug == "bad-body"
    field = str(problem.fields["field"])
    assert field in problem.detail
    return field


@pytest.mark.parametrize(
    ("body", "minutes"),
    [
        ({"hours": 2}, 120),
        ({"hours": 1.5}, 90),
        ({"hours": "2"}, 120),
        ({"hours": "1.5"}, 90),
        ({"hours": "1,5"}, 90),
        ({"hours": " ,5 "}, 30),
        ({"hours": 4}, 240),
        ({"minutes": 90}, 90),
        ({"minutes": "0,5"}, 0.5),
        ({"minutes": 240}, 240),
        ({"minutes": 30, "hours": None, "until": None}, 30),
    ],
)
def test_numbers_are_read_as_phones_send_them(body: Any, minutes: float) -> None:
    """JSON numbers and numeric strings, with a point or a comma."""
    assert asked(body) == timedelta(minutes=minutes)


@pytest.mark.parametrize("body", [b"", {}, {"note": "x"}])
def test_nothing_said_is_the_default_time(body: Any) -> None:
    """An empty body is as good as an empty object."""
    assert asked(body) is None


@pytest.mark.parametrize(
    "number",
    [0, -1, "0", "", "two", "1.5.2", "1,000.5", "-2", "+2", "1e1", True, [2], "٣"],
)
@pytest.mark.parametrize("field", ["hours", "minutes"])
def test_what_is_no_number_above_zero_is_named(field: str, number: Any) -> None:
    """0 < x: anything else is a 422 that names the field."""
    assert wrong_field(StartBody, {field: number}) == field
    if field == "minutes":
        assert wrong_field(ExtendBody, {field: number}) == field


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_constants_are_no_json(text: str) -> None:
    """Python's own parser would take them."""
    assert wrong_field(StartBody, f'{{"hours": {text}}}'.encode()) == "body"


@pytest.mark.parametrize(
    "body",
    [
        {"hours": 4.01},
        {"hours": "4,01"},
        {"minutes": 241},
        {"hours": 10**30},
        b'{"hours": 1e999999}',
    ],
)
def test_above_the_cap_names_the_field_and_the_cap(body: Any) -> None:
    """X <= MAX_RUNTIME_HOURS, in the unit that was used."""
    with pytest.raises(Refused) as caught:
        asked(body)
    problem = caught.value.problem
    assert problem.slug == "bad-body"
    assert problem.fields["field"] in {"hours", "minutes"}
    assert "4 hours" in problem.detail or "240 minutes" in problem.detail


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"{", "body"),
        (b"[]", "body"),
        (b"\xff", "body"),
        (b"[" * 5000, "body"),
        (b'"18:00"', "body"),
        (b'{"hours": 1e99999999999999999999}', "body"),
        ({"hour": 2}, "hour"),
        ({"until": "25:00"}, "until"),
        ({"until": "18h"}, "until"),
        ({"until": 18}, "until"),
        ({"note": 5}, "note"),
        ({"note": "x" * 2001}, "note"),
        ({"purpose": "fun"}, "purpose"),
    ],
)
def test_a_bad_start_body_names_its_field(body: Any, field: str) -> None:
    """Typing errors never start the default time."""
    assert wrong_field(StartBody, body) == field


@pytest.mark.parametrize(
    ("body", "field"),
    [({}, "minutes"), ({"minutes": None}, "minutes"), ({"minutes": 5, "x": 1}, "x")],
)
def test_a_bad_extend_body_names_its_field(body: Any, field: str) -> None:
    """The minutes are required."""
    assert wrong_field(ExtendBody, body) == field


@pytest.mark.parametrize("body", [{}, {"code": 5}, {"code": "x" * 65}])
def test_a_bad_pair_body_names_the_code(body: Any) -> None:
    """A code is a short text."""
    assert wrong_field(PairBody, body) == "code"


def test_two_ways_to_say_how_long_exclude_each_other() -> None:
    """The second one is named, with the first."""
    with pytest.raises(Refused) as caught:
        asked({"hours": 1, "until": "18:00"})
    assert caught.value.problem.fields["field"] == "until"
    assert "hours" in caught.value.problem.detail


def test_until_is_an_instant_and_no_span() -> None:
    """18:00 in Paris, with the rest of what was said."""
    said = read(StartBody, request({"until": "18:00", "note": "demo"}))
    made = ask(said, PHONE, policy(), PLACE, NOW)
    assert made.until == datetime(2026, 11, 30, 17, 0, tzinfo=UTC)
    assert made.asked is None
    assert (made.device, made.note, made.max_hours) == ("iphone", "demo", Decimal(3))
    assert made.purpose is Purpose.WORK


def test_only_an_operator_sets_up() -> None:
    """`purpose: setup` lifts rules that guard the money."""
    said = read(StartBody, request({"purpose": "setup"}))
    made = ask(said, OPERATOR, policy(), PLACE, NOW)
    assert made.purpose is Purpose.SETUP
    with pytest.raises(Refused) as caught:
        ask(said, PHONE, policy(), PLACE, NOW)
    assert caught.value.problem.slug == "not-allowed"


def test_a_whole_heartbeat_is_read() -> None:
    """Every field of the contract, instants in UTC."""
    body = BEAT | {
        "uptime_s": 12.5,
        "progress": 1,
        "detail": "serving",
        "requests_running": 1,
        "requests_waiting": 0,
        "open_connections": 2,
        "idle_seconds": 3.5,
        "prompt_tokens_total": 10,
        "generation_tokens_total": 20,
        "armed_until": "2026-11-30T13:00:00+01:00",
        "cap_at": "2026-11-30T14:00:00Z",
        "ending": "idle",
        "release_failed": True,
        "added_by_a_newer_agent": 1,
    }
    made = read(HeartbeatBody, request(body)).heartbeat(NOW)
    assert made == Heartbeat(
        received_at=NOW,
        machine=VM,
        boot_id="boot-1",
        uptime_s=12.5,
        phase=Phase.READY,
        progress=1.0,
        detail="serving",
        requests_running=1,
        requests_waiting=0,
        open_connections=2,
        idle_seconds=3.5,
        prompt_tokens_total=10,
        generation_tokens_total=20,
        armed_until=datetime(2026, 11, 30, 12, tzinfo=UTC),
        cap_at=datetime(2026, 11, 30, 14, tzinfo=UTC),
        ending=Ending.IDLE,
        release_failed=True,
    )
    assert made.armed_until is not None
    assert made.armed_until.tzinfo is UTC


def test_an_unknown_number_is_null_and_never_zero() -> None:
    """Null says "I do not know": row 15 must not read it as idle."""
    names = ("uptime_s", "requests_running", "idle_seconds", "prompt_tokens_total")
    made = read(HeartbeatBody, request(BEAT | dict.fromkeys(names))).heartbeat(NOW)
    assert made.requests_running is made.idle_seconds is made.uptime_s is None


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"machine": None}, "machine"),
        ({"boot_id": ""}, "boot_id"),
        ({"phase": "asleep"}, "phase"),
        ({"ending": "tired"}, "ending"),
        ({"idle_seconds": -1}, "idle_seconds"),
        ({"progress": 1.5}, "progress"),
        ({"requests_running": 1.5}, "requests_running"),
        ({"armed_until": "2026-11-30T13:00:00"}, "armed_until"),
        ({"cap_at": "later"}, "cap_at"),
    ],
)
def test_a_bad_heartbeat_names_its_field(changed: Any, field: str) -> None:
    """A naive time would mean any zone; a number below 0 means nothing."""
    assert wrong_field(HeartbeatBody, BEAT | changed) == field


WRONG: dict[str, Any] = {
    'Not done: hours is "two", which is no number above 0; send digits, such as 2 or '
    "1.5.": {"hours": "two"},
    'Not done: minutes is "-5", which is no number above 0; send digits, such as 2 or '
    "1.5.": {"minutes": -5},
    "Not done: hours is no number above 0; send digits, such as 2 or 1.5.": {
        "hours": "a-long-text-that-may-be-a-secret"
    },
    'Not done: until is "six", which is no time of day; send one such as 18:00.': {
        "until": "six"
    },
    "Not done: until is no time of day; send one such as 18:00.": {"until": "<b>"},
    "Not done: note has to be text; put it in quotes.": {"note": 5},
    "Not done: note is longer than 2000 characters; shorten it.": {"note": "x" * 2001},
    "Not done: purpose has to be 'work' or 'setup'; or leave it out.": {"purpose": "x"},
    "Not done: hour is not known here; leave it out or correct its name.": {"hour": 2},
    "Not done: body is not JSON; send an object, such as {}.": b"{",
    "Not done: body is not a JSON object; send one, such as {}.": [2],
    "Not done: hours is above the 4 hours that may be asked for; send less.": {
        "hours": 5
    },
    "Not done: until cannot be given beside hours; leave one of them out.": {
        "hours": 1,
        "until": "18:00",
    },
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_wrong_is_said_with_what_to_send(words: str) -> None:
    """What came is shown where it is short, and nothing that may be a secret."""
    with pytest.raises(Refused) as caught:
        asked(WRONG[words])
    assert caught.value.problem.detail == words
