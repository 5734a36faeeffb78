"""What a row of the decision table can do: the few steps that rows share; pure.

Each step makes one `Decision`; the table in `control.decide` says when.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from control.decision import (
    Action,
    Ask,
    Case,
    Decision,
    Entry,
    Notify,
    SendDeallocate,
)
from control.model import Release
from control.rules import leases
from control.said.book import counted
from control.said.journal import Line
from control.said.notices import Notice
from control.words import RunKind, StopReason

PACE = timedelta(seconds=50)
PERSON_PACE = timedelta(seconds=20)
FORCE_AFTER = timedelta(minutes=10)
ALARM_AFTER = timedelta(minutes=3)


def nothing(case: Case, row: int, reason: str) -> Decision:
    """Change nothing and say why."""
    return Decision(rows=(row,), reason=reason, lease=case.lease, session=case.session)


def release(
    case: Case, row: int, why: StopReason, reason: str, by: str | None = None
) -> Decision:
    """Begin to take the lease away."""
    by = by or case.by
    lease, session = leases.released(case, why, by)
    return Decision(
        rows=(row,),
        reason=reason,
        lease=lease,
        session=session,
        entries=(Entry(event="released", text=_line(why, reason), by=by),),
    )


def close(
    case: Case, row: int, why: StopReason, reason: str, end: datetime | None = None
) -> Decision:
    """End the lease and its session: the machine was read off, or never came on."""
    made = leases.closed(case, why, end)
    ended = made.session
    text = reason
    if ended is not None:
        text = Notice.ENDED.say(reason=reason, cost=ended.cost, currency=ended.currency)
    notes: tuple[Action, ...] = (Notify(event="ended", text=text),) if ended else ()
    return Decision(
        rows=(row,),
        reason=reason,
        lease=made.lease,
        closed=ended,
        actions=notes,
        entries=(Entry(event="closed", text=_line(why, text), by=case.by),),
    )


def _line(why: StopReason, reason: str) -> str:
    return Line.RELEASED.say(why=why, reason=reason)


def adopt(case: Case, row: int, reason: str, ask: Ask | None = None) -> Decision:
    """Open a session for a machine that bills without one; no start is sent in it.

    It belongs to who asks by a start, else to somebody outside.
    """
    lease, session = leases.adopted(case, ask.device if ask else "outside", ask)
    return Decision(
        rows=(row,),
        reason=reason,
        lease=lease,
        session=session,
        actions=(Notify(event="adopted", text=Notice.ADOPTED.say(reason=reason)),),
        entries=(Entry(event="adopted", text=reason, by=case.by),),
    )


def deallocate(case: Case, row: int, reason: str) -> Decision:
    """Send a deallocate, unless one was sent moments ago; claim it in the lease."""
    assert case.lease.release is not None
    made = nothing(case, row, reason)
    held = case.lease.release
    pace = PERSON_PACE if case.seen.run is RunKind.STOP else PACE
    if held.sent_at is not None and case.now - held.sent_at < pace:
        return made
    force = _force(held, case.now)
    sent = replace(held, sent_at=case.now, attempts=held.attempts + 1)
    line = Line.DEALLOCATE_FORCED if force else Line.DEALLOCATE
    text = line.say(attempts=sent.attempts)
    return replace(
        made,
        lease=replace(case.lease, release=sent),
        actions=(SendDeallocate(force=force), *_alarm(case, held)),
        entries=(Entry(event="deallocate", text=text, by=case.by),),
    )


def _force(held: Release, now: datetime) -> bool:
    """From 10 minutes on every second attempt, until a 4xx forbids it."""
    old = now - held.since >= FORCE_AFTER
    return old and held.attempts % 2 == 1 and not held.force_refused


def _alarm(case: Case, held: Release) -> tuple[Action, ...]:
    """With each deallocate of an old release, while the machine may still bill.

    It goes with the deallocate, so that two runs at once raise one alarm.
    """
    if case.now - held.since < ALARM_AFTER or case.seen.power.billing is False:
        return ()
    minutes = (case.now - held.since) // timedelta(minutes=1)
    machine, ago = case.lease.machine, counted(minutes, "minute")
    text = Notice.STILL_UNKNOWN.say(machine=machine, ago=ago)
    if case.seen.power.billing:
        power = case.seen.power
        text = Notice.STILL_ON.say(machine=machine, ago=ago, power=power)
    return (Notify(event="alarm", text=text),)
