"""Lists of sessions: newest first, filtered, in pages; open ones as they stand."""

from decimal import Decimal
from typing import Any

import pytest

from control import keys
from control.decision import Decision
from control.errors import LedgerUnavailable
from control.sessions import Sessions
from control.views import SessionFilter, SessionPage
from control.words import LeaseState, StopReason
from tests.unit.builders import (
    ASKED_AT,
    HOUR,
    MINUTE,
    NOW,
    SECOND,
    VM,
    World,
    lease,
    session,
    world,
)


def history(count: int = 5) -> World:
    """Make closed sessions, an hour apart, the newest at ten; every second idle."""
    of = world()
    for number in range(count, 0, -1):
        begun = ASKED_AT - (number - 1) * HOUR
        own = keys.new_session_id(begun)
        ended = session(
            id=own,
            requested_at=begun,
            billing_since=begun,
            ended_at=begun + 30 * MINUTE,
            started_by="ipad" if number == 1 else "iphone",
            stop_reason=StopReason.IDLE if number % 2 else StopReason.USER,
            cost=Decimal(number),
        )
        closing = Decision(
            rows=(1,), reason="", lease=lease(LeaseState.NONE), closed=ended
        )
        of.ledger.commit(of.state(), closing, begun)
    return of


def page(of: World, **wanted: Any) -> SessionPage:
    return Sessions(of.ledger).page(VM, SessionFilter(**wanted), NOW)


def costs(made: SessionPage) -> list[int]:
    """Return the costs: they number the sessions, the newest is one."""
    return [int(one.cost or 0) for one in made.sessions]


def test_sessions_come_newest_first() -> None:
    """All of them, where they fit."""
    made = page(history())
    assert costs(made) == [1, 2, 3, 4, 5]
    assert made.next_cursor is None


def test_pages_join_without_a_gap_or_a_double() -> None:
    """The cursor is none on the last page, also where it is just full."""
    of = history(4)
    found, cursor = list[int](), None
    for _ in range(2):
        made = page(of, limit=2, cursor=cursor)
        found += costs(made)
        cursor = made.next_cursor
    assert found == [1, 2, 3, 4]
    assert cursor is None
    assert page(of, limit=3).next_cursor is not None


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"device": "ipad"}, [1]),
        ({"device": "nobody"}, []),
        ({"reason": "user"}, [2, 4]),
        ({"start": ASKED_AT - HOUR}, [1, 2]),
        ({"end": ASKED_AT - HOUR}, [3, 4, 5]),
        ({"start": ASKED_AT - 2 * HOUR, "end": ASKED_AT}, [2, 3]),
        ({"reason": "idle", "device": "iphone"}, [3, 5]),
    ],
)
def test_filters_combine(wanted: dict[str, Any], found: list[int]) -> None:
    """Requested in [from, to)."""
    assert costs(page(history(), **wanted)) == found


def test_a_filtered_page_goes_on_where_it_stopped() -> None:
    """Rows that do not fit are passed over in both."""
    of = history()
    first = page(of, reason="idle", limit=1)
    second = page(of, reason="idle", limit=2, cursor=first.next_cursor)
    assert costs(first) + costs(second) == [1, 3, 5]
    assert second.next_cursor is None


def test_an_unreadable_session_is_skipped_and_named() -> None:
    """The others are listed."""
    of = history(2)
    of.table.put(VM, f"{keys.SESSIONS}0:x", {"id": "x"})
    made = page(of)
    assert costs(made) == [1, 2]
    assert made.skipped == (f"{keys.SESSIONS}0:x",)


def test_an_open_session_has_its_cost_so_far() -> None:
    """And the phases; a closed one stays as it was written."""
    of = world()
    of.running()
    own = of.state().session
    assert own is not None
    now = ASKED_AT + 30 * MINUTE
    found = Sessions(of.ledger).one(VM, own.id, now)
    assert found is not None
    shown, journal = found
    assert shown.cost == Decimal("42.40")
    assert shown.phases == {"allocate_s": 1800}
    assert {line.event for line in journal} >= {"opened", "start", "billing"}
    (listed,) = Sessions(of.ledger).page(VM, SessionFilter(), now).sessions
    assert listed == shown


def test_an_open_session_beside_an_unreadable_lease_is_shown_as_written() -> None:
    """Better than nothing."""
    of = world()
    of.running()
    own = of.state().session
    assert own is not None
    of.table.put(VM, keys.LEASE, {"machine": VM, "state": "?"})
    assert Sessions(of.ledger).current(VM, own, NOW) == own


def test_a_session_that_is_not_there_is_none() -> None:
    """Whatever was typed."""
    assert Sessions(world().ledger).one(VM, "nothing", NOW) is None


def test_the_starts_of_the_last_hour_are_counted() -> None:
    """Those that a start opened; an adopted machine was none, nor a bad row."""
    of = history(3)
    found = Sessions(of.ledger)
    assert found.started_last_hour(VM, ASKED_AT + HOUR - SECOND) == 1
    assert found.started_last_hour(VM, ASKED_AT + HOUR) == 0
    assert found.started_last_hour(VM, ASKED_AT + SECOND) == 1
    assert found.started_last_hour(VM, ASKED_AT - SECOND) == 2
    of.table.put(VM, f"{keys.SESSIONS}0:x", {"id": "x"})
    own = keys.new_session_id(ASKED_AT + MINUTE)
    adopted = session(id=own, requested_at=ASKED_AT + MINUTE, adopted=True)
    opened = Decision(
        rows=(21,), reason="", lease=lease(session_id=own), session=adopted
    )
    of.ledger.commit(of.state(), opened, NOW)
    assert found.started_last_hour(VM, ASKED_AT + 2 * MINUTE) == 1


def test_a_ledger_that_is_away_is_an_error() -> None:
    """Nothing is shown as if it were all."""
    of = history(1)
    of.table.unreachable = True
    with pytest.raises(LedgerUnavailable):
        page(of)
