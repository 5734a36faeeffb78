"""What a run learns about a lease before it decides: pure, standard library only.

A start's outcome, that it ran, when billing began, how far the boot has come, and an
earlier end of the budget. Nothing here takes a lease away.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from control.decision import Case, Entry
from control.model import Heartbeat, Lease, Session
from control.rules import deadlines, leases, phases, starts
from control.said.journal import Line
from control.said.reasons import Reason
from control.words import LeaseState, Phase

_READY_AGAIN = timedelta(minutes=1)

type Learnt = tuple[Case, tuple[Entry, ...]]


def absorb(case: Case) -> Learnt:
    """Return the case with everything in it that this observation proves."""
    if case.lease.state is LeaseState.NONE:
        return case, ()
    entries: tuple[Entry, ...] = ()
    for learn in _STEPS:
        case, new = learn(case)
        entries += new
    return case, entries


def _with(case: Case, lease: Lease, session: Session | None = None) -> Case:
    return replace(case, lease=lease, session=session or case.session)


def _entry(case: Case, event: str, text: str) -> tuple[Entry, ...]:
    return (Entry(event=event, text=text, by=case.by),)


def _start_outcome(case: Case) -> Learnt:
    start = case.lease.start
    if start is None or not case.seen.fresh:
        return case, ()
    if case.seen.seen.reading.began_at < start.sent_at:
        return case, ()
    learnt = starts.learn(start, case.seen.operation, case.seen.provisioning, case.now)
    if learnt == start or learnt.outcome is None:
        return case, ()
    fault = learnt.outcome.fault
    text = Line.START_SUCCEEDED.say()
    if fault is not None:
        text = Line.START_FAILED.say(code=learnt.outcome.code or fault)
    entries = _entry(case, "start_ended", text)
    return _without_what_was_not_allocated(
        _with(case, replace(case.lease, start=learnt))
    ), entries


def _without_what_was_not_allocated(case: Case) -> Case:
    """A `starting` read of a start that found no machine dates nothing.

    Billing, and with it the asked time, counts from the start that allocates.
    """
    if case.session is None or not leases.costs_nothing(case.lease):
        return case
    undated = replace(case.session, billing_since=None, provisional=True)
    return _with(case, replace(case.lease, recounted=False), undated)


def _ran(case: Case) -> Learnt:
    lease, beat = case.lease, case.seen.heartbeat
    boot = beat.boot_id if beat else lease.boot_id
    old_boot = lease.last.boot_id if lease.last else None
    on = case.session is not None and case.seen.power in leases.PROVES_RAN
    new_boot = beat is not None and beat.boot_id != old_boot
    return _with(
        case, replace(lease, ran=lease.ran or on or new_boot, boot_id=boot)
    ), ()


def _billing_since(case: Case) -> Learnt:
    """The first billing reading dates the session and recounts the asked time."""
    session, lease = case.session, case.lease
    if session is None or session.billing_since is not None:
        return case, ()
    if leases.costs_nothing(lease) or not (case.seen.power.billing or lease.ran):
        return case, ()
    since = leases.bill_from(lease, session) or leases.found_billing_since(case)
    dated = replace(session, billing_since=since, provisional=False)
    if lease.state is LeaseState.HELD and not lease.recounted:
        lease = deadlines.recount(lease, case.policy, case.seen.spend, since, case.now)
    text = Line.BILLING.say(at=f"{since:%H:%M:%S} UTC", price=session.price_per_hour)
    return _with(case, lease, dated), _entry(case, "billing", text)


def _phase(case: Case) -> Learnt:
    beat, lease, session = case.seen.heartbeat, case.lease, case.session
    if beat is None or session is None or beat.phase is lease.phase:
        return case, ()
    spent = phases.so_far(lease, session, beat.received_at)
    changed = replace(lease, phase=beat.phase, phase_since=beat.received_at)
    text = Line.PHASE.say(phase=beat.phase, detail=beat.detail).strip()
    return (
        _with(case, changed, replace(session, phases=spent)),
        _entry(case, "phase", text),
    )


def _health(case: Case) -> Learnt:
    """When it was last ready, and since when it is broken or ends itself."""
    lease, session, beat = case.lease, case.session, case.seen.heartbeat
    if beat is None or session is None:
        return case, ()
    entries: tuple[Entry, ...] = ()
    if beat.phase is Phase.READY and session.ready_at is None:
        session = replace(session, ready_at=beat.received_at)
        entries = _entry(case, "ready", Reason.ANSWERS.say())
    lease = replace(
        lease,
        last_ready_at=_last_ready_at(lease, beat),
        broken_since=_since(
            lease.broken_since, beat, now_so=beat.phase is Phase.BROKEN
        ),
        ending_since=_since(lease.ending_since, beat, now_so=beat.ending is not None),
    )
    return _with(case, lease, session), entries


def _last_ready_at(lease: Lease, beat: Heartbeat) -> datetime | None:
    """Once a minute is enough: each change is a row."""
    known = lease.last_ready_at
    if beat.phase is not Phase.READY:
        return known
    if known is not None and beat.received_at - known < _READY_AGAIN:
        return known
    return beat.received_at


def _since(known: datetime | None, beat: Heartbeat, *, now_so: bool) -> datetime | None:
    return (known or beat.received_at) if now_so else None


def _budget(case: Case) -> Learnt:
    lease = case.lease
    if lease.state is not LeaseState.HELD:
        return case, ()
    shorter = deadlines.shorten(lease, case.policy, case.seen.spend, case.now)
    if shorter == lease:
        return case, ()
    text = Line.SHORTENED.say(at=shorter.expires_at)
    return _with(case, shorter), _entry(case, "shortened", text)


_STEPS: tuple[Callable[[Case], Learnt], ...] = (
    _start_outcome,
    _ran,
    _billing_since,
    _phase,
    _health,
    _budget,
)
