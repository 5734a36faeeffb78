"""Lives drawn from seeds: nothing runs on, no line is lost, whatever goes wrong."""

from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from tests.simulation import keeping
from tests.simulation.catalogue import HAPPENINGS
from tests.simulation.chance import Plan, drawn
from tests.simulation.happening import Event
from tests.simulation.life import Life, Result
from tests.simulation.world import Setting

HOUR = timedelta(hours=0.75)
SHARE = range(9001, 9007)
KEPT = sorted(keeping.FOLDER.glob("*.json"))


def _tap(name: str, at: datetime, **how: object) -> Event:
    return Event(at=at, name=name, how={"device": "phone", "taps": 1, **how})


def lived(plan: Plan) -> Result:
    """Live a plan; what broke is told with its story."""
    result = Life(plan).run()
    assert result.broken is None, "\n".join([str(result.broken), *result.log])
    return result


@pytest.mark.parametrize("seed", SHARE)
def test_a_share_of_all_lives_breaks_nothing(seed: int) -> None:
    """`make sim` lives many more of them."""
    lived(drawn(seed, days=1.5))


@pytest.mark.parametrize("path", KEPT, ids=[path.stem for path in KEPT])
def test_a_story_that_once_broke_something_breaks_nothing(path: Path) -> None:
    """Each was a failing life, made short."""
    lived(keeping.read(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("seed", [9])
def test_the_same_seed_gives_the_same_life(seed: int) -> None:
    """Line by line, to the second and the cent."""
    first, second = (lived(drawn(seed, days=2)) for _ in range(2))
    assert first.log == second.log
    assert first.account == second.account


@pytest.mark.parametrize("seed", [3, 9])
def test_skipping_idle_minutes_changes_nothing(seed: int) -> None:
    """The same life with every tick of it run."""
    plan = drawn(seed, days=0.75)
    short, whole = Life(plan).run(), Life(plan, skips=False).run()
    assert short.skipped > short.ticks
    assert whole.skipped == 0
    assert whole.log == short.log
    assert whole.account == short.account


@pytest.mark.parametrize("name", sorted(HAPPENINGS))
def test_an_evening_under_each_happening_breaks_nothing(name: str) -> None:
    """It is on from before the start until after the end; then all is well again."""
    setting = Setting(seed=7, begins=drawn(7, 1).setting.begins, days=0.15)
    at = setting.begins
    kind = HAPPENINGS[name]
    how = kind.draw(Random(name))
    events = [
        Event(at=at + timedelta(minutes=2), name=name, lasts=3 * HOUR, how=how),
        _tap("start", at + timedelta(minutes=3), hours=0.75),
        Event(at=at + timedelta(minutes=33), name="used", lasts=HOUR / 2),
        _tap("stop", at + timedelta(minutes=50)),
        _tap("start", at + timedelta(minutes=53), hours=0.75),
    ]
    if not kind.end:
        events[0] = Event(at=at + timedelta(minutes=35), name=name, how=how)
    lived(Plan(setting=setting, events=sorted(events, key=lambda event: event.at)))
