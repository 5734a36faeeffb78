"""The JSON documents, field by field as the contract has them."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import get_type_hints

import pytest

from control.model import Lease, Report, Spend, Start
from control.said.figures import Figure
from control.views import Reply, SessionPage
from control.web import documents, shapes
from control.words import LeaseState, Phase, Power, Purpose, StopReason, Unreported
from tests.unit.web.support import (
    NOW,
    VM,
    beat,
    held,
    off,
    place,
    policy,
    seen,
    session,
)

CHAT = "https://chat.example.com"
SITE = place()


def test_an_instant_is_utc_with_a_z() -> None:
    """Whatever zone it came in."""
    at = datetime.fromisoformat("2026-11-30T11:00:05.999999+01:00")
    assert documents.instant(at) == "2026-11-30T10:00:05Z"


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("101.76", "101.76"),
        ("84.8", "84.80"),
        ("0", "0.00"),
        ("1E+3", "1000.00"),
        ("0.123456", "0.123456"),
        ("-5.5", "-5.50"),
    ],
)
def test_money_is_a_decimal_string(amount: str, text: str) -> None:
    """At least cents, never an exponent, and nothing is rounded away."""
    assert documents.amount(Decimal(amount)) == text


def test_the_status_of_a_ready_machine() -> None:
    """The design's own example: every field, with these values."""
    lease_start = Start(sent_at=NOW - timedelta(minutes=48), attempts=1)
    view = held(
        heartbeat=beat(
            Phase.READY, progress=1.0, armed_until=NOW + timedelta(minutes=72)
        ),
        session=session(ready_at=NOW - timedelta(minutes=20)),
        policy=policy(auto_shutdown_at=time(12, 0)),
        spend=Spend(
            spent=Decimal("1201.33"),
            standing_to_come=Decimal("101.28"),
            remaining=Decimal("3197.39"),
            rate=Decimal("84.80"),
            reported=Report(
                amount=Decimal("1150.2"),
                currency="USD",
                start=datetime(2026, 11, 1, tzinfo=UTC),
                end=datetime(2026, 12, 1, tzinfo=UTC),
                at=NOW - timedelta(hours=9),
            ),
        ),
    )
    assert view.lease is not None
    view = replace(view, lease=replace(view.lease, start=lease_start))
    assert documents.status(view, "On.", SITE) == {
        "now": "2026-11-30T10:00:00Z",
        "machine": VM,
        "fleet": [VM],
        "time_zone": "Europe/Paris",
        "state": "ready",
        "summary": "On.",
        "power": {"state": "running", "read_at": "2026-11-30T10:00:00Z"},
        "billing": True,
        "phase": "ready",
        "progress": 1.0,
        "ready_eta": None,
        "session": {
            "id": "01JDTRZ7Q0000000000000000A",
            "started_by": "iphone",
            "requested_at": "2026-11-30T09:12:00Z",
            "billing_since": "2026-11-30T09:12:00Z",
            "ready_at": "2026-11-30T09:40:00Z",
            "expires_at": "2026-11-30T11:12:00Z",
            "limited_by": "asked",
            "extendable_until": "2026-11-30T13:12:00Z",
            "seconds_left": 4320,
            "cost": "101.76",
            "currency": "USD",
            "price_per_hour": "84.80",
            "price_source": "retail",
            "stop_reason": None,
        },
        "offer": {
            "hours": "2",
            "limited_by": "asked",
            "max_hours": "4",
            "max_limited_by": "max_runtime",
            "max_cost": "169.60",
            "currency": "USD",
            "price_per_hour": "84.80",
            "price_source": "retail",
            "refused": None,
        },
        "budget": {
            "limit": "4500.00",
            "spent": "1201.33",
            "standing_to_come": "101.28",
            "remaining": "3197.39",
            "currency": "USD",
            "hours_left": "37.7",
            "reported_by_azure": "1150.20",
            "reported_at": "2026-11-30T01:00:00Z",
            "from": "2026-11-01",
            "to": "2027-02-01",
        },
        "enforcers": {
            "timer": {"last_tick_at": "2026-11-30T09:59:20Z", "stale": False},
            "vm": {
                "heartbeat_at": "2026-11-30T09:59:30Z",
                "armed_until": "2026-11-30T11:12:00Z",
            },
            "auto_shutdown": "12:00Z",
        },
        "locked": False,
        "last_session": None,
        "problem": None,
        "links": {"chat": CHAT},
    }


def test_without_a_ledger_the_status_is_what_arm_says() -> None:
    """Session, offer, budget and lock are null, and the problem says why."""
    view = off(
        lease=None,
        spend=None,
        offer=None,
        tick_at=None,
        seen=seen(Power.RUNNING),
        problems=("ledger-unverified",),
    )
    made = documents.status(view, "On and billed.", SITE)
    assert made["state"] == "unmanaged"
    assert made["billing"] is True
    parts = (made["session"], made["offer"], made["budget"], made["locked"])
    assert parts == (None, None, None, None)
    assert made["problem"] == "ledger-unverified"
    assert made["enforcers"]["timer"] == {"last_tick_at": None, "stale": True}


def test_without_a_chat_there_is_no_link() -> None:
    """Null, not an address that leads nowhere."""
    assert documents.status(off(), "", place(chat={}))["links"] == {"chat": None}


def test_a_machine_that_was_never_read_is_unknown() -> None:
    """No reading, no time of one."""
    made = documents.status(off(seen=None), "", SITE)
    assert made["power"] == {"state": "unknown", "read_at": None}
    assert made["billing"] is None


def test_when_it_will_be_ready_is_told_until_it_is() -> None:
    """EXPECTED_READY_MINUTES after the start; null once that is over."""

    def eta(ago: timedelta, **changes: object) -> str | None:
        view = held(session=session(**changes))
        assert view.lease is not None
        start = Start(sent_at=NOW - ago, attempts=1)
        view = replace(view, lease=replace(view.lease, start=start))
        return documents.status(view, "", SITE)["ready_eta"]

    assert eta(timedelta(minutes=10)) == "2026-11-30T10:20:00Z"
    assert eta(timedelta(minutes=31)) is None
    assert eta(timedelta(minutes=10), ready_at=NOW) is None


def test_a_release_shows_its_reason_before_the_session_has_one() -> None:
    """Why it is being stopped."""
    view = held()
    made = documents.status(view, "", SITE)
    assert made["session"] is not None
    assert made["session"]["stop_reason"] is None
    closed = replace(view, session=session(stop_reason=StopReason.IDLE))
    made = documents.status(closed, "", SITE)
    assert made["session"] is not None
    assert made["session"]["stop_reason"] == "idle"


def test_seconds_left_never_fall_below_zero() -> None:
    """A deadline that is over leaves 0."""
    lease = Lease(
        machine=VM, state=LeaseState.HELD, expires_at=NOW - timedelta(seconds=5)
    )
    assert documents.seconds_left(held(lease=lease)) == 0


def test_a_budget_that_is_spent_leaves_no_hours() -> None:
    """The remaining amount may be below 0, the hours may not."""
    spend = Spend(
        spent=Decimal(5000),
        standing_to_come=Decimal(0),
        remaining=Decimal(-500),
        rate=Decimal(0),
    )
    made = documents.status(off(spend=spend), "", SITE)["budget"]
    assert made is not None
    assert (made["remaining"], made["hours_left"]) == ("-500.00", "0")
    assert made["reported_by_azure"] is made["reported_at"] is None


@pytest.mark.parametrize("why", Unreported)
def test_d01_a_budget_says_why_azure_has_no_figure(why: Unreported) -> None:
    """In a sentence of its own, which is absent when there is nothing amiss."""
    spend = Spend(
        spent=Decimal(50),
        standing_to_come=Decimal(0),
        remaining=Decimal(500),
        rate=Decimal(0),
        unreported=why,
    )
    made = documents.status(off(spend=spend), "", SITE)["budget"]
    assert made is not None
    assert made["reported_problem"] == Figure[why.name].say()
    fine = documents.status(off(spend=replace(spend, unreported=None)), "", SITE)
    assert fine["budget"] is not None
    assert "reported_problem" not in fine["budget"]


def test_the_last_session_is_shown_when_none_is_open() -> None:
    """As it stands in the ledger."""
    last = session(ended_at=NOW, cost=Decimal("12.5"), stop_reason=StopReason.USER)
    made = documents.status(off(last=last), "", SITE)["last_session"]
    assert made is not None
    assert (made["cost"], made["stop_reason"]) == ("12.50", "user")


def test_a_session_has_every_field_and_phase() -> None:
    """Phases that were not reached are 0; tokens make a price per million."""
    made = documents.session(
        session(
            note="demo",
            phases={"allocate_s": 40, "weights_s": 900},
            cost=Decimal(100),
            prompt_tokens=1_500_000,
            generation_tokens=500_000,
            billed_seconds=4245,
            ended_at=NOW,
        )
    )
    assert made.keys() == get_type_hints(shapes.SessionShape).keys()
    assert made["phases"] == {
        "allocate_s": 40,
        "disk_s": 0,
        "weights_s": 900,
        "seeding_s": 0,
        "gpu_s": 0,
        "loading_s": 0,
        "edge_s": 0,
        "ready_s": 0,
        "idle_s": 0,
    }
    assert made["cost_per_million_tokens"] == "50.00"
    assert documents.session(session())["cost_per_million_tokens"] is None
    assert documents.session(session())["cost"] is None


def test_a_page_sums_what_it_lists() -> None:
    """Counts, seconds and cost; an open session's cost so far is in it."""
    closed = session(cost=Decimal("10.5"), billed_seconds=450)
    page = SessionPage(
        sessions=(closed, session(cost=Decimal("1.25"))),
        next_cursor="session:1",
        skipped=("session:x",),
    )
    made = documents.sessions(page, "USD")
    assert made["totals"] == {
        "sessions": 2,
        "billed_seconds": 450,
        "cost": "11.75",
        "currency": "USD",
    }
    assert made["next_cursor"] == "session:1"
    assert made["skipped"] == ["session:x"]


def test_the_answer_to_a_heartbeat() -> None:
    """Numbers as numbers, and nulls where no lease is held."""
    answer = Reply(
        now=NOW,
        session_id=None,
        expires_at=None,
        drain=True,
        purpose=Purpose.SETUP,
        policy=policy(max_runtime=timedelta(hours=2.5)),
    )
    assert documents.reply(answer) == {
        "now": "2026-11-30T10:00:00Z",
        "session_id": None,
        "expires_at": None,
        "drain": True,
        "idle_minutes": 20,
        "purpose": "setup",
        "ready_deadline_minutes": 75,
        "max_runtime_hours": 2.5,
    }
