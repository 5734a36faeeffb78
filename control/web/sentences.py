"""What is said of what was asked for: two or three short sentences; pure.

The first words carry the outcome, for a phone's Shortcut hides the status. The same
line stands as `summary` in the JSON.
"""

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType

from control.model import Session
from control.views import Answer, SessionPage, View
from control.web.documents import amount
from control.web.phrases import clock, cost, crossing, named
from control.web.site import Place
from control.web.states import State, state
from control.web.summaries import STOPPING, summary
from control.words import Limit, PriceSource

_AGAIN = "Press stop again in a minute to be sure."
_SHORTENED: Mapping[Limit, str] = MappingProxyType(
    {
        Limit.ASKED: "",
        Limit.MAX_RUNTIME: " (the longest that is allowed)",
        Limit.DEVICE: " (the longest for this device)",
        Limit.BUDGET: " (then the budget is spent)",
        Limit.BUDGET_PERIOD: " (then the budget's period ends)",
    }
)


def is_off(view: View) -> bool:
    """Whether it is off for certain, with no lease to take away."""
    return state(view) is State.OFF


def started(answer: Answer, place: Place) -> str:
    """Say what came of a start that was granted."""
    view = answer.view
    if answer.unsent:
        said = "Asked, but Azure has not answered yet. The timer goes on asking."
    elif answer.opened:
        said = f"Starting. {_deadline(view, place)}"
    else:
        return f"Already asked for. {summary(view, place)}"
    return named(said, view, place)


def _deadline(view: View, place: Place) -> str:
    lease, session = view.lease, view.session
    if lease is None or lease.expires_at is None or session is None:
        return "It is on its way."
    left = lease.expires_at - view.now
    most = f"at most {cost(session.price_per_hour, left, session.currency)}"
    if session.price_source is PriceSource.CONFIGURED:
        most += " at the configured price"
    why = _SHORTENED[lease.limited_by or Limit.ASKED]
    until = clock(lease.expires_at, view.now, place.zone)
    return f"Until {until}{why}, {most}.{crossing(view, place)}"


def stopped(answer: Answer, place: Place) -> str:
    """Say what came of a stop; it is never refused."""
    view = answer.view
    if is_off(view):
        said = "Already off. No machine time is billed."
    elif view.lease is None and answer.unsent:
        said = f"Not stopped: Azure did not take it. {_AGAIN}"
    elif view.lease is None:
        said = f"Stopping by Azure alone: the ledger cannot be read. {_AGAIN}"
    elif answer.unsent:
        said = "Stopping, but Azure has not answered yet. The timer goes on telling it."
    else:
        said = _stopping(view, place)
    return named(said, view, place)


def _stopping(view: View, place: Place) -> str:
    """Say when Azure was last told: a second tap within 20 s does not tell it again."""
    release = view.lease.release if view.lease else None
    if release is None or release.sent_at is None:
        return STOPPING
    told = f"{release.sent_at.astimezone(place.zone):%H:%M:%S}"
    return f"Stopping, Azure was told at {told}. It is billed until it is off."


def extended(view: View, place: Place) -> str:
    """Say until when it runs now, and until when it could."""
    at = view.lease.expires_at if view.lease else None
    furthest = view.extendable_until
    said = "Extended."
    if at is not None:
        said = f"Extended until {clock(at, view.now, place.zone)}."
    if furthest is not None:
        said += f" It can run until {clock(furthest, view.now, place.zone)} at most."
    return named(said + crossing(view, place), view, place)


def locked(view: View, place: Place, *, on: bool) -> str:
    """Say what the kill switch stands at."""
    if not on:
        return named("Unlocked. It can be started again.", view, place)
    ending = "" if is_off(view) else " It is being switched off."
    return named(f"Locked. Nobody can start it.{ending}", view, place)


def sessions(page: SessionPage, currency: str) -> str:
    """Say how many sessions are listed and what they cost."""
    total = sum((of.cost or Decimal(0) for of in page.sessions), Decimal(0))
    count = len(page.sessions)
    word = "session" if count == 1 else "sessions"
    more = " There are more." if page.next_cursor else ""
    return f"{count} {word}, {amount(total)} {currency}.{more}"


def session(of: Session) -> str:
    """Say how one session went and what it cost."""
    spent = "unknown" if of.cost is None else f"{amount(of.cost)} {of.currency}"
    outcome = f"Ended ({of.stop_reason})" if of.ended_at else "Open"
    return f"{outcome}. Started by {of.started_by}, cost {spent}."
