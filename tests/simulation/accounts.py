"""Every billed second is in exactly one session: Azure's meter against the ledger."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise

from control.model import Session
from control.rules import money
from control.words import LeaseState
from local.azure.plan import Power
from local.azure.vm import Vm
from tests.simulation.judge import Judge
from tests.simulation.pressing import CALLS, ONE_TICK
from tests.simulation.truth import Notes

type Span = tuple[datetime, datetime]

# A run that ends between two ticks is seen by none of them.
UNSEEN = ONE_TICK + CALLS
OVER = money.LEAST_BILLED + 2 * ONE_TICK + CALLS


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What one life came to, in seconds: what Azure billed and what the ledger has.

    `unseen` is billed and in no session, of it `blind` while nobody could look and
    `free` in sessions that count as failed; `over` is in sessions and was not billed.
    """

    billed: float
    ledger: float
    unseen: float
    blind: float
    free: float
    over: float


def seconds(spans: Iterable[Span]) -> float:
    """Sum spans that do not overlap."""
    return sum((end - start).total_seconds() for start, end in spans)


def merged(spans: Iterable[Span]) -> list[Span]:
    """Join what touches; in order."""
    made: list[Span] = []
    for start, end in sorted(spans):
        if end <= start:
            continue
        if made and start <= made[-1][1]:
            made[-1] = made[-1][0], max(end, made[-1][1])
        else:
            made.append((start, end))
    return made


def minus(spans: Iterable[Span], others: Iterable[Span]) -> list[Span]:
    """Return what of the first lies in none of the second."""
    left = merged(spans)
    for start, end in merged(others):
        cut: list[Span] = []
        for since, until in left:
            if until <= start or since >= end:
                cut.append((since, until))
                continue
            if since < start:
                cut.append((since, start))
            if until > end:
                cut.append((end, until))
        left = cut
    return left


class Accounts(Judge):
    """Settles the accounts at the end of a life."""

    def settle(self) -> Account:
        """Compare machine by machine; what does not fit is told to the verdict."""
        parts = [self._of(vm) for vm in self._world.azure.vms]
        return Account(
            **{
                each.name: sum(getattr(part, each.name) for part in parts)
                for each in fields(Account)
            }
        )

    def _of(self, vm: Vm) -> Account:
        sessions = [s for _, s in self._world.ledger.sessions(vm.name) if s is not None]
        notes, now = self._truth.of[vm.name], self._world.tasks.now()
        self._is_at_rest(vm)
        self._months(vm.name, sessions)
        billed = [(s.since, s.until or now) for s in vm.machine.meter.stretches]
        spans = sorted(filter(None, map(_counted, sessions)))
        self._exactly_one(spans)
        not_ours = [*notes.foreign, *notes.unallocated]
        unseen = minus(minus(billed, spans), not_ours)
        free = minus(unseen, minus(unseen, [_whole(s) for s in sessions]))
        blind = minus(notes.blind, self._rows.open.get(vm.name, []))
        self._seen(vm, minus(minus(unseen, free), blind))
        blind = minus(unseen, minus(unseen, blind))
        over = minus(spans, billed)
        self._not_too_much(vm, sessions, billed, notes)
        return Account(
            billed=seconds(billed),
            ledger=seconds(spans),
            unseen=seconds(unseen),
            blind=seconds(blind),
            free=seconds(free),
            over=seconds(over),
        )

    def _is_at_rest(self, vm: Vm) -> None:
        lease = self._world.ledger.read(vm.name).lease
        power = vm.machine.power
        if lease.state is not LeaseState.NONE or power is not Power.DEALLOCATED:
            text = f"{vm.name} is {power}, its lease {lease.state}"
            self._verdict.fails("all is off when everybody has gone", text)

    def _months(self, name: str, sessions: list[Session]) -> None:
        days = timedelta(days=400)
        now = self._world.tasks.now()
        totals = self._world.ledger.totals(name, now - days, now + days)
        by_month = sum((total.cost for total in totals), Decimal(0))
        by_session = sum((each.cost or Decimal(0) for each in sessions), Decimal(0))
        if by_month != by_session:
            text = f"{name}: {by_month} by month, {by_session} by session"
            self._verdict.fails("the months' sum is the sessions' sum", text)

    def _exactly_one(self, spans: list[Span]) -> None:
        for (_, end), (start, _) in pairwise(spans):
            if start < end - money.LEAST_BILLED:
                text = f"one until {end}, the next from {start}"
                self._verdict.fails("no second is in two sessions", text)

    def _seen(self, vm: Vm, missed: list[Span]) -> None:
        for start, end in missed:
            if end - start > UNSEEN:
                text = f"{vm.name} billed from {start} to {end} and no session has it"
                self._verdict.fails("every billed second is in a session", text)

    def _not_too_much(
        self, vm: Vm, sessions: list[Session], billed: list[Span], notes: Notes
    ) -> None:
        """The ledger is an upper bound: more by what could not be known, no more."""
        excused = [*billed, *notes.blind, *notes.starting, *notes.ending]
        for session in sessions:
            span = _counted(session)
            if span is None:
                continue
            over = timedelta(seconds=seconds(minus([span], excused)))
            if over > OVER:
                text = f"{vm.name}: {session.id} has {over} that were not billed"
                self._verdict.fails("a session counts no more than it may", text)


def _whole(session: Session) -> Span:
    """What a session that cost nothing lasted."""
    end = session.ended_at or session.requested_at
    return (session.requested_at, end) if not session.cost else (end, end)


def _counted(session: Session) -> Span | None:
    if session.billing_since is None or session.ended_at is None or not session.cost:
        return None
    end = money.billed_until(session.billing_since, session.ended_at)
    return session.billing_since, end
