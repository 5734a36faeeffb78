"""The money used so far, over all machines, from the ledger's own rows.

Azure's figure is 8 to 24 hours late: it only ever adds to ours, for the same window.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from http import HTTPStatus

from control.decision import Policy
from control.errors import AzureError
from control.ledger import Ledger, State
from control.model import Report, Spend
from control.records import Reported, Total
from control.rules import leases, money
from control.words import LeaseState, Unreported

_NO_COSTS = re.compile(
    r"\boffer|SubscriptionTypeNotSupported|CostDisabled|DisallowedOperation",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Own:
    """What one machine has cost: closed sessions by month, and the open one's share."""

    by_month: Mapping[str, Decimal]
    rate: Decimal


class Spending:
    """Reckons the spend of one deployment; raises `LedgerError`."""

    def __init__(self, ledger: Ledger, policies: Mapping[str, Policy]) -> None:
        self._ledger = ledger
        self._policies = policies
        self._budget = next(iter(policies.values())).budget

    def read(self, state: State, now: datetime) -> Spend | None:
        """Return the spend, with `state` of one machine as just read; None if unknown.

        It is unknown without `meta`: then the table may be a new, empty one.
        """
        meta = self._ledger.meta()
        if meta is None:
            return None
        budget, reported = self._budget, self._ledger.reported()
        starts = [report.start for report in reported.highest]
        first = min([budget.start, *starts])
        machines = [
            self._own(policy, state, first, now) for policy in self._policies.values()
        ]
        by_month = _added(machine.by_month for machine in machines)
        own = meta.carried_over + _within(by_month, budget.start, budget.end)
        until = min(max(now, budget.start), budget.end)
        standing = money.standing(budget.standing_per_month, budget.start, until)
        to_come = money.standing(budget.standing_per_month, until, budget.end)
        more = self._reported_above(reported, by_month, meta.carried_over, now)
        spent = own + standing + more
        return Spend(
            spent=spent,
            own=own + standing,
            standing_to_come=to_come,
            remaining=budget.limit - spent - to_come,
            rate=sum((machine.rate for machine in machines), Decimal(0)),
            reported=reported.newest,
            unreported=reported.problem,
        )

    def _own(
        self, policy: Policy, known: State, first: datetime, now: datetime
    ) -> _Own:
        """Count from `first` on: a window of Azure's may begin before the budget."""
        machine = policy.machine
        state = known
        if known.lease.machine != machine:
            state = self._ledger.read(machine)
        totals = self._ledger.totals(machine, first, self._budget.end)
        held = state.lease.state is not LeaseState.NONE
        price = policy.price_per_hour
        if state.session is not None:
            price = state.session.price_per_hour
        parts = (_closed(totals), _open(state, now))
        return _Own(by_month=_added(parts), rate=price if held else Decimal(0))

    def _reported_above(
        self,
        reported: Reported,
        by_month: Mapping[str, Decimal],
        carried_over: Decimal,
        now: datetime,
    ) -> Decimal:
        """Sum what Azure's highest figures say above ours, window by window."""
        total = Decimal(0)
        for report in reported.highest:
            start = max(report.start, self._budget.start)
            end = min(report.end, self._budget.end)
            if start >= end:
                continue
            own = _within(by_month, report.start, end)
            until = min(max(now, start), end)
            own += money.standing(self._budget.standing_per_month, start, until)
            if report.start <= self._budget.start:
                own += carried_over
            total += max(report.amount - own, Decimal(0))
        return total


def _closed(totals: Iterable[Total]) -> dict[str, Decimal]:
    return {total.month: total.cost for total in totals}


def _open(state: State, now: datetime) -> dict[str, Decimal]:
    """Return the open session's cost so far by month."""
    session = state.session
    since = leases.bill_from(state.lease, session)
    if session is None or since is None:
        return {}
    if leases.costs_nothing(state.lease):
        return {}
    split = money.shares(session.price_per_hour, since, max(now, since))
    return {month: cost for month, (cost, _) in split.items()}


def _added(parts: Iterable[Mapping[str, Decimal]]) -> dict[str, Decimal]:
    total: dict[str, Decimal] = {}
    for part in parts:
        for month, cost in part.items():
            total[month] = total.get(month, Decimal(0)) + cost
    return total


def _within(by_month: Mapping[str, Decimal], start: datetime, end: datetime) -> Decimal:
    first, after = money.month_name(start), money.month_name(end)
    inside = (cost for month, cost in by_month.items() if first <= month < after)
    return sum(inside, Decimal(0))


def why_unreported(error: AzureError) -> Unreported:
    """Say why Azure gave no figure: the offer's wordings differ, and so their codes."""
    evidence = error.evidence
    if _NO_COSTS.search(f"{evidence.code} {evidence.message}"):
        return Unreported.OFFER
    match evidence.status:
        case HTTPStatus.FORBIDDEN:
            return Unreported.FORBIDDEN
        case HTTPStatus.NOT_FOUND:
            return Unreported.NO_BUDGET
        case HTTPStatus.BAD_REQUEST | HTTPStatus.CONFLICT:
            return Unreported.REFUSED
        case _:
            return Unreported.SILENT


def merged(
    kept: Reported,
    report: Report | None,
    now: datetime,
    problem: Unreported | None = None,
) -> Reported:
    """Return what is kept after Azure was asked at `now`: each window's highest.

    Without a report `problem` says why; what was known before stands.
    """
    if report is None:
        return replace(kept, asked_at=now, problem=problem or kept.problem)
    others = [r for r in kept.highest if r.start != report.start or r.end != report.end]
    same = [r for r in kept.highest if r not in others]
    highest = max([*same, report], key=lambda r: r.amount)
    return Reported(highest=(*others, highest), newest=report, asked_at=now)
