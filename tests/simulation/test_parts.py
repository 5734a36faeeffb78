"""The simulator's own parts: its clock, its sums, its stories and its table."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from control.rules import starts
from tests.simulation import bounds, keeping
from tests.simulation.accounts import merged, minus, seconds
from tests.simulation.catalogue import HAPPENINGS
from tests.simulation.chance import Plan, drawn
from tests.simulation.happening import Event, told
from tests.simulation.life import Life
from tests.simulation.shrinking import shrunk
from tests.simulation.tasks import Process, Tasks
from tests.simulation.world import Setting

BEGIN = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


def at(second: float) -> datetime:
    return BEGIN + second * SECOND


def test_tasks_take_turns_by_their_instants() -> None:
    """Whoever waits less goes on first, and the clock stands at its instant."""
    tasks, seen = Tasks(BEGIN), list[tuple[str, datetime]]()

    def job(name: str, seconds: float) -> None:
        for _ in range(2):
            tasks.wait(seconds)
            seen.append((name, tasks.now()))

    tasks.at(at(1), lambda: job("slow", 3))
    tasks.at(at(2), lambda: job("quick", 1))
    tasks.settle(at(60))
    assert seen == [
        ("quick", at(3)),
        ("slow", at(4)),
        ("quick", at(4)),
        ("slow", at(7)),
    ]
    assert tasks.now() == at(60)


def test_a_process_dies_between_two_steps() -> None:
    """Whoever asked it gets no answer; what it had done stays done."""
    tasks, process, done, heard = Tasks(BEGIN), Process("app"), list[int](), []
    process.dies_after = 2

    def work() -> str:
        for number in range(5):
            process.step()
            done.append(number)
        return "all done"

    tasks.at(at(1), lambda: heard.append(tasks.ask(work, process)))
    tasks.settle(at(60))
    assert done == [0, 1]
    assert heard == [None]
    assert not process.alive


def test_jobs_run_side_by_side_until_the_time_is_up() -> None:
    """As `ports.Runner` promises; what takes longer goes on."""
    tasks, ended = Tasks(BEGIN), dict[str, datetime]()

    def whole() -> None:
        tasks.run([lambda: tasks.wait(10), job], 40)
        ended["run"] = tasks.now()

    def job() -> None:
        tasks.wait(90)
        ended["job"] = tasks.now()

    tasks.at(BEGIN, whole)
    tasks.settle(at(200))
    assert ended == {"run": at(40), "job": at(90)}


def test_an_error_of_a_task_ends_the_life() -> None:
    """Nothing is swallowed but death."""
    tasks = Tasks(BEGIN)

    def fails() -> None:
        raise ZeroDivisionError

    tasks.at(at(1), fails)
    with pytest.raises(ZeroDivisionError):
        tasks.settle(at(2))


def test_spans_are_joined_and_subtracted() -> None:
    """The sums of the accounts."""
    spans = [(at(0), at(10)), (at(8), at(20)), (at(30), at(40)), (at(50), at(50))]
    assert merged(spans) == [(at(0), at(20)), (at(30), at(40))]
    assert seconds(merged(spans)) == 30
    left = minus(spans, [(at(5), at(7)), (at(19), at(35))])
    assert left == [(at(0), at(5)), (at(7), at(19)), (at(35), at(40))]


def test_a_plan_is_read_back_as_it_was_written() -> None:
    """So that a kept story is the same life."""
    plan = drawn(5, days=3)
    again = keeping.read(keeping.written(plan))
    assert again == Plan(setting=plan.setting, events=list(plan.events))


@pytest.mark.parametrize("seed", range(5))
def test_every_event_is_told_in_plain_words(seed: int) -> None:
    """Without a brace or a name of the code left in it."""
    for event in drawn(seed, days=30).events:
        text = told(event, HAPPENINGS[event.name])
        assert "{" not in text
        assert "some" not in text.split()


def test_every_happening_has_a_bound_and_the_table_is_the_codes() -> None:
    """`python -m tests.simulation.bounds` was run after the last change."""
    assert bounds.unbound() == (set(), set())
    assert bounds.table() in bounds.DESIGN.read_text(encoding="utf-8")


def test_a_failing_life_is_made_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many events only those that are needed are left."""
    monkeypatch.setattr(starts, "RETRIED", starts.RETRIED | {None})
    needed = [
        Event(
            at=BEGIN + MINUTE,
            name="allocation_failed",
            lasts=60 * MINUTE,
            how={"times": 1, "after": 300},
        ),
        Event(
            at=BEGIN + 5 * MINUTE,
            name="start",
            how={"device": "phone", "taps": 1, "hours": 1},
        ),
    ]
    others = [
        Event(at=BEGIN + minute * MINUTE, name=name, lasts=30 * MINUTE)
        for minute, name in enumerate(("budget_away", "silent", "used", "page"))
    ]
    events = sorted([*needed, *others], key=lambda event: event.at)
    plan = Plan(setting=Setting(seed=1, begins=BEGIN, days=0.2), events=events)
    failing = Life(plan).run()
    assert failing.broken is not None
    short = shrunk(failing)
    assert short.broken is not None
    assert short.broken.invariant == "one answered start in flight"
    assert list(short.plan.events) == needed
    assert replace(short.plan.setting, days=0) == replace(plan.setting, days=0)
