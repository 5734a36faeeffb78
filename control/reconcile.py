"""The loop: observe, decide, record the intent, act, record the outcome.

Level-triggered: each run compares what should be with what is, from the lease row and
an observation. Exclusion between runs, threads and processes is the lease's ETag.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from control.act import Actor
from control.decide import decide
from control.decision import (
    Ask,
    Case,
    Decision,
    Notify,
    Observation,
    Policy,
    SendDeallocate,
    SendStart,
)
from control.errors import LedgerConflict, LedgerError
from control.ledger import Ledger, State
from control.observe import Observer
from control.ports import Clock
from control.requests import Outcome
from control.rules.starts import ENDED_AT_ONCE
from control.said.reasons import Reason
from control.words import Fault, LeaseState, RunKind

TRIES = 5
_LOG = logging.getLogger(__name__)

type Request = Callable[[Case], Outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a run came to: the state after it, what it saw and what was decided.

    `opened` is set when this very run opened the session, `unsent` says why Azure did
    not answer what it sent, `lost` when somebody else decided first.
    """

    state: State
    observation: Observation
    outcome: Outcome
    opened: bool = False
    unsent: Fault | None = None
    lost: bool = False


class Reconciler:
    """Runs the loop for one machine at a time; holds nothing that decides."""

    def __init__(
        self, ledger: Ledger, observer: Observer, actor: Actor, clock: Clock
    ) -> None:
        self._ledger = ledger
        self._observer = observer
        self._actor = actor
        self._clock = clock

    def run(
        self,
        policy: Policy,
        kind: RunKind,
        ask: Ask | None = None,
        request: Request | None = None,
    ) -> Ran:
        """Run once; after a lost race decide again, at most 5 times.

        Raises `LedgerError`: then a deallocate that was decided was sent all the same.
        """
        opened, unsent = False, None
        for tries in range(TRIES):
            ran = self._once(policy, kind, ask, request, again=tries > 0)
            if ran.lost:
                continue
            opened, unsent = opened or ran.opened, unsent or ran.unsent
            if _start_was_refused(ran):
                continue
            return Ran(
                state=ran.state,
                observation=ran.observation,
                outcome=ran.outcome,
                opened=opened,
                unsent=unsent,
            )
        self._actor.deallocate_blind(policy.machine, ran.outcome.decision)
        raise LedgerConflict(f"{policy.machine}: five runs in a row decided otherwise")

    def _once(
        self,
        policy: Policy,
        kind: RunKind,
        ask: Ask | None,
        request: Request | None,
        *,
        again: bool,
    ) -> Ran:
        state = self._ledger.read(policy.machine)
        fresh = kind in {RunKind.TICK, RunKind.STOP, RunKind.POST} or again
        seen = self._observer.observe(state, kind, ask, fresh=fresh)
        case = self._case(state, seen.observation, policy)
        if not seen.decides and state.lease.state is LeaseState.HELD:
            waiting = Outcome(decision=_untouched(state))
            return Ran(state=state, observation=seen.observation, outcome=waiting)
        outcome = _outcome(case, request)
        weighs = _weighs(state, outcome.decision) or not seen.decides
        if weighs and not seen.observation.fresh:
            seen = self._observer.observe(state, kind, ask, fresh=True)
            case = self._case(state, seen.observation, policy)
            outcome = _outcome(case, request)
        return self._carry_out(state, case, outcome)

    def _case(self, state: State, observation: Observation, policy: Policy) -> Case:
        return Case(
            lease=state.lease,
            session=state.session,
            seen=observation,
            policy=policy,
            now=self._clock.now(),
        )

    def _carry_out(self, state: State, case: Case, outcome: Outcome) -> Ran:
        decision, seen = outcome.decision, case.seen
        machine = case.policy.machine
        self._say(machine, decision)
        if not _changes(state, decision):
            if outcome.refusal is not None and self._moved_on(state):
                return Ran(state=state, observation=seen, outcome=outcome, lost=True)
            self._tell(machine, decision, case)
            return Ran(state=state, observation=seen, outcome=outcome)
        if seen.run is RunKind.READ and not _weighs(state, decision):
            reckoned = replace(state, lease=decision.lease, session=decision.session)
            return Ran(state=reckoned, observation=seen, outcome=outcome)
        try:
            after = self._ledger.commit(state, decision, case.now)
        except LedgerConflict:
            return Ran(state=state, observation=seen, outcome=outcome, lost=True)
        except LedgerError:
            self._actor.deallocate_blind(machine, decision)
            raise
        unsent = self._actor.act(after, decision)
        self._tell(machine, decision, case)
        return Ran(
            state=self._ledger.read(machine) if _sends(decision) else after,
            observation=seen,
            outcome=outcome,
            opened=_opens(state, decision),
            unsent=unsent,
        )

    def _moved_on(self, state: State) -> bool:
        """Whether somebody decided since; no write of ours would have met it."""
        return self._ledger.read(state.lease.machine).etag != state.etag

    def _tell(self, machine: str, decision: Decision, case: Case) -> None:
        for action in decision.actions:
            if isinstance(action, Notify) and self._may_tell(machine, action, case):
                self._actor.notify(machine, action)

    def _may_tell(self, machine: str, notice: Notify, case: Case) -> bool:
        """A decision that changes the lease has one winner; others are claimed here."""
        if notice.event != "unknown":
            return True
        if case.seen.run is RunKind.READ:
            return False
        return self._observer.first_to_alarm(machine, case.seen.seen, notice.text)

    def _say(self, machine: str, decision: Decision) -> None:
        rows = ",".join(str(row) for row in decision.rows)
        _LOG.info("%s: row %s: %s", machine, rows, decision.reason)


def _outcome(case: Case, request: Request | None) -> Outcome:
    if request is not None:
        return request(case)
    made = decide(case.lease, case.session, case.seen, case.policy, case.now)
    return Outcome(decision=made)


def _untouched(state: State) -> Decision:
    reason = Reason.JUST_CALLED.say()
    return Decision(rows=(17,), reason=reason, lease=state.lease, session=state.session)


def _changes(state: State, decision: Decision) -> bool:
    """Whether there is anything to write."""
    return (
        decision.lease != state.lease
        or decision.session != state.session
        or decision.closed is not None
    )


def _weighs(state: State, decision: Decision) -> bool:
    """Whether it starts, closes, adopts or releases: only a reading of now may."""
    moved = decision.lease.state is not state.lease.state or _opens(state, decision)
    return _sends(decision) or moved or decision.closed is not None


def _sends(decision: Decision) -> bool:
    """Whether Azure is called, and so the lease written once more."""
    calls = SendStart | SendDeallocate
    return any(isinstance(action, calls) for action in decision.actions)


def _opens(state: State, decision: Decision) -> bool:
    had = state.session.id if state.session else None
    return decision.session is not None and decision.session.id != had


def _start_was_refused(ran: Ran) -> bool:
    """Whether Azure refused the start for good, so that the next look closes it."""
    sent = any(isinstance(a, SendStart) for a in ran.outcome.decision.actions)
    start = ran.state.lease.start
    held = ran.state.lease.state is LeaseState.HELD
    if not sent or start is None or not held:
        return False
    return start.outcome is not None and start.fault in ENDED_AT_ONCE
