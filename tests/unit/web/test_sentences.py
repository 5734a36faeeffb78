"""What is said of a start, a stop, an extend and the lock."""

from dataclasses import replace
from datetime import time, timedelta
from decimal import Decimal

import pytest

from control.model import Lease
from control.views import Answer, SessionPage, View
from control.web import sentences
from control.web.site import Place
from control.words import Fault, Limit, Phase, Power, PriceSource, StopReason
from tests.unit.web.cases import releasing
from tests.unit.web.cases import started as waits
from tests.unit.web.support import (
    NOW,
    PARIS,
    VM,
    beat,
    held,
    off,
    policy,
    seen,
    session,
)

PLACE = Place(policies={VM: policy()}, zone=PARIS, chat={})


def until(minutes: int, limit: Limit = Limit.ASKED, **changes: object) -> View:
    view = held(Power.DEALLOCATED, **changes)
    assert view.lease is not None
    end = NOW + timedelta(minutes=minutes)
    return replace(view, lease=replace(view.lease, expires_at=end, limited_by=limit))


def opened(view: View) -> str:
    return sentences.started(Answer(view=view, opened=True), PLACE)


def test_a_start_says_until_when_and_what_it_may_cost() -> None:
    """The two things that a person must know before the meter runs."""
    said = "Starting. It runs until 13:00 and costs at most 169.60 USD."
    assert opened(until(120)) == said


@pytest.mark.parametrize(
    ("limit", "why"),
    [
        (Limit.MAX_RUNTIME, "the longest that is allowed"),
        (Limit.DEVICE, "the longest for this device"),
        (Limit.BUDGET, "then the budget is spent"),
        (Limit.BUDGET_PERIOD, "then the budget's period ends"),
    ],
)
def test_a_start_that_was_shortened_says_by_what(limit: Limit, why: str) -> None:
    """Every limit but what was asked."""
    assert f"({why})" in opened(until(60, limit))


def test_a_configured_price_and_azures_own_shutdown_are_told() -> None:
    """Both change what the person may expect."""
    view = until(
        180,
        session=session(price_source=PriceSource.CONFIGURED),
        policy=policy(auto_shutdown_at=time(12, 0)),
    )
    said = opened(view)
    assert " at the price in the settings." in said
    assert said.endswith("Azure itself switches it off at 13:00.")
    before = until(100, policy=policy(auto_shutdown_at=time(12, 0)))
    assert "Azure itself" not in opened(before)


def test_a_shutdown_of_tomorrow_is_seen_across_midnight() -> None:
    """A lease over midnight UTC crosses the next day's shutdown."""
    late = NOW.replace(hour=23)
    view = until(0, policy=policy(auto_shutdown_at=time(1, 0)), now=late)
    assert view.lease is not None
    lease = replace(view.lease, expires_at=late + timedelta(hours=3))
    assert "at 02:00." in opened(replace(view, lease=lease))


def test_a_second_start_says_that_it_was_asked_for_already() -> None:
    """And how it is: the first words are no new start."""
    view = held(heartbeat=beat(Phase.READY))
    said = sentences.started(Answer(view=view), PLACE)
    assert said == "Already asked for. On. 1 hour 12 minutes left, 101.76 USD so far."


def test_an_unanswered_start_says_so() -> None:
    """Nobody may believe that it runs."""
    answer = Answer(view=until(120), opened=True, unsent=Fault.UNAVAILABLE)
    assert sentences.started(answer, PLACE).startswith(
        "Asked, but Azure has not answered yet."
    )


def test_a_start_that_azure_has_no_room_for_says_until_when_it_is_asked() -> None:
    """And that waiting costs nothing."""
    view = waits(Power.DEALLOCATED, timedelta(minutes=1), Fault.CAPACITY)
    said = sentences.started(
        Answer(view=view, opened=True, unsent=Fault.UNAVAILABLE), PLACE
    )
    assert said == (
        "Asked, but Azure has no such machine free. Asking goes on until 10:42; "
        "nothing is billed."
    )


def test_a_start_that_found_it_on_says_so() -> None:
    """Nothing is starting: it is this caller's now."""
    view = until(120, session=session(adopted=True))
    assert opened(view).startswith("On already, and yours now. It runs until 13:00")


STOPS = {
    "Already off.": Answer(view=off()),
    "Off now, but": Answer(view=off(lease=None, seen=seen(Power.DEALLOCATED))),
    "Stopping. It is": Answer(view=releasing(Power.RUNNING)),
    "Stopping, but Azure has not answered yet.": Answer(
        view=releasing(Power.RUNNING), unsent=Fault.UNAVAILABLE
    ),
    "Stopping by Azure alone: the record of costs": Answer(
        view=off(lease=None, seen=seen(Power.RUNNING))
    ),
    "Not stopped: Azure did not take it. Press stop again": Answer(
        view=off(lease=None, seen=seen(Power.RUNNING)), unsent=Fault.UNAVAILABLE
    ),
}


@pytest.mark.parametrize("words", STOPS)
def test_a_stop_says_what_came_of_it(words: str) -> None:
    """The first words carry the outcome, with and without a ledger."""
    assert sentences.stopped(STOPS[words], PLACE).startswith(words)


def test_a_stop_says_when_azure_was_last_told() -> None:
    """A second tap within 20 seconds sends nothing, and says so by the time."""
    view = releasing(Power.RUNNING)
    assert view.lease is not None
    assert view.lease.release is not None
    release = replace(view.lease.release, sent_at=NOW - timedelta(seconds=5))
    view = replace(view, lease=replace(view.lease, release=release))
    said = sentences.stopped(Answer(view=view), PLACE)
    assert said.startswith("Stopping. Azure was told at 10:59:55.")


def test_an_extend_says_the_new_and_the_furthest_deadline() -> None:
    """Both in the zone of the settings."""
    assert sentences.extended(held(), PLACE) == (
        "Extended until 12:12. It can run until 14:12 at most."
    )


def test_the_lock_says_what_becomes_of_the_machine() -> None:
    """A machine that runs is taken away; what is not ours, or unread, may not be."""
    locked = Lease(machine=VM, locked=True)
    said = sentences.locked(off(lease=locked), PLACE, on=True)
    assert said == "Locked. Nobody can start it."
    running = sentences.locked(releasing(Power.RUNNING), PLACE, on=True)
    assert running.endswith("It is being switched off.")
    unread = off(lease=locked, seen=seen(Power.UNKNOWN))
    assert sentences.locked(unread, PLACE, on=True) == "Locked. Nobody can start it."
    assert sentences.locked(off(), PLACE, on=False).startswith("Unlocked.")


def test_sessions_are_counted_and_summed() -> None:
    """One is a session, two are sessions."""
    one = SessionPage(sessions=(session(cost=Decimal("12.5")),))
    assert sentences.sessions(one, "USD") == "1 session, 12.50 USD."
    many = SessionPage(sessions=one.sessions * 2, next_cursor="x")
    assert sentences.sessions(many, "USD") == "2 sessions, 25.00 USD. There are more."


def test_a_session_says_how_it_went() -> None:
    """Open or ended, by whom and for how much."""
    ended = session(ended_at=NOW, stop_reason=StopReason.IDLE, cost=Decimal(5))
    assert sentences.session(ended) == (
        "Nobody was using it. It cost 5.00 USD and was started by iphone."
    )
    assert sentences.session(session()).startswith("Open. ")
