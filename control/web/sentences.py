"""What is said of what was asked for: two or three short sentences; pure.

The first words carry the outcome, for a phone's Shortcut hides the status. The same
line stands as `summary` in the JSON.
"""

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType

from control.model import Session
from control.said.answers import Added
from control.said.answers import Answer as Said
from control.said.book import Told, counted
from control.said.status import Status
from control.views import Answer, SessionPage, View
from control.web.documents import amount
from control.web.phrases import clock, cost, crossing, named
from control.web.site import Place
from control.web.states import State, state
from control.web.summaries import asked_until, ended, summary
from control.words import Fault, LeaseState, Limit, PriceSource

# Waiting mends none of these: whoever pressed stop has to know at once.
_NOT_TAKEN: Mapping[Fault, Said] = MappingProxyType(
    {
        Fault.PERMISSION: Said.STOP_PERMISSION,
        Fault.NOT_FOUND: Said.STOP_NOT_FOUND,
        Fault.SCOPE_LOCK: Said.STOP_SCOPE_LOCK,
        Fault.DISABLED: Said.STOP_DISABLED,
    }
)


def is_off(view: View) -> bool:
    """Whether it is off for certain, with no lease to take away."""
    return state(view) is State.OFF


def started(answer: Answer, place: Place) -> str:
    """Say what came of a start that was granted."""
    view = answer.view
    if answer.unsent and state(view) is State.WAITING_FOR_CAPACITY:
        return _named(Said.NONE_FREE.of(until=asked_until(view, place)), view, place)
    if answer.unsent:
        return _named(Said.NO_ANSWER_YET.of(), view, place)
    if not answer.opened:
        return Said.ALREADY.say(status=summary(view, place))
    return _named(_begun(view, place), view, place)


def _named(told: Told, view: View, place: Place) -> str:
    return named(str(told), view, place)


def _begun(view: View, place: Place) -> Told:
    lease, session = view.lease, view.session
    if lease is None or lease.expires_at is None or session is None:
        return Said.ON_ITS_WAY.of()
    left = lease.expires_at - view.now
    most = cost(session.price_per_hour, left, session.currency)
    if session.price_source is PriceSource.CONFIGURED:
        most += Added.AT_SET_PRICE.say()
    return (Said.TAKEN_OVER if session.adopted else Said.STARTING).of(
        until=clock(lease.expires_at, view.now, place.zone),
        why=_shortened(lease.limited_by or Limit.ASKED),
        cost=most,
        more=crossing(view, place),
    )


def _shortened(limit: Limit) -> str:
    return "" if limit is Limit.ASKED else Added[limit.name].say()


def stopped(answer: Answer, place: Place) -> str:
    """Say what came of a stop; it is never refused."""
    return _named(_stopped(answer, place), answer.view, place)


def _stopped(answer: Answer, place: Place) -> Told:
    view = answer.view
    if is_off(view):
        # Without the ledger nobody knows whether a start still waits for its turn.
        return (Said.ALREADY_OFF if view.lease else Said.OFF_UNRECORDED).of()
    if view.lease is None:
        return (Said.NOT_STOPPED if answer.unsent else Said.STOPPING_BLIND).of()
    if answer.unsent is not None:
        return _NOT_TAKEN.get(answer.unsent, Said.STOPPING_UNANSWERED).of()
    return _stopping(view, place)


def _stopping(view: View, place: Place) -> Told:
    """Say when Azure was last told: a second tap within 20 s does not tell it again."""
    release = view.lease.release if view.lease else None
    if release is None or release.sent_at is None:
        return Status.STOPPING.of()
    at = release.sent_at.astimezone(place.zone)
    return Said.STOPPING_TOLD.of(at=f"{at:%H:%M:%S}")


def extended(view: View, place: Place) -> str:
    """Say until when it runs now, and until when it could."""
    at = view.lease.expires_at if view.lease else None
    if at is None:
        return _named(Said.EXTENDED_SO.of(), view, place)
    furthest, more = view.extendable_until, ""
    if furthest is not None:
        more = Added.FURTHEST.say(at=clock(furthest, view.now, place.zone))
    until = clock(at, view.now, place.zone)
    told = Said.EXTENDED.of(until=until, more=more + crossing(view, place))
    return _named(told, view, place)


def locked(view: View, place: Place, *, on: bool) -> str:
    """Say what the kill switch stands at."""
    if not on:
        return _named(Said.UNLOCKED.of(), view, place)
    ending = view.lease is not None and view.lease.state is LeaseState.RELEASING
    more = Added.ENDING.say() if ending else ""
    return _named(Said.LOCKED.of(more=more), view, place)


def sessions(page: SessionPage, currency: str) -> str:
    """Say how many sessions are listed and what they cost."""
    total = sum((of.cost or Decimal(0) for of in page.sessions), Decimal(0))
    return Said.SESSIONS.say(
        count=counted(len(page.sessions), "session"),
        cost=f"{amount(total)} {currency}",
        more=Added.MORE.say() if page.next_cursor else "",
    )


def session(of: Session) -> str:
    """Say how one session went and what it cost."""
    spent = Added.UNKNOWN.say()
    if of.cost is not None:
        spent = f"{amount(of.cost)} {of.currency}"
    if of.ended_at is None:
        return Said.SESSION_OPEN.say(cost=spent, by=of.started_by)
    return Said.SESSION.say(ended=ended(of), cost=spent, by=of.started_by)
