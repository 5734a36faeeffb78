"""DESIGN.md's table of Azure's refusals: what each means, is told as and leads to.

The class is what `control.azure.faults` says, the sentence is the code's own, and tests
hold what the loop does to `control.decide` and `control.act`.
"""

from collections.abc import Mapping
from types import MappingProxyType

from control.cli.error_codes import MET, Met, Way
from control.said.ends import Cause, Ended
from control.said.notices import Notice
from control.said.problems import Detail
from control.said.refusals import Refused
from control.words import Fault, Power

NOTHING = "(nothing)"
_VM = "vm"
_AT_ONCE = "row 10: closes `start_failed` at once"
_NEXT_RUN = "row 8: starts again at the next run; `start_failed` after 30 min"
_ALARM = "row 4: again each minute; alarm at once"
_LATER_ALARM = "row 4: again each minute; alarm from 3 min on"
_UNKNOWN = "`unknown`: rows 4, 17, 18, nothing starts or closes; alarm after 10 min"
_BLIND_POLL = "the ProvisioningState entry tells instead; polled again by the next run"
_NO_FIGURE = "the figure is unknown and loosens nothing; asked again in an hour"
_NO_VAULT = "asked with a token; in vain: phones of the last 7 days may stop and look"

AFTER_A_START: Mapping[Fault, str] = MappingProxyType(
    {
        Fault.CAPACITY: "row 9: starts again after 1, 2, 4, 8, 8 min; `no_capacity` "
        "after 30 min",
        Fault.CONFLICT: _NEXT_RUN,
        Fault.THROTTLED: "row 17: waits for Retry-After; row 8: starts again; "
        "`start_failed` after 30 min",
        Fault.UNAVAILABLE: "row 17: waits 2 min, as Azure may have taken it; then row "
        "8: starts again; `start_failed` after 30 min",
        Fault.QUOTA: _AT_ONCE,
        Fault.PERMISSION: _AT_ONCE,
        Fault.SKU: _AT_ONCE,
        Fault.DISABLED: _AT_ONCE,
        Fault.SCOPE_LOCK: _AT_ONCE,
        Fault.PREEMPTED: "row 17: waits; row 7: closes `outside` if off 2 min later",
        Fault.OTHER: "row 11: deallocates, releases `start_failed` at once; while on "
        "it may boot: rows 12 to 17",
        Fault.NOT_FOUND: "row 11: deallocates, releases `start_failed` at once; "
        "`gone`: row 6 closes `outside`",
    }
)
_REFUSED_STOPS: Mapping[Fault, Notice] = MappingProxyType(
    {
        Fault.PERMISSION: Notice.PERMISSION,
        Fault.NOT_FOUND: Notice.NOT_FOUND,
        Fault.SCOPE_LOCK: Notice.SCOPE_LOCK,
    }
)


def urgent(met: Met) -> bool:
    """Whether a refused deallocate is told to the owner at once."""
    return met.fault in _REFUSED_STOPS or met.status in {403, 404}


def told(met: Met) -> str:
    """Return what a person is told in the end, if it stays so."""
    match met.way:
        case Way.START | Way.RESULT:
            return _told_of_a_start(met.fault)
        case Way.READ if met.fault is Fault.NOT_FOUND:
            return Refused.GONE.say()
        case Way.READ:
            return Refused.UNKNOWN.say()
        case Way.STOP if urgent(met):
            return _REFUSED_STOPS.get(met.fault, Notice.REFUSED).say(machine=_VM)
        case Way.STOP:
            power = Power.RUNNING
            return Notice.STILL_ON.say(machine=_VM, ago="3 minutes", power=power)
        case Way.POLL | Way.BUDGET:
            return NOTHING
        case Way.VAULT:
            return Detail.VAULT.say()


def _told_of_a_start(fault: Fault) -> str:
    if fault is Fault.PREEMPTED:
        return Ended.OUTSIDE.say()
    if fault in {Fault.OTHER, Fault.NOT_FOUND}:
        return Ended.START_FAILED.say()
    return Cause[fault.name].say()


def follows(met: Met) -> str:
    """Return what the loop does, with the rows of the decision table."""
    match met.way:
        case Way.START | Way.RESULT:
            return AFTER_A_START[met.fault]
        case Way.READ if met.fault is Fault.NOT_FOUND:
            return "`gone` after three ticks: rows 1 and 6 close"
        case Way.READ:
            return _UNKNOWN
        case Way.STOP:
            return _ALARM if urgent(met) else _LATER_ALARM
        case Way.POLL:
            return _BLIND_POLL
        case Way.BUDGET:
            return _NO_FIGURE
        case Way.VAULT:
            return _NO_VAULT


def error_table() -> str:
    """Return the table in Markdown."""
    lines = [
        "| code | arrives as | class | the user is told | the loop |",
        "|---|---|---|---|---|",
        *(_line(met) for met in MET),
    ]
    return "\n".join(lines)


def _line(met: Met) -> str:
    cells = (_code(met), _how(met), met.fault, _first(told(met)), follows(met))
    return f"| {' | '.join(cells)} |"


def _code(met: Met) -> str:
    codes = [f"`{code}`" for code in (met.code, *met.inner) if code]
    said = f" “{met.said}”" if met.said else ""
    return (" > ".join(codes) + said).strip() or "(empty body)"


def _how(met: Met) -> str:
    return met.way if met.status is None else f"{met.status}, {met.way}"


def _first(sentences: str) -> str:
    """The cause stands in the first sentence; what to do follows it."""
    first, dot, _ = sentences.partition(". ")
    return f"{first}{dot.strip()}"
