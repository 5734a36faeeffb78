"""Rows 5 to 17 of the decision table: a machine that holds a lease; pure."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import assert_never

from control.decision import Case, Decision, Entry, Notify, SendDeallocate, SendStart
from control.model import Heartbeat, Lease, Start
from control.rules import leases, starts
from control.rules.steps import close, nothing, release
from control.said.book import counted, lowered
from control.said.ends import Cause, Ended, Stage
from control.said.journal import Line
from control.said.notices import Notice
from control.said.reasons import Reason
from control.words import Ending, Fault, Phase, Power, Purpose, StopReason

OFF_FOR_GOOD = timedelta(minutes=2)
AFTER_A_GAP = timedelta(minutes=2)
STOPPED_BRIEFLY = timedelta(minutes=5)
BROKEN_FOR = timedelta(minutes=10)
ENDING_FOR = timedelta(minutes=5)
IDLE_SPARE = timedelta(minutes=10)
WARN_MINUTES = (5, 15)
_ASKED_AGAIN = starts.RETRIED | starts.HOPELESS | {Fault.CAPACITY, Fault.PREEMPTED}

type Row = Callable[[Case], Decision | None]


def must_end(case: Case) -> Decision | None:
    """Row 5, release: locked, the deadline is reached, or the budget is spent."""
    lease, spend = case.lease, case.seen.spend
    if lease.locked:
        return release(case, 5, StopReason.LOCKED, Ended.LOCKED.say())
    if lease.expires_at is not None and case.now >= lease.expires_at:
        why = leases.limit_reason(lease)
        return release(case, 5, why, Ended[why.name].say())
    if spend is not None and spend.remaining <= 0:
        return release(case, 5, StopReason.BUDGET, Ended.BUDGET.say())
    return None


def gone(case: Case) -> Decision | None:
    """Row 6, close: ARM has not known the machine for three ticks."""
    if case.seen.power is not Power.GONE:
        return None
    end = case.seen.seen.not_found_since
    return close(case, 6, StopReason.OUTSIDE, Reason.GONE.say(), end)


def off_by_others(case: Case) -> Decision | None:
    """Row 7, close: it went off, or stays off after a start that should have come."""
    if case.seen.power is not Power.DEALLOCATED:
        return None
    if not case.lease.ran and not _off_for_good(case):
        return None
    beat = case.seen.heartbeat
    why = _ending_reason(case.lease, beat.ending if beat else None)
    if why is None:
        return close(case, 7, StopReason.OUTSIDE, Ended.OUTSIDE.say())
    reason = Reason.SWITCHED_ITSELF_OFF.say(why=Ended[why.name].say())
    return close(case, 7, why, reason)


def _off_for_good(case: Case) -> bool:
    lease, start = case.lease, case.lease.start
    learnt = lease.adopted_at
    outcome = start.outcome if start else None
    if outcome is not None and outcome.fault in {None, Fault.PREEMPTED}:
        learnt = outcome.learnt_at
    if learnt is None:
        return False
    return case.now - max(learnt, case.seen.seen.power_since) >= OFF_FOR_GOOD


def _ending_reason(lease: Lease, ending: Ending | None) -> StopReason | None:
    match ending:
        case None:
            return None
        case Ending.LEASE:
            return leases.limit_reason(lease)
        case Ending.IDLE:
            return StopReason.IDLE
        case Ending.BROKEN:
            return StopReason.BROKEN
        case Ending.NEVER_READY:
            return StopReason.NEVER_READY
    assert_never(ending)


def to_start(case: Case) -> Decision | None:
    """Row 8, start; later close: off, with no start sent or one worth repeating."""
    start = case.lease.start
    if case.seen.power is not Power.DEALLOCATED or case.lease.adopted_at is not None:
        return None
    if start is not None and start.fault not in starts.RETRIED:
        return None
    if _hunted_long_enough(case):
        return close(case, 8, StopReason.START_FAILED, _not_in_time(case))
    waiting = start is not None and start.retry_at is not None
    if waiting and start is not None and start.retry_at and case.now < start.retry_at:
        return None
    return _start(case, 8, Reason.START.say())


def _not_in_time(case: Case) -> str:
    minutes = case.policy.capacity_retry // timedelta(minutes=1)
    start = case.lease.start
    cause = f" {refusal(start)}" if start and start.fault else ""
    return Reason.NOT_IN_TIME.say(span=counted(minutes, "minute"), cause=cause)


def to_start_for_capacity(case: Case) -> Decision | None:
    """Row 9, start again; later close: off, for Azure had no such machine free."""
    start = case.lease.start
    if case.seen.power is not Power.DEALLOCATED or start is None:
        return None
    if start.fault is not Fault.CAPACITY:
        return None
    if _hunted_long_enough(case):
        return close(case, 9, StopReason.NO_CAPACITY, _no_capacity(case))
    if case.now < starts.capacity_retry_at(start):
        return nothing(case, 9, Reason.NONE_FREE_YET.say())
    return _start(case, 9, Reason.START_AGAIN.say())


def _no_capacity(case: Case) -> str:
    others = ", ".join(case.policy.other_machines)
    hint = Reason.OTHER_MACHINES.say(others=others) if others else ""
    return Reason.NO_CAPACITY.say(hint=hint)


def _hunted_long_enough(case: Case) -> bool:
    assert case.session is not None
    return case.now - case.session.requested_at >= case.policy.capacity_retry


def _start(case: Case, row: int, reason: str) -> Decision:
    """Write the intent of a start; a run that may not start leaves it to the tick."""
    if not case.seen.run.may_start:
        return nothing(case, row, Reason.START_BY_TIMER.say())
    lease = starts.next_start(case.lease, case.now)
    assert lease.start is not None
    text = Line.START.say(attempts=lease.start.attempts)
    return replace(
        nothing(case, row, reason),
        lease=lease,
        actions=(SendStart(),),
        entries=(Entry(event="start", text=text, by=case.by),),
    )


def start_refused(case: Case) -> Decision | None:
    """Row 10, close: off, and waiting does not mend why the start failed."""
    start = case.lease.start
    if case.seen.power is not Power.DEALLOCATED or start is None:
        return None
    if start.fault not in starts.HOPELESS:
        return None
    return close(case, 10, StopReason.START_FAILED, refusal(start))


def refusal(start: Start) -> str:
    """Say in a sentence why Azure will not start the machine."""
    return Cause[(start.fault or Fault.OTHER).name].say()


def start_failed(case: Case) -> Decision | None:
    """Row 11, deallocate, release: the start failed, but such machines have booted."""
    start = case.lease.start
    if case.seen.power not in {Power.DEALLOCATED, Power.STARTING} or start is None:
        return None
    if start.fault is None or start.fault in _ASKED_AGAIN:
        return None
    made = release(case, 11, StopReason.START_FAILED, Reason.START_FAILED.say())
    assert made.lease.release is not None
    sent = replace(made.lease.release, sent_at=case.now, attempts=1)
    return replace(
        made,
        lease=replace(made.lease, release=sent),
        actions=(SendDeallocate(),),
    )


def never_ready(case: Case) -> Decision | None:
    """Row 12, release: not ready for too long, whatever is said meanwhile."""
    if case.ready or _setting_up(case) or _just_back(case):
        return None
    if case.now - _unready_since(case) < case.policy.ready_deadline:
        return None
    if case.session is not None and case.session.ready_at is not None:
        reason = Reason.STOPPED_ANSWERING.say()
        return release(case, 12, StopReason.NOT_RESPONDING, reason)
    return release(case, 12, StopReason.NEVER_READY, _not_ready(case.lease.phase))


def _not_ready(phase: Phase | None) -> str:
    stage = lowered(Stage[phase.name].say()) if phase else ""
    said = Reason.GOT_AS_FAR_AS.say(stage=stage) if stage else ""
    return Reason.NEVER_READY.say(stage=said)


def _setting_up(case: Case) -> bool:
    setup = case.lease.purpose is Purpose.SETUP
    return setup and case.seen.heartbeat is not None


def _just_back(case: Case) -> bool:
    ended = case.seen.seen.gap_ended_at
    return ended is not None and case.now - ended < AFTER_A_GAP


def _unready_since(case: Case) -> datetime:
    lease, beat = case.lease, case.seen.heartbeat
    begun = lease.adopted_at or (lease.start.sent_at if lease.start else None)
    assert case.session is not None
    since = begun or case.session.requested_at
    last = beat.received_at if beat and beat.phase is Phase.READY else None
    return max(since, last or lease.last_ready_at or since)


def guest_shutdown(case: Case) -> Decision | None:
    """Row 13, release: stopped but billed: shut down from inside."""
    if case.seen.power is not Power.STOPPED:
        return None
    if not case.lease.ran and _stopped_on_its_way(case):
        return None
    start = case.lease.start
    if not case.lease.ran and start is not None and start.fault is not None:
        capacity = start.fault is Fault.CAPACITY
        why = StopReason.NO_CAPACITY if capacity else StopReason.START_FAILED
        return release(case, 13, why, refusal(start))
    return release(case, 13, StopReason.GUEST_SHUTDOWN, Reason.GUEST_SHUTDOWN.say())


def _stopped_on_its_way(case: Case) -> bool:
    """Azure shows `stopped` for a moment while it starts a machine."""
    start, adopted = case.lease.start, case.lease.adopted_at
    if start is not None and case.now - start.sent_at < STOPPED_BRIEFLY:
        return True
    young = adopted is not None and case.now - adopted < STOPPED_BRIEFLY
    return young and case.seen.changing


def broken(case: Case) -> Decision | None:
    """Row 14, release: the VM says that it is broken, or could not end itself."""
    lease, newest, beat = case.lease, case.seen.heartbeat, case.fresh
    if case.seen.power is not Power.RUNNING or newest is None:
        return None
    work = lease.purpose is Purpose.WORK
    if work and newest.phase is Phase.BROKEN and _for(case, lease.broken_since):
        reason = Reason.BROKEN.say(detail=newest.detail).strip()
        return release(case, 14, StopReason.BROKEN, reason)
    if beat is None:
        return None
    ending = lease.ending_since
    ends = ending is not None and case.now - ending >= ENDING_FOR
    if not beat.release_failed and not ends:
        return None
    why = _ending_reason(lease, beat.ending) or StopReason.BROKEN
    return release(case, 14, why, Reason.COULD_NOT_END.say())


def _for(case: Case, since: datetime | None) -> bool:
    return since is not None and case.now - since >= BROKEN_FOR


def idle(case: Case) -> Decision | None:
    """Row 15, release: idle too long: the backstop for the VM's own watcher."""
    beat = case.fresh
    if case.seen.power is not Power.RUNNING or beat is None:
        return None
    if case.lease.purpose is Purpose.SETUP or beat.idle_seconds is None:
        return None
    counts = (beat.requests_running, beat.requests_waiting, beat.open_connections)
    limit = case.policy.idle + IDLE_SPARE
    if _idle_for(case, beat) < limit.total_seconds() or any(n != 0 for n in counts):
        return None
    return release(case, 15, StopReason.IDLE, Ended.IDLE.say())


def _idle_for(case: Case, beat: Heartbeat) -> float:
    """Return for how many seconds it was idle in this session and this boot.

    A watcher whose clock was carried over from before would kill every start.
    """
    ready_at = case.session.ready_at if case.session else None
    if beat.idle_seconds is None or ready_at is None:
        return 0.0
    since_ready = (beat.received_at - ready_at).total_seconds()
    uptime = since_ready if beat.uptime_s is None else beat.uptime_s
    return min(beat.idle_seconds, since_ready, uptime)


def ready(case: Case) -> Decision | None:
    """Row 16, warn: ready; 15 and 5 minutes before the end, once each."""
    if case.seen.power is not Power.RUNNING or not case.ready:
        return None
    made = nothing(case, 16, Reason.ANSWERS.say())
    due = _due_warnings(case)
    if all(minutes in case.lease.warned for minutes in due):
        return made
    text = Notice.ENDS_SOON.say(left=counted(_minutes_left(case), "minute"))
    return replace(
        made,
        lease=replace(case.lease, warned=tuple(due)),
        actions=(Notify(event="warning", text=text),),
        entries=(Entry(event="warned", text=text, by=case.by),),
    )


def _due_warnings(case: Case) -> list[int]:
    return [m for m in WARN_MINUTES if _minutes_left(case) <= m]


def _minutes_left(case: Case) -> int:
    """Return how long the lease lives, a begun minute counted whole."""
    assert case.lease.expires_at is not None
    return -((case.now - case.lease.expires_at) // timedelta(minutes=1))


def wait(case: Case) -> Decision:
    """Row 17, wait: everything else is a matter of time, and row 12 ends it."""
    return nothing(case, 17, Reason.WAITING.say(power=case.seen.power))


HELD: tuple[Row, ...] = (
    must_end,
    gone,
    off_by_others,
    to_start,
    to_start_for_capacity,
    start_refused,
    start_failed,
    never_ready,
    guest_shutdown,
    broken,
    idle,
    ready,
    wait,
)
