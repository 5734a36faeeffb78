"""Sessions over HTTP: filters, what a phone may see, CSV, and one with its journal."""

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import get_type_hints

import pytest

from control.journal import JournalEntry
from control.views import SessionFilter, SessionPage
from control.web import shapes
from control.web.csv import columns
from control.words import StopReason
from tests.unit.web.support import NOW, OPERATOR, VM, Site, document, session, slug

CLOSED = session(
    note="=HYPERLINK(1)",
    ended_at=NOW,
    cost=Decimal("101.76"),
    billed_seconds=4320,
    stop_reason=StopReason.IDLE,
    phases={"ready_s": 60},
)


def test_a_phone_sees_the_last_twenty(site: Site) -> None:
    """Without any query, and with a smaller limit."""
    site.switch.page = SessionPage(sessions=(CLOSED,), next_cursor="session:1")
    made = document(site.get("sessions"))
    assert site.switch.asked == [("sessions", VM, SessionFilter(limit=20))]
    assert made["sessions"][0]["note"] == "=HYPERLINK(1)"
    assert made["next_cursor"] == "session:1"
    assert made["totals"]["cost"] == "101.76"
    assert site.get("sessions", query={"limit": "5"}).status == 200


@pytest.mark.parametrize(
    ("query", "accept"),
    [
        ({"limit": "21"}, "application/json"),
        ({"cursor": "session:1"}, "application/json"),
        ({}, "text/csv"),
    ],
)
def test_more_takes_an_operators_token(
    site: Site, query: dict[str, str], accept: str
) -> None:
    """A phone: JSON, at most 20, no cursor."""
    assert slug(site.get("sessions", query=query, accept=accept)) == "not-allowed"
    assert site.switch.asked == []
    answer = site.get("sessions", token=OPERATOR, query=query, accept=accept)
    assert answer.status == 200


def test_every_filter_reaches_the_ledger(site: Site) -> None:
    """A day is its 00:00 UTC, an instant keeps its zone's meaning."""
    query = {
        "from": "2026-11-01",
        "to": "2026-11-30T11:00:00+01:00",
        "device": "iphone",
        "reason": "idle",
        "limit": "200",
        "cursor": "session:0001:01JD",
    }
    assert site.get("sessions", token=OPERATOR, query=query).status == 200
    assert site.switch.asked[0][2] == SessionFilter(
        start=datetime(2026, 11, 1, tzinfo=UTC),
        end=datetime(2026, 11, 30, 10, tzinfo=UTC),
        device="iphone",
        reason="idle",
        limit=200,
        cursor="session:0001:01JD",
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", "0"),
        ("limit", "201"),
        ("limit", "ten"),
        ("limit", "²"),
        ("limit", "9" * 5000),
        ("from", "yesterday"),
        ("from", "2026-11-31"),
        ("to", "2026-11-30T10:00:00"),
        ("reason", "tired"),
        ("cursor", "lease"),
        ("cursor", "session:" + "1" * 200),
        ("cursor", "session:\x00"),
        ("cursor", "session:1' or '1"),
    ],
)
def test_a_bad_query_names_its_field(site: Site, name: str, value: str) -> None:
    """422, and the ledger is not asked."""
    answer = site.get("sessions", token=OPERATOR, query={name: value})
    assert (slug(answer), document(answer)["field"]) == ("bad-query", name)
    assert site.switch.asked == []


def test_csv_has_the_same_columns_flat(site: Site) -> None:
    """And no cell that a spreadsheet would reckon."""
    open_ = replace(session(), note='a, "b"\nc')
    site.switch.page = SessionPage(sessions=(CLOSED, open_))
    answer = site.get("sessions", token=OPERATOR, accept="text/csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.body.decode(), newline="")))
    fields = list(get_type_hints(shapes.SessionShape))
    phases = list(get_type_hints(shapes.PhasesShape))
    assert set(columns()) == {*fields, *phases} - {"phases"}
    assert list(rows[0]) == columns()
    assert [row["note"] for row in rows] == ["'=HYPERLINK(1)", 'a, "b"\nc']
    assert (rows[0]["cost"], rows[1]["cost"]) == ("101.76", "")
    assert (rows[0]["ready_s"], rows[0]["gpu_s"]) == ("60", "0")
    assert rows[0]["provisional"] == "false"


def test_one_session_comes_with_its_journal(site: Site) -> None:
    """Oldest first, as the ledger gave it."""
    line = JournalEntry(at=NOW, event="opened", text="Asked.", by="iphone")
    site.switch.found = CLOSED, (line,)
    answer = site.get("session", token=OPERATOR, params={"id": CLOSED.id})
    made = document(answer)
    assert made["session"]["id"] == CLOSED.id
    assert made["journal"] == [
        {
            "at": "2026-11-30T10:00:00Z",
            "event": "opened",
            "text": "Asked.",
            "by": "iphone",
        }
    ]
    assert site.switch.asked == [("session", VM, CLOSED.id)]


def test_a_session_that_is_not_there_is_404(site: Site) -> None:
    """Also for an id that is none."""
    answer = site.get("session", token=OPERATOR, params={"id": "'; drop"})
    assert slug(answer) == "unknown-session"
    assert "drop" not in answer.body.decode()
