"""One VM as Azure's fabric sees it: power, provisioning state, operations, billing.

It moves only when it is settled to an instant, so its state is a function of time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from local.azure.agenda import Agenda, Happen
from local.azure.console import Console
from local.azure.courses import takes, usual
from local.azure.errands import Errands
from local.azure.meter import Meter
from local.azure.operations import Operation
from local.azure.plan import PREEMPTED, Failure, Plan, Power, Verb
from local.azure.spec import Spec

_PREEMPTED_AFTER = timedelta(seconds=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provisioning:
    """The other axis: it only explains, and has a time only when it is terminal."""

    state: str = "succeeded"
    code: str | None = None
    message: str | None = None
    time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """An accepted operation that has yet to begin, and what its course will be."""

    operation: Operation
    course: Callable[[], Plan]


class Machine:
    """A VM that begins deallocated; `watch` learns of every change of its power."""

    def __init__(
        self, spec: Spec, now: datetime, watch: Callable[[Power, datetime], None]
    ) -> None:
        self.spec = spec
        self.timings = spec.timings
        self.tags = dict(spec.tags)
        self.created = now - timedelta(days=30)
        self.provisioning = Provisioning(time=now - timedelta(days=1))
        self.meter = Meter()
        self.console = Console()
        self.exists = True
        self.deleted: datetime | None = None
        self.disk = f"{spec.name}_OsDisk_1"
        self.custom_data = ""
        self.settled_at = now
        self._agent_spoke: datetime | None = None
        self.working: Operation | None = None
        self._course: Plan | None = None
        self._owner = ""
        self._joined: list[Operation] = []
        self.blank_until: datetime | None = None
        self._power = Power.DEALLOCATED
        self._watch = watch
        self._agenda = Agenda()
        self._queue: list[Queued] = []
        self._errands = Errands(self._agenda)

    @property
    def power(self) -> Power:
        """What the power truly is, whatever a view may show."""
        return self._power

    @property
    def shown(self) -> Power | None:
        """What the instance view says; a start begins without any power state."""
        if self.blank_until is not None and self.settled_at < self.blank_until:
            return None
        return self._power

    @property
    def agent_at(self) -> datetime | None:
        """When the guest's agent spoke last; its word stays until a deallocate."""
        running = self.shown is Power.RUNNING
        return self.settled_at if running else self._agent_spoke

    @property
    def next_at(self) -> datetime | None:
        """When something is due to happen by itself."""
        return self._agenda.next_at

    def settle(self, now: datetime) -> None:
        """Let pass what was due by now; the past never changes."""
        self._agenda.settle(now)
        self.settled_at = max(self.settled_at, now)

    def usual(self, verb: Verb) -> Plan:
        """The course of an operation when nothing goes wrong."""
        return usual(verb, self._power, self.timings)

    @property
    def unallocated(self) -> bool:
        """Whether a start is under way that will find no host: nothing is there."""
        course = self._course
        starts = course is not None and course.verb is Verb.START
        return starts and course is not None and course.arrives is None

    @property
    def awaits(self) -> Verb | None:
        """The last operation that waits for its turn."""
        return self._queue[-1].operation.verb if self._queue else None

    def joinable(self, verb: Verb) -> bool:
        """Whether the same operation is under way and will arrive."""
        course = self._course
        return (
            course is not None
            and course.verb is verb
            and course.arrives is not None
            and (course.passing is None or self._power in (course.passing, course.goal))
        )

    def join(self, operation: Operation) -> None:
        """Let an operation end together with the one under way."""
        self._joined.append(operation)

    def preempt_later(self, operation: Operation) -> None:
        """Take an operation on that is preempted by the one under way."""
        self._agenda.add(
            operation.started + _PREEMPTED_AFTER,
            operation.id,
            lambda at: operation.end(at, PREEMPTED),
        )

    def run(self, operation: Operation, script: Sequence[str]) -> None:
        """Run a script beside whatever else is under way; off, it ends with it."""
        self.console.begin(script)

        def end(at: datetime) -> None:
            operation.output = self.console.end()
            running = self._power is Power.RUNNING
            operation.end(at, None if running else PREEMPTED)

        after = takes(Verb.RUN_COMMAND, self.timings)
        self._agenda.add(operation.started + after, operation.id, end)

    def queue(self, operation: Operation, course: Callable[[], Plan]) -> None:
        """Let an operation begin when those before it have ended."""
        self._queue.append(Queued(operation=operation, course=course))

    def preempt_queue(self, at: datetime) -> None:
        """Let what waits never begin: something newer took its place."""
        for each in self._queue:
            each.operation.end(at, PREEMPTED)
        self._queue.clear()

    def once(self, power: Power, after: timedelta, do: Happen) -> Callable[[], None]:
        """Do something once, so long after a power was (or is) reached.

        It begins to count anew when the power is left before that. Returns what forgets
        it while it has not come to that.
        """
        return self._errands.add(power, after, do, self._since(power))

    def begin(
        self, plan: Plan, operation: Operation, at: datetime | None = None
    ) -> None:
        """Take on an accepted operation; one that was under way is preempted."""
        now = at or operation.started
        plan = self._named(plan)
        self._preempt(now)
        self.working, self._course, self._owner = operation, plan, operation.id
        self.provisioning = Provisioning(state="updating")
        self._pass_through(plan, now)
        self._schedule(plan, operation, now)

    def change_power(self, power: Power, at: datetime) -> None:
        """Set the power: an operation's arrival, or the guest's own doing.

        What is deleted has none: the start of a dead operation comes to nothing.
        """
        self.blank_until = None
        if power is self._power or not self.exists:
            return
        if self._power is Power.RUNNING:
            self._agent_spoke = at
        if power in {Power.DEALLOCATING, Power.DEALLOCATED}:
            self._agent_spoke = None
        self._power = power
        self.meter.read(power, at)
        self._watch(power, at)
        self._errands.reached(power, at)

    def due(self, at: datetime, power: Power) -> None:
        """Let the power change later, unless it has become another until then."""
        now = self._power

        def change(when: datetime) -> None:
            if self._power is now:
                self.change_power(power, when)

        self._agenda.add(at, "guest", change)

    def remove(self, now: datetime) -> None:
        """Delete the VM: Azure stops billing it and answers 404."""
        self._preempt(now)
        self.preempt_queue(now)
        self.change_power(Power.DEALLOCATED, now)
        self.exists = False

    def restore(self) -> None:
        """Let a VM of the same name be there again, deallocated."""
        self.exists = True

    def _since(self, power: Power) -> datetime | None:
        return self.settled_at if self._power is power else None

    def _named(self, plan: Plan) -> Plan:
        """Azure's messages name the machine."""
        if plan.failure is None:
            return plan
        message = plan.failure.message.replace("{0}", self.spec.name)
        return replace(plan, failure=replace(plan.failure, message=message))

    def _preempt(self, now: datetime) -> None:
        """End what is under way; what a dead start had still to do is dropped too."""
        self._agenda.drop(self._owner)
        if self.working is not None:
            self._close(self.working, now, PREEMPTED)

    def _close(
        self, operation: Operation, at: datetime, failure: Failure | None
    ) -> None:
        for each in (operation, *self._joined):
            each.end(at, failure)
        self._joined.clear()
        self.working = self._course = None

    def _pass_through(self, plan: Plan, now: datetime) -> None:
        if plan.passing is not None:
            self.change_power(plan.passing, now)
        if plan.blank:
            self.blank_until = now + plan.blank

    def _schedule(self, plan: Plan, operation: Operation, now: datetime) -> None:
        if plan.arrives is not None:
            self._agenda.add(
                now + plan.arrives,
                operation.id,
                lambda at: self.change_power(plan.goal, at),
                stubborn=plan.stubborn,
            )
        if plan.ends is not None:
            self._agenda.add(
                now + plan.ends,
                operation.id,
                lambda at: self._end(plan, operation, at),
            )

    def _end(self, plan: Plan, operation: Operation, at: datetime) -> None:
        failure = plan.failure
        self._close(operation, at, failure)
        self.provisioning = Provisioning(
            state="failed" if failure else "succeeded",
            code=failure.code if failure else None,
            message=failure.message if failure else None,
            time=at,
        )
        if failure and plan.arrives is None and plan.passing is Power.STARTING:
            self.change_power(Power.DEALLOCATED, at)
        self._begin_next(at)

    def _begin_next(self, at: datetime) -> None:
        if not self._queue:
            return
        following = self._queue.pop(0)
        verb = following.operation.verb
        self.begin(following.course(), following.operation, at)
        while self._queue and self._queue[0].operation.verb is verb:
            self.join(self._queue.pop(0).operation)
