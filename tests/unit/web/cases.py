"""Views of every state, and of the pairs that compete for a word."""

from dataclasses import replace
from datetime import timedelta

from control.model import Outcome, Provisioning, Reading, Release, Start
from control.views import View
from control.web.states import State
from control.words import Fault, LeaseState, Phase, Power, StopReason
from tests.unit.web.support import NOW, beat, held, off, seen


def leased(view: View, **changes: object) -> View:
    assert view.lease is not None
    return replace(view, lease=replace(view.lease, **changes))  # type: ignore[arg-type] # a test's shorthand


def releasing(power: Power, why: StopReason = StopReason.USER) -> View:
    release = Release(since=NOW, reason=why, by="iphone")
    return leased(held(power), state=LeaseState.RELEASING, release=release)


def started(power: Power, ago: timedelta, fault: Fault | None = None) -> View:
    outcome = Outcome(fault=fault, learnt_at=NOW) if fault else None
    start = Start(sent_at=NOW - ago, attempts=1, accepted_at=NOW - ago, outcome=outcome)
    return leased(held(power), start=start, ran=False)


def lately_unknown(view: View, known: Power, ago: timedelta) -> View:
    unknown = seen(Power.UNKNOWN, known=known, power_since=NOW - ago)
    return replace(view, seen=unknown)


def tagged(power: Power) -> View:
    reading = Reading(began_at=NOW, power=power, controlled_by="another")
    return off(seen=seen(power, reading=reading))


def changing(view: View, power: Power) -> View:
    entry = Provisioning(state="updating")
    reading = Reading(began_at=NOW, power=power, provisioning=entry)
    return replace(view, seen=seen(power, reading=reading))


LATELY, LONG = timedelta(seconds=119), timedelta(minutes=2)
OLD = NOW - timedelta(minutes=4)
CASES: dict[str, tuple[View, State]] = {
    "shut down from inside": (
        leased(held(Power.STOPPED), ran=True),
        State.STOPPED_BUT_BILLING,
    ),
    "shut down, being taken away": (
        releasing(Power.STOPPED, StopReason.GUEST_SHUTDOWN),
        State.STOPPED_BUT_BILLING,
    ),
    "stopped on its way up": (
        started(Power.STOPPED, timedelta(minutes=1)),
        State.STARTING,
    ),
    "stopped while a person stops it": (releasing(Power.STOPPED), State.STOPPING),
    "stopped without a lease": (
        off(seen=seen(Power.STOPPED)),
        State.STOPPED_BUT_BILLING,
    ),
    "stopped without a lease, changing": (
        changing(off(), Power.STOPPED),
        State.UNMANAGED,
    ),
    "stopped, another's": (tagged(Power.STOPPED), State.UNMANAGED),
    "stopped, no ledger": (
        off(lease=None, seen=seen(Power.STOPPED)),
        State.UNMANAGED,
    ),
    "releasing while running": (releasing(Power.RUNNING), State.STOPPING),
    "releasing while unknown": (releasing(Power.UNKNOWN), State.STOPPING),
    "releasing while off": (releasing(Power.DEALLOCATED), State.STOPPING),
    "deallocating by others": (held(Power.DEALLOCATING), State.STOPPING),
    "stopping by itself": (held(Power.STOPPING), State.STOPPING),
    "going off without a lease": (off(seen=seen(Power.DEALLOCATING)), State.STOPPING),
    "draining": (held(heartbeat=beat(Phase.DRAINING)), State.STOPPING),
    "no capacity": (
        started(Power.DEALLOCATED, timedelta(minutes=3), Fault.CAPACITY),
        State.WAITING_FOR_CAPACITY,
    ),
    "conflict, asked again": (
        started(Power.DEALLOCATED, timedelta(minutes=3), Fault.CONFLICT),
        State.STARTING,
    ),
    "ready": (held(heartbeat=beat(Phase.READY)), State.READY),
    "ready, power unknown": (
        lately_unknown(held(heartbeat=beat(Phase.READY)), Power.RUNNING, LONG),
        State.READY,
    ),
    "ready long ago": (
        held(heartbeat=beat(Phase.READY, received_at=OLD)),
        State.LOADING,
    ),
    "loading": (held(heartbeat=beat(Phase.WEIGHTS)), State.LOADING),
    "broken": (held(heartbeat=beat(Phase.BROKEN)), State.LOADING),
    "no heartbeat yet": (held(), State.STARTING),
    "asked for": (held(Power.DEALLOCATED), State.STARTING),
    "held, unknown": (held(Power.UNKNOWN), State.STARTING),
    "another's": (tagged(Power.RUNNING), State.UNMANAGED),
    "no ledger, on": (off(lease=None, seen=seen(Power.RUNNING)), State.UNMANAGED),
    "no ledger, off": (off(lease=None), State.OFF),
    "no ledger, unknown": (
        off(lease=None, seen=seen(Power.UNKNOWN)),
        State.UNKNOWN,
    ),
    "never read": (off(seen=None), State.UNKNOWN),
    "unknown lately, was on": (
        lately_unknown(off(), Power.RUNNING, LATELY),
        State.UNMANAGED,
    ),
    "unknown for 2 minutes": (
        lately_unknown(off(), Power.RUNNING, LONG),
        State.UNKNOWN,
    ),
    "unknown lately, was off": (
        lately_unknown(off(), Power.DEALLOCATED, LATELY),
        State.UNKNOWN,
    ),
    "off": (off(), State.OFF),
    "gone": (off(seen=seen(Power.GONE)), State.OFF),
}
