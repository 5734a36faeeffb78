"""The JSON documents, made from the switch's own values; pure."""

from datetime import UTC, datetime, timedelta
from decimal import ROUND_DOWN, Decimal
from typing import cast

from control.model import Session, Spend
from control.rules import money
from control.rules.starts import taken_at
from control.said.figures import Figure
from control.views import Offer, Reply, SessionPage, View
from control.web import shapes
from control.web.bodies import hours
from control.web.site import Place
from control.web.states import billing, problem, sight, state, timer_is_stale
from control.words import Power

_TENTH = Decimal("0.1")
_HUNDREDTH = Decimal("0.01")
_MILLION = Decimal(1_000_000)


def instant(at: datetime) -> str:
    """Return an instant in UTC, to the second, with a Z."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def maybe(at: datetime | None) -> str | None:
    """Return an instant, or None."""
    return instant(at) if at is not None else None


def amount(of: Decimal) -> str:
    """Return an amount of money, never in less than cents."""
    cents = of.quantize(_HUNDREDTH)
    return f"{cents if cents == of else of.normalize():f}"


def number(of: Decimal, step: Decimal = _HUNDREDTH) -> str:
    """Return a plain number, cut to a step: 2, 1.5, 37.7."""
    cut = of.quantize(step, rounding=ROUND_DOWN).normalize()
    return f"{cut:f}"


def status(view: View, summary: str, place: Place) -> shapes.StatusShape:
    """Return the status document of one machine."""
    seen = view.seen
    power: shapes.PowerShape = {
        "state": seen.power if seen else Power.UNKNOWN,
        "read_at": maybe(seen.reading.began_at if seen else None),
    }
    beat = view.heartbeat if view.session is not None else None
    return {
        "now": instant(view.now),
        "machine": view.policy.machine,
        "fleet": list(place.policies),
        "time_zone": place.zone.key,
        "state": state(view),
        "summary": summary,
        "power": power,
        "billing": billing(view),
        "phase": beat.phase if beat else None,
        "progress": beat.progress if beat else None,
        "ready_eta": maybe(ready_eta(view)),
        "session": _open_session(view),
        "offer": _offer(view, view.offer) if view.offer else None,
        "budget": _budget(view, view.spend) if view.spend else None,
        "enforcers": _enforcers(view),
        "locked": view.lease.locked if view.lease else None,
        "last_session": session(view.last) if view.last else None,
        "problem": problem(view),
        "links": {"chat": place.chat.get(view.policy.machine)},
    }


def ready_eta(view: View) -> datetime | None:
    """Return when it is usually ready, while that is still to come."""
    seen = sight(view)
    if not seen.held or view.lease is None or view.session is None:
        return None
    sent = taken_at(view.lease)
    if sent is None or view.session.ready_at is not None:
        return None
    eta = sent + view.policy.expected_ready
    return eta if eta > view.now else None


def seconds_left(view: View) -> int | None:
    """Return how long the lease still lives."""
    if view.lease is None or view.lease.expires_at is None:
        return None
    left = view.lease.expires_at - view.now
    return max(int(left.total_seconds()), 0)


def cost_so_far(view: View) -> Decimal:
    """Return what the open session has cost."""
    return view.cost if view.cost is not None else Decimal(0)


def _open_session(view: View) -> shapes.OpenSessionShape | None:
    lease, open_ = view.lease, view.session
    if lease is None or open_ is None:
        return None
    reason = open_.stop_reason or (lease.release.reason if lease.release else None)
    return {
        "id": open_.id,
        "started_by": open_.started_by,
        "requested_at": instant(open_.requested_at),
        "billing_since": maybe(open_.billing_since),
        "ready_at": maybe(open_.ready_at),
        "expires_at": maybe(lease.expires_at),
        "limited_by": lease.limited_by,
        "extendable_until": maybe(view.extendable_until),
        "seconds_left": seconds_left(view),
        "cost": amount(cost_so_far(view)),
        "currency": open_.currency,
        "price_per_hour": amount(open_.price_per_hour),
        "price_source": open_.price_source,
        "stop_reason": reason,
    }


def offered_hours(offer: Offer, now: datetime) -> Decimal:
    """Return how long a start would last."""
    return hours(max(offer.expires_at - now, timedelta(0)))


def _offer(view: View, offer: Offer) -> shapes.OfferShape:
    return {
        "hours": number(offered_hours(offer, view.now)),
        "limited_by": offer.limited_by,
        "max_hours": number(offer.max_hours),
        "max_limited_by": offer.max_limited_by,
        "max_cost": amount(offer.max_cost),
        "price_per_hour": amount(offer.price_per_hour),
        "currency": view.policy.currency,
        "price_source": offer.price_source,
        "refused": offer.refused,
    }


def _budget(view: View, spend: Spend) -> shapes.BudgetShape:
    budget, offer = view.policy.budget, view.offer
    price = offer.price_per_hour if offer else view.policy.price_per_hour
    reported, unreported = spend.reported, spend.unreported
    made: shapes.BudgetShape = {
        "limit": amount(budget.limit),
        "spent": amount(money.cents(spend.spent)),
        "standing_to_come": amount(money.cents(spend.standing_to_come)),
        "remaining": amount(spend.remaining.quantize(_HUNDREDTH, rounding=ROUND_DOWN)),
        "currency": view.policy.currency,
        "hours_left": number(max(spend.remaining, Decimal(0)) / price, _TENTH),
        "reported_by_azure": amount(reported.amount) if reported else None,
        "reported_at": maybe(reported.at if reported else None),
        "from": f"{budget.start:%Y-%m-%d}",
        "to": f"{budget.end:%Y-%m-%d}",
    }
    if unreported is not None:
        made["reported_problem"] = Figure[unreported.name].say()
    return made


def _enforcers(view: View) -> shapes.EnforcersShape:
    beat, shutdown = view.heartbeat, view.policy.auto_shutdown_at
    return {
        "timer": {"last_tick_at": maybe(view.tick_at), "stale": timer_is_stale(view)},
        "vm": {
            "heartbeat_at": maybe(beat.received_at if beat else None),
            "armed_until": maybe(beat.armed_until if beat else None),
        },
        "auto_shutdown": f"{shutdown:%H:%MZ}" if shutdown else None,
    }


def session(of: Session) -> shapes.SessionShape:
    """Return a session of the ledger."""
    return {
        "id": of.id,
        "machine": of.machine,
        "started_by": of.started_by,
        "note": of.note,
        "requested_at": instant(of.requested_at),
        "billing_since": maybe(of.billing_since),
        "ready_at": maybe(of.ready_at),
        "stop_requested_at": maybe(of.stop_requested_at),
        "stopped_by": of.stopped_by,
        "ended_at": maybe(of.ended_at),
        "stop_reason": of.stop_reason,
        "billed_seconds": of.billed_seconds,
        "price_per_hour": amount(of.price_per_hour),
        "price_source": of.price_source,
        "currency": of.currency,
        "cost": amount(of.cost) if of.cost is not None else None,
        "provisional": of.provisional,
        "phases": phases(of),
        "prompt_tokens": of.prompt_tokens,
        "generation_tokens": of.generation_tokens,
        "cost_per_million_tokens": _per_million(of),
        "problem": of.problem,
    }


def phases(of: Session) -> shapes.PhasesShape:
    """Return the seconds of every phase, 0 for one that was not reached."""
    spent = {name: of.phases.get(name, 0) for name in PHASES}
    return cast("shapes.PhasesShape", spent)


PHASES = tuple(shapes.PhasesShape.__annotations__)


def _per_million(of: Session) -> str | None:
    tokens = (of.prompt_tokens or 0) + (of.generation_tokens or 0)
    if of.cost is None or tokens == 0:
        return None
    return amount(money.cents(of.cost * _MILLION / tokens))


def sessions(page: SessionPage, currency: str) -> shapes.SessionsShape:
    """Return a page of sessions and its sums."""
    listed = page.sessions
    cost = sum((of.cost or Decimal(0) for of in listed), Decimal(0))
    return {
        "sessions": [session(of) for of in listed],
        "next_cursor": page.next_cursor,
        "totals": {
            "sessions": len(listed),
            "billed_seconds": sum(of.billed_seconds or 0 for of in listed),
            "cost": amount(cost),
            "currency": currency,
        },
        "skipped": list(page.skipped),
    }


def reply(of: Reply) -> shapes.ReplyShape:
    """Return the answer to a heartbeat."""
    policy = of.policy
    return {
        "now": instant(of.now),
        "session_id": of.session_id,
        "expires_at": maybe(of.expires_at),
        "drain": of.drain,
        "idle_minutes": _plain(policy.idle / timedelta(minutes=1)),
        "purpose": of.purpose,
        "ready_deadline_minutes": _plain(policy.ready_deadline / timedelta(minutes=1)),
        "max_runtime_hours": _plain(policy.max_runtime / timedelta(hours=1)),
    }


def _plain(of: float) -> float:
    return int(of) if of == int(of) else of
