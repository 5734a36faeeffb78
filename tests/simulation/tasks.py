"""Simulated time: tasks take turns in one thread, in the order of their instants.

A task runs until it waits, and every call of a port waits: so others come between any
two of its steps, always in the same order for the same waits. A process may die at any
such step; then none of its tasks takes another one.
"""

import heapq
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from typing import Any

from greenlet import getcurrent, greenlet


class Died(BaseException):
    """The process of this task ended in the middle of its work."""


class Process:
    """What dies at once: all tasks of one instance of the app."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.dies_after: int | None = None
        self.alive = True

    def step(self) -> None:
        """Come to one of the steps between which it may die; raises `Died`."""
        if self.dies_after is not None:
            self.dies_after -= 1
            self.alive = self.dies_after >= 0
        if not self.alive:
            raise Died(self.name)


class Task(greenlet):
    """One call at work, in a process or in none."""

    def __init__(self, job: Callable[[], None], process: Process | None) -> None:
        super().__init__(job)
        self.process = process


class Tasks:
    """The only clock and the only scheduler; `ports.Clock` and `ports.Runner`."""

    def __init__(self, at: datetime) -> None:
        self._now = at
        self._hub = getcurrent()
        self._numbers = count()
        self._due: list[tuple[datetime, int, Callable[[], Any]]] = []
        self._failed: BaseException | None = None
        self.running = 0
        self.horizon = at

    def now(self) -> datetime:
        """Return the simulated instant, aware UTC."""
        return self._now

    @property
    def next_at(self) -> datetime | None:
        """When the next task begins or goes on."""
        return self._due[0][0] if self._due else None

    def at(
        self, at: datetime, job: Callable[[], None], process: Process | None = None
    ) -> None:
        """Begin a task at an instant (at once where that is past)."""
        self._push(max(at, self._now), partial(self._begin, job, process))

    def wait(self, seconds: float) -> None:
        """Let time pass for the task that calls; others go on meanwhile.

        Where nobody else is due before `horizon`, nobody needs to be asked.
        """
        then = self._now + timedelta(seconds=seconds)
        if then < self.horizon and (not self._due or then < self._due[0][0]):
            self._now = then
            return
        self._push(then, getcurrent().switch)
        self._hub.switch()

    def run(self, jobs: Sequence[Callable[[], None]], seconds: float) -> None:
        """Run jobs side by side, as `ports.Runner` promises."""
        if len(jobs) == 1:
            jobs[0]()
            return
        waiter, left = getcurrent(), {index for index, _ in enumerate(jobs)}
        woken: list[bool] = []

        def wake() -> None:
            if not woken:
                woken.append(True)
                waiter.switch()

        def each(index: int, job: Callable[[], None]) -> None:
            try:
                job()
            finally:
                left.discard(index)
                if not left:
                    self._push(self._now, wake)

        for index, job in enumerate(jobs):
            self.at(self._now, partial(each, index, job), process_of(waiter))
        self._push(self._now + timedelta(seconds=seconds), wake)
        self._hub.switch()

    def ask[T](self, job: Callable[[], T], process: Process) -> T | None:
        """Let a process do a job and wait for it; None where it died over it."""
        waiter, made = getcurrent(), list[T]()

        def whole() -> None:
            try:
                made.append(job())
            finally:
                self._push(self._now, waiter.switch)

        self.at(self._now, whole, process)
        self._hub.switch()
        return made[0] if made else None

    def pass_to(self, at: datetime) -> None:
        """Let it be an instant before which nothing is due."""
        self._now = max(self._now, at)

    def settle(self, until: datetime) -> None:
        """Do all that is due by an instant, and let it be that instant."""
        while self._due and self._due[0][0] <= until:
            at, _, act = heapq.heappop(self._due)
            self._now = max(self._now, at)
            act()
            if self._failed is not None:
                failed, self._failed = self._failed, None
                raise failed
        self._now = max(self._now, until)

    def _push(self, at: datetime, act: Callable[[], Any]) -> None:
        heapq.heappush(self._due, (at, next(self._numbers), act))

    def _begin(self, job: Callable[[], None], process: Process | None) -> None:
        Task(partial(self._whole, job), process).switch()

    def _whole(self, job: Callable[[], None]) -> None:
        self.running += 1
        try:
            job()
        except Died:
            pass
        except BaseException as error:  # noqa: BLE001 - raised again in `settle`
            self._failed = error
        finally:
            self.running -= 1


def process_of(task: greenlet) -> Process | None:
    """Return the process of a task."""
    return task.process if isinstance(task, Task) else None


def here() -> Process | None:
    """Return the process whose task is at work now."""
    return process_of(getcurrent())
