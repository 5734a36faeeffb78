"""Makes a short story of a long life that broke an invariant.

Delta debugging (Zeller and Hildebrandt, 2002) over the events of its plan: ever smaller
parts are left out, as long as the same invariant still breaks.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

from tests.simulation.chance import Plan, drawn
from tests.simulation.happening import Event
from tests.simulation.life import Life, Result

_AFTERWARDS = timedelta(minutes=10)


def lived(seed: int, days: float) -> Result:
    """Live the life of a seed; a failing one is made short."""
    result = Life(drawn(seed, days)).run()
    return result if result.broken is None else shrunk(result)


def shrunk(failing: Result, lives: int = 200) -> Result:
    """Return the shortest failing life found within so many lives."""
    assert failing.broken is not None
    wanted, left = failing.broken.invariant, [lives]

    def fails(plan: Plan) -> Result | None:
        if left[0] <= 0:
            return None
        left[0] -= 1
        made = Life(plan).run()
        broken = made.broken
        same = broken is not None and broken.invariant == wanted
        return made if same else None

    best = fails(_cut_off(failing)) or failing
    return _fewer(best, fails)


def _cut_off(failing: Result) -> Plan:
    """End the life soon after it broke."""
    assert failing.broken is not None
    setting = failing.plan.setting
    end = min(failing.broken.at + _AFTERWARDS, setting.ends)
    days = (end - setting.begins) / timedelta(days=1)
    events = [event for event in failing.plan.events if event.at < end]
    return Plan(setting=replace(setting, days=days), events=events)


def _fewer(best: Result, fails: Callable[[Plan], Result | None]) -> Result:
    """Leave out halves, then quarters, and so on down to single events."""
    size = max(len(best.plan.events) // 2, 1)
    while True:
        best, any_gone = _without_parts(best, size, fails)
        if size == 1 and not any_gone:
            return best
        size = size if any_gone and size == 1 else max(size // 2, 1)


def _without_parts(
    best: Result, size: int, fails: Callable[[Plan], Result | None]
) -> tuple[Result, bool]:
    any_gone, start = False, 0
    while start < len(best.plan.events):
        rest = _without(best.plan.events, start, size)
        made = fails(replace(best.plan, events=rest))
        if made is None:
            start += size
        else:
            best, any_gone = made, True
    return best, any_gone


def _without(events: Sequence[Event], start: int, size: int) -> list[Event]:
    return [*events[:start], *events[start + size :]]
