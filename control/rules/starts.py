"""What became of a start, and whether one of ours may still come.

A start's outcome is learnt from its operation, else from a `ProvisioningState` entry
read since; pure, standard library only.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from control.model import Lease, Operation, Outcome, Provisioning, Start
from control.words import Fault, LeaseState, OperationState

NO_ANSWER = timedelta(minutes=2)
LATE = timedelta(hours=2)
RETRIED = frozenset({Fault.CONFLICT, Fault.THROTTLED, Fault.UNAVAILABLE})
HOPELESS = frozenset(
    {Fault.QUOTA, Fault.PERMISSION, Fault.SKU, Fault.DISABLED, Fault.SCOPE_LOCK}
)
# Refused so, a start is given up in the same call: whoever asked is told why.
ENDED_AT_ONCE = HOPELESS | {Fault.OTHER, Fault.NOT_FOUND}
COSTS_NOTHING = (HOPELESS - {Fault.SCOPE_LOCK}) | {Fault.CAPACITY}
_NEVER_COMES = HOPELESS | {Fault.CAPACITY, Fault.THROTTLED}
_LONGEST_RETRY_MINUTES = 8


def learn(
    start: Start,
    operation: Operation | None,
    provisioning: Provisioning | None,
    now: datetime,
) -> Start:
    """Return the start with the outcome that this run could read, if any.

    The readings must have begun after the start was sent.
    """
    if not start.in_flight:
        return start
    outcome = _by_operation(operation, now) if operation else None
    if operation is None:
        outcome = _by_provisioning(start, provisioning, now)
    return replace(start, outcome=outcome) if outcome else start


def _by_operation(operation: Operation, now: datetime) -> Outcome | None:
    if operation.state is OperationState.IN_PROGRESS:
        return None
    failed = operation.state is OperationState.FAILED
    return Outcome(
        fault=(operation.fault or Fault.OTHER) if failed else None,
        code=operation.code,
        message=operation.message,
        at=operation.ended_at,
        learnt_at=now,
    )


def _by_provisioning(
    start: Start, entry: Provisioning | None, now: datetime
) -> Outcome | None:
    if entry is not None and entry.changing:
        return None
    if entry is not None and entry.at is not None and entry.at >= start.sent_at:
        if entry.state == "succeeded":
            return Outcome(fault=None, at=entry.at, learnt_at=now)
        if entry.state == "failed":
            fault = entry.fault or Fault.OTHER
            return Outcome(fault=fault, code=entry.code, at=entry.at, learnt_at=now)
    if start.unanswered and now - start.sent_at >= NO_ANSWER:
        return Outcome(fault=Fault.UNAVAILABLE, learnt_at=now)
    return None


def next_start(lease: Lease, now: datetime) -> Lease:
    """Return the lease with the intent of one more start written into it."""
    before = lease.start
    unanswered = lease.unanswered_at
    if before is not None and before.unanswered:
        unanswered = unanswered or before.sent_at
    elif before is not None and before.accepted_at is not None:
        unanswered = None
    attempts = before.attempts + 1 if before else 1
    return replace(
        lease,
        start=Start(sent_at=now, attempts=attempts),
        first_start_at=lease.first_start_at or now,
        unanswered_at=unanswered,
    )


def accepted(lease: Lease, at: datetime, operation_url: str | None) -> Lease:
    """Return the lease after ARM took its start: it replaces an unanswered one."""
    assert lease.start is not None
    start = replace(lease.start, accepted_at=at, operation_url=operation_url)
    return replace(lease, start=start, unanswered_at=None)


def taken_at(lease: Lease) -> datetime | None:
    """Return when Azure took a start of this lease, or first may have taken one."""
    own = lease.start.taken_at if lease.start else None
    return lease.unanswered_at or own


def capacity_retry_at(start: Start) -> datetime:
    """Return when to ask for capacity again: after 1, 2, 4, 8, 8... minutes."""
    assert start.outcome is not None
    minutes = min(2 ** min(start.attempts - 1, 8), _LONGEST_RETRY_MINUTES)
    return start.outcome.learnt_at + timedelta(minutes=minutes)


def late_start_sent_at(lease: Lease) -> datetime | None:
    """Return when the newest start was sent that may still come after the close.

    A session that ran has none of its own, nor has one that failed for good; then the
    one of the session before is kept.
    """
    own = None if lease.ran else _own_late_start(lease)
    return own or (lease.last.late_start_sent_at if lease.last else None)


def _own_late_start(lease: Lease) -> datetime | None:
    start = lease.start
    if start is None:
        return None
    if start.fault in _NEVER_COMES or _preempted_while_held(lease, start):
        refused_at_once = start.taken_at is None
        return lease.unanswered_at if refused_at_once else None
    return start.sent_at


def _preempted_while_held(lease: Lease, start: Start) -> bool:
    if start.fault is not Fault.PREEMPTED or start.outcome is None:
        return False
    release = lease.release
    return release is None or start.outcome.learnt_at < release.since


def may_still_come(lease: Lease, on_since: datetime | None) -> bool:
    """Whether what came on at `on_since` without a lease is our late start."""
    sent = lease.last.late_start_sent_at if lease.last else None
    if lease.state is not LeaseState.NONE or sent is None or on_since is None:
        return False
    return timedelta(0) <= on_since - sent < LATE
