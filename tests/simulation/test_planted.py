"""Bugs that were really made elsewhere, planted here: the simulator finds each.

A simulator that finds nothing may be blind; here it is shown that it sees.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from control import decide, ledger
from control.backstop import Backstop
from control.decision import Case, Decision
from control.model import Heartbeat, Lease
from control.ports import Accepted, Write, WriteKind
from control.rules import held, starts, steps
from tests.simulation.arm import FrontMachines
from tests.simulation.chance import Plan
from tests.simulation.happening import Event
from tests.simulation.life import Life
from tests.simulation.world import Setting

BEGIN = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, kw_only=True)
class Bug:
    """What is put in place of what, in which life, and what breaks then."""

    where: Any
    name: str
    bug: Any
    events: Sequence[Event]
    breaks: str


def event(name: str, after: float, /, lasts: float = 0, **how: object) -> Event:
    """Return an event so many minutes after the beginning."""
    at = BEGIN + after * MINUTE
    return Event(at=at, name=name, lasts=lasts * MINUTE, how=how)


def tap(name: str, after: float, /, **how: object) -> Event:
    """Return what somebody taps on a phone."""
    return event(name, after, 0, device="phone", **how)


START = tap("start", 5.3, hours=2)
FAILS = event("stop_fails", 1, lasts=300, times=1)
USED = event("used", 32, lasts=80)


def broken(*events: Event) -> str | None:
    """Live a life of these events; return which invariant broke."""
    setting = Setting(seed=4, begins=BEGIN, days=0.4)
    result = Life(Plan(setting=setting, events=events)).run()
    return result.broken.invariant if result.broken else None


_lease_write, _is_off, _deallocate = (
    ledger._lease_write,
    decide._is_off,
    steps.deallocate,
)


def _unconditional(lease: Lease, etag: str | None) -> Write:
    made = _lease_write(lease, etag)
    return replace(made, kind=WriteKind.UPSERT, etag=None)


def _carried_over(_: Case, beat: Heartbeat) -> float:
    return beat.idle_seconds or 0.0


def _power_off(self: FrontMachines, machine: str, *, force: bool = False) -> Accepted:
    del force
    return self._post("powerOff", machine, {})


def _closed_by_its_202(case: Case) -> Decision | None:
    release = case.lease.release
    if release is None or release.sent_at is None:
        return _is_off(case)
    return decide._close_released(case, 1)


def _sent_once(case: Case, row: int, reason: str) -> Decision:
    made = _deallocate(case, row, reason)
    if case.lease.release is not None and case.lease.release.attempts:
        return steps.nothing(case, row, reason)
    return made


def _nothing(*_: object, **__: object) -> None:
    return None


BUGS = {
    "an update without a match condition": Bug(
        where=ledger,
        name="_lease_write",
        bug=_unconditional,
        events=[event("arm_slow", 4, lasts=10), tap("start", 5.3, hours=2, taps=3)],
        breaks="one lease, one open session",
    ),
    "an idle clock carried over": Bug(
        where=held,
        name="_idle_for",
        bug=_carried_over,
        events=[event("idle_carried_over", 1, lasts=300, minutes=1112), START, USED],
        breaks="a healthy session is never ended",
    ),
    "a power-off for a deallocate": Bug(
        where=FrontMachines,
        name="deallocate",
        bug=_power_off,
        events=[START, USED, event("keeper_dead", 20, lasts=300), tap("stop", 50)],
        breaks="what must end is told to end",
    ),
    "a stop believed from its 202": Bug(
        where=decide,
        name="RELEASING",
        bug=(_closed_by_its_202, *decide.RELEASING[1:]),
        events=[FAILS, START, USED, tap("stop", 50)],
        breaks="a session ends when the machine is off",
    ),
    "a deallocate sent once": Bug(
        where=decide,
        name="deallocate",
        bug=_sent_once,
        events=[
            FAILS,
            event("keeper_dead", 1, lasts=300),
            START,
            tap("stop", 50),
        ],
        breaks="what must end is told to end",
    ),
    "a start sent again while one is under way": Bug(
        where=starts,
        name="RETRIED",
        bug=starts.RETRIED | {None},
        events=[event("allocation_failed", 1, lasts=60, times=1, after=300), START],
        breaks="one answered start in flight",
    ),
    "no backstop without a ledger": Bug(
        where=Backstop,
        name="enforce",
        bug=_nothing,
        events=[
            START,
            USED,
            event("keeper_dead", 20, lasts=500),
            event("ledger_unreachable", 45, lasts=480),
        ],
        breaks="what must end is told to end",
    ),
    "a deadline that no run enforces": Bug(
        where=decide,
        name="HELD",
        bug=held.HELD[1:],
        events=[START, USED, event("keeper_dead", 20, lasts=500)],
        breaks="what must end is told to end",
    ),
    "a machine that nobody adopts": Bug(
        where=decide,
        name="NONE",
        bug=(lambda case: steps.nothing(case, 18, ""),),
        events=[event("portal_start", 10), event("silent", 1, lasts=400)],
        breaks="nothing of ours bills without a lease",
    ),
}


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the bug nothing breaks in the same life."""
    bug = BUGS[name]
    assert broken(*bug.events) is None
    monkeypatch.setattr(bug.where, bug.name, bug.bug)
    assert broken(*bug.events) == bug.breaks
