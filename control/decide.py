"""The decision: what a machine's lease, its session and one observation demand.

`decide` is pure: no clock, no SDK, no environment. It tries the rows of DESIGN.md's
table from the top; the first match wins, and a decision that changes the lease's state
runs the table again on the same observation. Rows 5 to 17 stand in
`control.rules.held`.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import assert_never

from control.decision import Case, Decision, Notify, Observation, Policy
from control.model import Lease, Session
from control.rules import leases, starts
from control.rules.evidence import absorb
from control.rules.held import HELD
from control.rules.steps import adopt, close, deallocate, nothing, release
from control.said.ends import Ended
from control.said.notices import Notice
from control.said.reasons import Reason
from control.words import LeaseState, Power, StopReason

DEALLOCATING_FOR = timedelta(minutes=10)
START_IN_FLIGHT_FOR = timedelta(minutes=15)
UNKNOWN_FOR = timedelta(minutes=10)
_ROUNDS = 4

type Row = Callable[[Case], Decision | None]


def decide(
    lease: Lease,
    session: Session | None,
    observation: Observation,
    policy: Policy,
    now: datetime,
) -> Decision:
    """Return what to do now; `session` is the lease's open one.

    The observation must not have begun before the lease's last start or deallocate
    was sent.
    """
    case = Case(lease=lease, session=session, seen=observation, policy=policy, now=now)
    case, learnt = absorb(case)
    made = _first(case)
    made = replace(made, entries=learnt + made.entries)
    for _ in range(_ROUNDS):
        if made.lease.state is case.lease.state:
            return made
        case = replace(case, lease=made.lease, session=made.session)
        made = _after(made, _first(case))
    raise AssertionError(f"the table does not settle: {made.rows}")


def _after(first: Decision, then: Decision) -> Decision:
    """Add a further round: the first reason is the one that people are told."""
    return Decision(
        rows=first.rows + then.rows,
        reason=first.reason,
        lease=then.lease,
        session=then.session,
        closed=then.closed or first.closed,
        actions=first.actions + then.actions,
        entries=first.entries + then.entries,
    )


def _first(case: Case) -> Decision:
    for row in _rows(case.lease.state):
        made = row(case)
        if made is not None:
            return made
    raise AssertionError(f"no row for {case.lease.state} and {case.seen.power}")


def _rows(state: LeaseState) -> tuple[Row, ...]:
    match state:
        case LeaseState.RELEASING:
            return RELEASING
        case LeaseState.HELD:
            return HELD
        case LeaseState.NONE:
            return NONE
    assert_never(state)


def _is_off(case: Case) -> Decision | None:
    """Row 1, close: off, and nothing of ours is under way that could bring it back."""
    start, power = case.lease.start, case.seen.power
    in_flight = start is not None and start.in_flight
    if power is Power.GONE:
        return _close_released(case, 1, case.seen.seen.not_found_since)
    if power is Power.DEALLOCATED and not in_flight:
        return _close_released(case, 1)
    return None


def _close_released(case: Case, row: int, end: datetime | None = None) -> Decision:
    assert case.lease.release is not None
    held = case.lease.release
    return close(case, row, held.reason, Ended[held.reason.name].say(by=held.by), end)


def _off_with_a_start_under_way(case: Case) -> Decision | None:
    """Row 2, deallocate: off, but a start is under way; after 15 minutes close."""
    if case.seen.power is not Power.DEALLOCATED:
        return None
    assert case.lease.release is not None
    if case.now - case.lease.release.since >= START_IN_FLIGHT_FOR:
        return _close_released(case, 2)
    return deallocate(case, 2, Reason.UNDER_WAY.say())


def _going_off(case: Case) -> Decision | None:
    """Row 3, wait: Azure has been switching it off for less than 10 minutes."""
    if case.seen.power is not Power.DEALLOCATING:
        return None
    if case.now - case.seen.seen.power_since >= DEALLOCATING_FOR:
        return None
    return nothing(case, 3, Reason.GOING_OFF.say())


def _send_deallocate(case: Case) -> Decision:
    """Row 4, deallocate: anything else; what bills unrecorded is adopted first."""
    adopted = None
    if case.session is None and case.seen.power.billing:
        adopted = _adopt_released(case)
        case = replace(case, lease=adopted.lease, session=adopted.session)
    made = deallocate(case, 4, Reason.TOLD_TO_STOP.say())
    return _after(adopted, made) if adopted else made


def _adopt_released(case: Case) -> Decision:
    """Adopt, keeping the release's reason and who asked for it."""
    held = case.lease.release
    assert held is not None
    made = adopt(case, 4, Reason.UNRECORDED.say())
    assert made.session is not None
    lease = replace(made.lease, state=LeaseState.RELEASING, release=held)
    session = replace(made.session, stop_requested_at=held.since, stopped_by=held.by)
    return replace(made, lease=lease, session=session, actions=())


def _leave_alone(case: Case) -> Decision | None:
    """Row 18, leave alone: off, unknown, or another control plane's."""
    power = case.seen.power
    if power.billing and case.other_controller is None:
        return None
    made = nothing(case, 18, _resting(case))
    since = case.seen.seen.power_since
    unknown = power is Power.UNKNOWN and case.now - since >= UNKNOWN_FOR
    if not unknown or case.seen.seen.alarmed:
        return made
    text = Notice.SILENT.say(machine=case.lease.machine)
    return replace(made, actions=(Notify(event="unknown", text=text),))


def _resting(case: Case) -> str:
    if case.other_controller is not None:
        return Reason.OTHER_SWITCH.say(tag=case.other_controller)
    return Reason.AT_REST.say(power=case.seen.power)


def _comes_late(case: Case) -> Decision | None:
    """Row 19, adopt and release: a given-up start that came late, or back from gone."""
    if case.seen.run.adopts_for_caller:
        return None
    last = case.lease.last
    if last is None:
        return None
    hit_once = replace(last, late_start_sent_at=None)
    spent = replace(case, lease=replace(case.lease, last=hit_once))
    if starts.may_still_come(case.lease, case.seen.seen.on_since):
        reason = Reason.CAME_LATE.say()
        return _adopt_and_release(spent, 19, StopReason.LATE_START, reason)
    held = last.release
    if held is None or not leases.back_from_gone(case):
        return None
    reason = Reason.BACK.say()
    return _adopt_and_release(spent, 19, held.reason, reason, held.by)


def _adopt_and_release(
    case: Case, row: int, why: StopReason, reason: str, by: str | None = None
) -> Decision:
    adopted = adopt(case, row, reason)
    inner = replace(case, lease=adopted.lease, session=adopted.session)
    made = release(inner, row, why, reason, by)
    return replace(
        made,
        actions=adopted.actions + made.actions,
        entries=adopted.entries + made.entries,
    )


def _stopped(case: Case) -> Decision | None:
    """Row 20, adopt and release: found shut down from inside, still billed."""
    if case.seen.power is not Power.STOPPED or case.seen.changing:
        return None
    reason = Reason.FOUND_SHUT_DOWN.say()
    return _adopt_and_release(case, 20, StopReason.GUEST_SHUTDOWN, reason)


def _found_on(case: Case) -> Decision:
    """Row 21, adopt: somebody else switched it on; the usual limits hold."""
    ask = case.seen.ask
    by = ask.device if ask else Reason.OUTSIDE.say()
    reason = Reason.FOUND_ON.say(power=case.seen.power, by=by)
    return adopt(case, 21, reason, ask)


RELEASING: tuple[Row, ...] = (
    _is_off,
    _off_with_a_start_under_way,
    _going_off,
    _send_deallocate,
)
NONE: tuple[Row, ...] = (_leave_alone, _comes_late, _stopped, _found_on)

__all__ = ["HELD", "NONE", "RELEASING", "decide"]
