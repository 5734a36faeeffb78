"""The course of an operation when nothing goes wrong."""

from datetime import timedelta

from local.azure.plan import Plan, Power, Verb
from local.azure.spec import Timings

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


def usual(verb: Verb, power: Power, timings: Timings) -> Plan:
    """What an operation does to a machine of this power."""
    if power in _STILL[verb]:
        return Plan(
            verb=verb,
            passing=None,
            goal=_GOAL[verb],
            arrives=None,
            ends=timings.nothing,
        )
    duration = takes(verb, timings)
    return Plan(
        verb=verb,
        passing=_PASSING[verb],
        goal=_GOAL[verb],
        arrives=duration,
        ends=duration,
        blank=timings.blank if verb is Verb.START else timedelta(0),
    )


def takes(verb: Verb, timings: Timings) -> timedelta:
    """How long Azure is at an operation."""
    match verb:
        case Verb.START:
            return timings.start
        case Verb.DEALLOCATE:
            return timings.deallocate
        case Verb.POWER_OFF:
            return timings.power_off
        case Verb.RUN_COMMAND:
            return timings.run_command
