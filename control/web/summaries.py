"""The summary of a status: one line for each word of `states`; pure."""

from datetime import timedelta
from typing import assert_never

from control.model import Session
from control.rules.starts import taken_at
from control.said.book import Told, lowered
from control.said.ends import Cause, Ended, Stage
from control.said.problems import PROBLEMS
from control.said.status import TROUBLES, Aside, Status
from control.views import View
from control.web.documents import (
    amount,
    cost_so_far,
    offered_hours,
    ready_eta,
    seconds_left,
)
from control.web.phrases import clock, named, span
from control.web.site import Place
from control.web.states import State, is_foreign, problem, sight, state
from control.words import Fault, Phase, StopReason

LATELY = timedelta(hours=12)
_TOLD_ALREADY = {State.UNKNOWN, State.OFF, State.UNMANAGED}


def summary(view: View, place: Place) -> str:
    """Say how a machine is; the first word carries it."""
    said = f"{line(view, place)}"
    if state(view) is State.OFF and view.last is not None:
        said = _since(said, view.last, view, place)
    return named(f"{said}{_aside(view)}", view, place)


def line(view: View, place: Place) -> Told:
    """Return the line of the machine's state, without what is added to it."""
    word = state(view)
    match word:
        case State.STOPPED_BUT_BILLING:
            return Status.STOPPED_BUT_BILLING.of()
        case State.STOPPING:
            return Status.STOPPING.of()
        case State.WAITING_FOR_CAPACITY:
            return Status.WAITING.of(until=asked_until(view, place))
        case State.READY:
            return Status.READY.of(left=_left(view), cost=_cost(view))
        case State.LOADING:
            return _loading(view)
        case State.STARTING:
            return _starting(view, place)
        case State.UNMANAGED:
            return _unmanaged(view)
        case State.UNKNOWN:
            return Status.UNKNOWN.of()
        case State.OFF:
            return _off(view)
    assert_never(word)


def asked_until(view: View, place: Place) -> str:
    """Say until when Azure is asked for a machine."""
    assert view.session is not None
    until = view.session.requested_at + view.policy.capacity_retry
    return clock(until, view.now, place.zone)


def ended(of: Session) -> str:
    """Say why a session ended; for a start that failed, what was in the way."""
    reason, fault = of.stop_reason or StopReason.OUTSIDE, of.fault
    if reason is StopReason.START_FAILED and fault not in {None, Fault.OTHER}:
        assert fault is not None
        cause = Cause[fault.name].say().partition(". ")[0]
        return f"{cause.removesuffix('.')}."
    return Ended[reason.name].say(by=of.stopped_by or of.started_by)


def _aside(view: View) -> str:
    if state(view) in _TOLD_ALREADY:
        return ""
    told = TROUBLES.get(problem(view) or "")
    return told.say() if isinstance(told, Aside) else ""


def _since(said: str, last: Session, view: View, place: Place) -> str:
    """Say since when it is off, and why, while that is of any interest."""
    at = last.ended_at
    head, _, rest = said.partition(". ")
    plainly = head == "Off" and at is not None and view.now - at <= LATELY
    if at is None or not plainly:
        return said
    off = Aside.SINCE.say(at=clock(at, view.now, place.zone), ended=ended(last))
    return f"{off} {rest}"


def _left(view: View) -> str:
    said = span(timedelta(seconds=seconds_left(view) or 0))
    return f"{said[:1].upper()}{said[1:]}"


def _cost(view: View) -> str:
    return f"{amount(cost_so_far(view))} {view.policy.currency}"


def _loading(view: View) -> Told:
    beat, left, cost = sight(view).fresh, _left(view), _cost(view)
    if beat is None:
        return Status.SILENT.of(left=left, cost=cost)
    if beat.phase is Phase.BROKEN:
        return Status.BROKEN.of(left=left, cost=cost)
    stage = Stage[beat.phase.name].say()
    if beat.progress is not None:
        stage += Aside.PERCENT.say(percent=round(beat.progress * 100))
    return Status.LOADING.of(stage=stage, left=left, cost=cost)


def _starting(view: View, place: Place) -> Told:
    eta, lease = ready_eta(view), view.lease
    assert view.session is not None
    assert lease is not None
    left, cost = _left(view), _cost(view)
    if lease.adopted_at is not None:
        return Status.FOUND.of(left=left, cost=cost)
    asked = clock(view.session.requested_at, view.now, place.zone)
    if eta is not None:
        usually = clock(eta, view.now, place.zone)
        return Status.STARTING_USUALLY.of(asked=asked, usually=usually)
    if taken_at(lease) is None and not lease.ran:
        return Status.STARTING_UNSENT.of(asked=asked)
    return Status.STARTING.of(asked=asked, left=left, cost=cost)


def _unmanaged(view: View) -> Told:
    tag = is_foreign(view)
    if tag is not None:
        return Status.FOREIGN.of(tag=tag)
    recorded = view.lease is not None
    return (Status.UNMANAGED if recorded else Status.UNRECORDED).of()


def _off(view: View) -> Told:
    offer = view.offer
    if view.lease is not None and view.lease.locked:
        return Status.LOCKED.of()
    if offer is None:
        return Status.OFF_UNVERIFIED.of()
    if offer.refused is not None:
        return Status.OFF_REFUSED.of(why=lowered(PROBLEMS[offer.refused][1]))
    lasts = span(timedelta(hours=float(offered_hours(offer, view.now))))
    cost = f"{amount(offer.max_cost)} {view.policy.currency}"
    return Status.OFF.of(lasts=lasts, cost=cost)
