"""The one word for how a machine is, and the one for what is wrong; pure.

The words are tried from the top, the first match wins.
"""

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum

from control.decision import FRESH, Case, Observation
from control.model import Heartbeat, Lease, Observed
from control.rules.held import guest_shutdown
from control.views import View
from control.words import Fault, LeaseState, Phase, Power, RunKind, StopReason

LAST_KNOWN_STANDS = timedelta(minutes=2)
STALE_TICK = timedelta(minutes=3)
_SHUT_DOWN = frozenset(
    {StopReason.GUEST_SHUTDOWN, StopReason.START_FAILED, StopReason.NO_CAPACITY}
)


class State(StrEnum):
    """How a machine is, in one word."""

    STOPPED_BUT_BILLING = "stopped_but_billing"
    STOPPING = "stopping"
    WAITING_FOR_CAPACITY = "waiting_for_capacity"
    READY = "ready"
    LOADING = "loading"
    STARTING = "starting"
    UNMANAGED = "unmanaged"
    UNKNOWN = "unknown"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A view with the power that stands: for 2 minutes the last known one."""

    view: View
    power: Power

    @property
    def lease_state(self) -> LeaseState | None:
        """None when the ledger cannot be read."""
        return self.view.lease.state if self.view.lease else None

    @property
    def held(self) -> bool:
        """Whether a lease is held."""
        return self.lease_state is LeaseState.HELD

    @property
    def beat(self) -> Heartbeat | None:
        """The newest heartbeat of this session."""
        return self.view.heartbeat

    @property
    def fresh(self) -> Heartbeat | None:
        """The same, when it is at most 3 minutes old."""
        beat = self.beat
        young = beat is not None and self.view.now - beat.received_at <= FRESH
        return beat if young else None


def sight(view: View) -> Sight:
    """Return what the words are chosen from."""
    return Sight(view=view, power=_power(view.seen, view))


def _power(seen: Observed | None, view: View) -> Power:
    if seen is None:
        return Power.UNKNOWN
    lately = view.now - seen.power_since < LAST_KNOWN_STANDS
    if seen.power is Power.UNKNOWN and seen.known is not None and lately:
        return seen.known
    return seen.power


def state(view: View) -> State:
    """Return the machine's word."""
    seen = sight(view)
    word = _of_lease(seen) or _of_power(seen)
    if word is State.OFF and billing(view) is not False:
        return State.UNKNOWN
    return word


def _of_lease(seen: Sight) -> State | None:
    if _stopped_but_billing(seen):
        return State.STOPPED_BUT_BILLING
    if _stopping(seen):
        return State.STOPPING
    if not seen.held:
        return None
    if _waits_for_capacity(seen):
        return State.WAITING_FOR_CAPACITY
    if seen.fresh is not None and seen.fresh.phase is Phase.READY:
        return State.READY
    return State.LOADING if seen.beat is not None else State.STARTING


def _of_power(seen: Sight) -> State:
    match seen.power.billing:
        case True:
            return State.UNMANAGED
        case None:
            return State.UNKNOWN
        case False:
            return State.OFF


def _stopped_but_billing(seen: Sight) -> bool:
    """Rows 13 and 20 of the decision table, or what they have released."""
    lease = seen.view.lease
    if seen.power is not Power.STOPPED or lease is None:
        return False
    case = _case(seen, lease)
    match lease.state:
        case LeaseState.HELD:
            return guest_shutdown(case) is not None
        case LeaseState.RELEASING:
            return lease.release is not None and lease.release.reason in _SHUT_DOWN
        case LeaseState.NONE:
            return not case.seen.changing and case.other_controller is None


def _case(seen: Sight, lease: Lease) -> Case:
    view = seen.view
    assert view.seen is not None
    observed = replace(view.seen, power=seen.power)
    observation = Observation(
        run=RunKind.READ, seen=observed, heartbeat=view.heartbeat, new_id=""
    )
    return Case(
        lease=lease,
        session=view.session,
        seen=observation,
        policy=view.policy,
        now=view.now,
    )


def _stopping(seen: Sight) -> bool:
    if seen.lease_state is LeaseState.RELEASING:
        return True
    if seen.power in {Power.DEALLOCATING, Power.STOPPING}:
        return True
    return seen.fresh is not None and seen.fresh.phase is Phase.DRAINING


def _waits_for_capacity(seen: Sight) -> bool:
    start = seen.view.lease.start if seen.view.lease else None
    failed = start is not None and start.fault is Fault.CAPACITY
    return failed and seen.power is Power.DEALLOCATED


def billing(view: View) -> bool | None:
    """Whether money runs; an open session's does while the power is unknown."""
    power = view.seen.power if view.seen else Power.UNKNOWN
    if power.billing is None and view.session is not None:
        return True
    return power.billing


def is_foreign(view: View) -> str | None:
    """Return the name of another control plane that stands on the machine."""
    return view.policy.other_controller(view.seen.reading) if view.seen else None


def problem(view: View) -> str | None:
    """Return what is wrong, in one word."""
    if view.problems:
        return view.problems[0]
    seen = sight(view)
    if not seen.held or seen.beat is None:
        return None
    if seen.fresh is None:
        return "stale"
    if seen.fresh.phase is Phase.BROKEN:
        return "broken"
    was_ready = view.session is not None and view.session.ready_at is not None
    back = seen.fresh.phase not in {Phase.READY, Phase.DRAINING}
    return "restarting" if was_ready and back else None


def timer_is_stale(view: View) -> bool:
    """Whether the timer has not run for more than 3 minutes, as far as is known."""
    return view.tick_at is None or view.now - view.tick_at > STALE_TICK
