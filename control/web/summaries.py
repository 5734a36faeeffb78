"""The summary of a status: one line for each word of `states`; pure."""

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import assert_never

from control.views import View
from control.web.documents import (
    amount,
    cost_so_far,
    offered_hours,
    ready_eta,
    seconds_left,
)
from control.web.phrases import clock, named, span
from control.web.problems import TITLES
from control.web.site import Place
from control.web.states import State, is_foreign, problem, state

STOPPING = "Stopping. It is billed until Azure says that it is off."
_TROUBLE: Mapping[str, str] = MappingProxyType(
    {
        "broken": " The machine says that it is broken.",
        "restarting": " The machine is restarting.",
        "stale": " The machine has not reported for more than 3 minutes.",
        "azure-unavailable": " Azure does not answer at the moment.",
    }
)
_TOLD_ALREADY = {State.UNKNOWN, State.OFF, State.UNMANAGED}


def summary(view: View, place: Place) -> str:
    """Say how a machine is; the first word carries it."""
    word = state(view)
    trouble = _TROUBLE.get(problem(view) or "", "")
    if word in _TOLD_ALREADY:
        trouble = ""
    return named(f"{_said(word, view, place)}{trouble}", view, place)


def _said(word: State, view: View, place: Place) -> str:
    match word:
        case State.STOPPED_BUT_BILLING:
            return "Shut down but still billed. It is being switched off for good."
        case State.STOPPING:
            return STOPPING
        case State.WAITING_FOR_CAPACITY:
            return _waiting(view, place)
        case State.READY:
            return f"On. {_left(view)}."
        case State.LOADING:
            return _loading(view)
        case State.STARTING:
            return _starting(view, place)
        case State.UNMANAGED:
            return _unmanaged(view)
        case State.UNKNOWN:
            return "Unknown. Azure does not say how it is; look again in a minute."
        case State.OFF:
            return _off(view)
    assert_never(word)


def _left(view: View) -> str:
    left = timedelta(seconds=seconds_left(view) or 0)
    cost = f"{amount(cost_so_far(view))} {view.policy.currency}"
    said = span(left)
    return f"{said[:1].upper()}{said[1:]} left, {cost} so far"


def _loading(view: View) -> str:
    beat = view.heartbeat
    assert beat is not None
    done = "" if beat.progress is None else f", {round(beat.progress * 100)} percent"
    return f"Loading the model ({beat.phase}{done}). {_left(view)}."


def _starting(view: View, place: Place) -> str:
    eta = ready_eta(view)
    assert view.session is not None
    asked = clock(view.session.requested_at, view.now, place.zone)
    if eta is None:
        return f"Starting, asked at {asked}. {_left(view)}."
    usually = clock(eta, view.now, place.zone)
    return f"Starting, asked at {asked}. Usually ready at {usually}."


def _waiting(view: View, place: Place) -> str:
    assert view.session is not None
    until = view.session.requested_at + view.policy.capacity_retry
    return (
        "Waiting for a free machine in Azure. Nothing is billed, and asking goes on "
        f"until {clock(until, view.now, place.zone)}."
    )


def _unmanaged(view: View) -> str:
    tag = is_foreign(view)
    if tag is not None:
        return f"On, but another switch ({tag}) controls it. This one only looks."
    if view.lease is None:
        return "On and billed. The ledger cannot be read, so its cost is unknown."
    return "On and billed, without a session. The timer takes it within a minute."


def _off(view: View) -> str:
    offer = view.offer
    if view.lease is not None and view.lease.locked:
        return "Off and locked. An operator has to unlock it first."
    if offer is None:
        return "Off. The ledger cannot say what has been spent, so nothing starts."
    if offer.refused is not None:
        title = TITLES[offer.refused][1]
        return f"Off. A start would be refused: {title[:1].lower()}{title[1:]}."
    last = span(timedelta(hours=float(offered_hours(offer, view.now))))
    cost = f"{amount(offer.max_cost)} {view.policy.currency}"
    return f"Off. A start now lasts {last} and costs at most {cost}."
