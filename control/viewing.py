"""Makes the view of one machine from what a run saw."""

from datetime import timedelta
from decimal import Decimal

from control import requests
from control.decision import Ask, Case
from control.errors import LedgerError
from control.ledger import Ledger
from control.model import Session
from control.records import Pass
from control.rules import leases, money
from control.sessions import Sessions
from control.views import Offer, View
from control.words import LeaseState

_ANY = timedelta(days=3650)


class Viewer:
    """Adds to a case what people ask beside it."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._sessions = Sessions(ledger)

    def view(self, case: Case, max_hours: Decimal | None) -> View:
        """Return the view for a caller with this `max_hours`; raises `LedgerError`."""
        session, tick = case.session, self._last_tick()
        held = case.lease.state is LeaseState.HELD
        furthest = requests.furthest(case, max_hours) if held else None
        cost = leases.cost(case.lease, session, case.now) if session else None
        return View(
            now=case.now,
            policy=case.policy,
            lease=case.lease,
            session=session,
            seen=case.seen.seen,
            heartbeat=case.seen.heartbeat,
            spend=case.seen.spend,
            cost=cost,
            offer=self._offer(case, max_hours),
            extendable_until=furthest.at if furthest else None,
            tick_at=tick.at if tick else None,
            last=self._last(case) if session is None else None,
            problems=tuple(_problems(case)),
        )

    def _last_tick(self) -> Pass | None:
        """A pass that cannot be read is none: it makes no answer wrong."""
        try:
            return self._ledger.last_tick()
        except LedgerError:
            return None

    def _offer(self, case: Case, max_hours: Decimal | None) -> Offer | None:
        """Return what a start would get; None where the spend is unknown."""
        if case.seen.spend is None:
            return None
        count = 0
        if case.lease.state is LeaseState.NONE:
            count = self._sessions.started_last_hour(case.lease.machine, case.now)
        return _offer(case, max_hours, count)

    def _last(self, case: Case) -> Session | None:
        last = case.lease.last
        if last is None:
            return None
        try:
            return self._ledger.session(case.lease.machine, last.session_id)
        except LedgerError:
            return None


def _problems(case: Case) -> list[str]:
    found = []
    if case.seen.spend is None:
        found.append("ledger-unverified")
    if case.seen.seen.reading.problem is not None:
        found.append("azure-unavailable")
    entry = case.seen.provisioning
    if entry is not None and entry.state == "failed" and case.seen.power.billing:
        found.append("provisioning-failed")
    return found


def _offer(case: Case, max_hours: Decimal | None, starts_last_hour: int) -> Offer:
    ask = Ask(device="", asked=case.policy.default_asked, max_hours=max_hours)
    most = requests.offer(case, Ask(device="", asked=_ANY, max_hours=max_hours))
    deadline = requests.offer(case, ask)
    price, source = leases.price(case)
    refusal = requests.refused(case, starts_last_hour)
    longest = money.seconds(most.at - case.now) / 3600
    return Offer(
        expires_at=deadline.at,
        limited_by=deadline.limited_by,
        max_hours=max(longest, Decimal(0)),
        max_limited_by=most.limited_by,
        max_cost=money.cents(money.span_cost(price, deadline.at - case.now)),
        price_per_hour=price,
        price_source=source,
        refused=refusal.slug if refusal else None,
    )
