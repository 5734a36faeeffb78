"""One VM as Azure's fabric sees it: power, provisioning state, operations, billing.

It moves only when it is settled to an instant, so its state is a function of time.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from local.azure.agenda import Agenda, Happen
from local.azure.meter import Meter
from local.azure.operations import Operation
from local.azure.plan import Failure, Plan, Power, Verb

_SECOND = timedelta(seconds=1)
_PREEMPTED_AFTER = timedelta(seconds=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """How long Azure takes; `blank` is the start's first part without a power state."""

    start: timedelta = 40 * _SECOND
    blank: timedelta = 5 * _SECOND
    deallocate: timedelta = 45 * _SECOND
    power_off: timedelta = 8 * _SECOND
    nothing: timedelta = 2 * _SECOND


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """What a machine is when the local Azure begins."""

    name: str = "vm-kimi-01"
    resource_group: str = "rg-kimi"
    location: str = "eastus2"
    size: str = "Standard_ND96isr_H200_v5"
    tags: Mapping[str, str] = field(default_factory=dict)
    timings: Timings = field(default_factory=Timings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provisioning:
    """The other axis: it only explains, and has a time only when it is terminal."""

    state: str = "succeeded"
    code: str | None = None
    message: str | None = None
    time: datetime | None = None


PREEMPTED = Failure(
    code="OperationPreempted",
    message="Operation execution has been preempted by a more recent operation.",
)
_STILL = {
    Verb.START: frozenset({Power.RUNNING}),
    Verb.DEALLOCATE: frozenset({Power.DEALLOCATED}),
    Verb.POWER_OFF: frozenset({Power.STOPPED}),
}
_PASSING = {
    Verb.START: Power.STARTING,
    Verb.DEALLOCATE: Power.DEALLOCATING,
    Verb.POWER_OFF: Power.STOPPING,
}
_GOAL = {
    Verb.START: Power.RUNNING,
    Verb.DEALLOCATE: Power.DEALLOCATED,
    Verb.POWER_OFF: Power.STOPPED,
}


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
        self.exists = True
        self.settled_at = now
        self.working: Operation | None = None
        self._course: Plan | None = None
        self._joined: list[Operation] = []
        self.blank_until: datetime | None = None
        self._power = Power.DEALLOCATED
        self._watch = watch
        self._agenda = Agenda()
        self._queued: Operation | None = None
        self._waiting: list[tuple[Power, timedelta, Happen]] = []

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
    def next_at(self) -> datetime | None:
        """When something is due to happen by itself."""
        return self._agenda.next_at

    def settle(self, now: datetime) -> None:
        """Let pass what was due by now; the past never changes."""
        self._agenda.settle(now)
        self.settled_at = max(self.settled_at, now)

    def usual(self, verb: Verb) -> Plan:
        """The course of an operation when nothing goes wrong."""
        if self._power in _STILL[verb]:
            return self._idle(verb)
        takes = self._takes(verb)
        return Plan(
            verb=verb,
            passing=_PASSING[verb],
            goal=_GOAL[verb],
            arrives=takes,
            ends=takes,
            blank=self.timings.blank if verb is Verb.START else timedelta(0),
        )

    def joinable(self, verb: Verb) -> bool:
        """Whether the same operation is under way and will arrive."""
        return (
            self.working is not None
            and self._course is not None
            and self._course.verb is verb
            and self._course.arrives is not None
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

    def queue(self, operation: Operation) -> None:
        """Let an operation begin when the one under way has ended."""
        self._queued = operation

    def once(self, power: Power, after: timedelta, do: Happen) -> Callable[[], None]:
        """Do something once, so long after a power was (or is) reached.

        Returns what forgets it while it has not come to that.
        """
        waiting = power, after, do
        if self._power is power:
            self._agenda.add(self.settled_at + after, "", do)
        else:
            self._waiting.append(waiting)

        def forget() -> None:
            if waiting in self._waiting:
                self._waiting.remove(waiting)

        return forget

    def begin(
        self, plan: Plan, operation: Operation, at: datetime | None = None
    ) -> None:
        """Take on an accepted operation; one that was under way is preempted."""
        now = at or operation.started
        self._preempt(now)
        self.working, self._course = operation, plan
        self.provisioning = Provisioning(state="updating")
        self._pass_through(plan, now)
        self._schedule(plan, operation, now)

    def change_power(self, power: Power, at: datetime) -> None:
        """Set the power: an operation's arrival, or the guest's own doing."""
        self.blank_until = None
        if power is self._power:
            return
        self._power = power
        self.meter.read(power, at)
        self._watch(power, at)
        for each in [each for each in self._waiting if each[0] is power]:
            self._waiting.remove(each)
            self._agenda.add(at + each[1], "", each[2])

    def due(self, at: datetime, power: Power) -> None:
        """Let the power change later, whatever is asked of the machine until then."""
        self._agenda.add(at, "", lambda when: self.change_power(power, when))

    def remove(self, now: datetime) -> None:
        """Delete the VM: Azure stops billing it and answers 404."""
        self._preempt(now)
        self.change_power(Power.DEALLOCATED, now)
        self.exists = False

    def restore(self) -> None:
        """Let a VM of the same name be there again, deallocated."""
        self.exists = True

    def _idle(self, verb: Verb) -> Plan:
        return Plan(
            verb=verb,
            passing=None,
            goal=_GOAL[verb],
            arrives=None,
            ends=self.timings.nothing,
        )

    def _takes(self, verb: Verb) -> timedelta:
        match verb:
            case Verb.START:
                return self.timings.start
            case Verb.DEALLOCATE:
                return self.timings.deallocate
            case Verb.POWER_OFF:
                return self.timings.power_off

    def _preempt(self, now: datetime) -> None:
        if self.working is None:
            return
        self._agenda.drop(self.working.id)
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
        if self._queued is not None:
            following, self._queued = self._queued, None
            self._begin_at(following, at)

    def _begin_at(self, operation: Operation, at: datetime) -> None:
        self.settled_at = max(self.settled_at, at)
        self.begin(self.usual(operation.verb), operation, at)
