"""Examples of what is said, made by the code that says it: for docs/messages.md."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from control.decision import Policy
from control.model import (
    Budget,
    Heartbeat,
    Lease,
    Observed,
    Outcome,
    Reading,
    Release,
    Session,
    Start,
)
from control.said.answers import Answer as Said
from control.said.book import Book
from control.said.status import Status
from control.views import Answer, Offer, SessionPage, View
from control.web import sentences
from control.web.site import Place
from control.words import (
    Fault,
    LeaseState,
    Limit,
    Phase,
    Power,
    PriceSource,
    StopReason,
)

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
ZONE = ZoneInfo("Europe/Paris")
MACHINE = "vm-kimi-01"
_PRICE = Decimal("84.80")
_MINUTE = timedelta(minutes=1)
_POLICY = Policy(
    machine=MACHINE,
    control_plane="kimi-switch",
    price_per_hour=_PRICE,
    currency="USD",
    budget=Budget(
        limit=Decimal(4500),
        start=datetime(2026, 11, 1, tzinfo=UTC),
        end=datetime(2027, 2, 1, tzinfo=UTC),
        standing_per_month=Decimal(0),
    ),
    default_asked=120 * _MINUTE,
    max_runtime=240 * _MINUTE,
    expected_ready=30 * _MINUTE,
    ready_deadline=75 * _MINUTE,
    idle=20 * _MINUTE,
    capacity_retry=30 * _MINUTE,
    max_starts_per_hour=6,
)
PLACE = Place(policies={MACHINE: _POLICY}, zone=ZONE, chat={})
_SESSION = Session(
    id="01JDTRZ7Q0000000000000000A",
    machine=MACHINE,
    started_by="iphone",
    requested_at=NOW - 48 * _MINUTE,
    price_per_hour=_PRICE,
    price_source=PriceSource.RETAIL,
    currency="USD",
)
_ENDED = replace(
    _SESSION,
    ended_at=NOW - 20 * _MINUTE,
    stop_reason=StopReason.IDLE,
    cost=Decimal("42.40"),
)
_OFFER = Offer(
    expires_at=NOW + 120 * _MINUTE,
    limited_by=Limit.ASKED,
    max_hours=Decimal(4),
    max_limited_by=Limit.MAX_RUNTIME,
    max_cost=2 * _PRICE,
    price_per_hour=_PRICE,
    price_source=PriceSource.RETAIL,
)


def _seen(power: Power, tag: str | None = None) -> Observed:
    return Observed(
        reading=Reading(began_at=NOW, power=power, controlled_by=tag),
        power=power,
        power_since=NOW - 10 * _MINUTE,
        last_run_at=NOW,
    )


def _off(power: Power = Power.DEALLOCATED, **changes: Any) -> View:
    view = View(
        now=NOW,
        policy=_POLICY,
        lease=Lease(machine=MACHINE),
        seen=_seen(power),
        offer=_OFFER,
    )
    return replace(view, **changes)


def _held(power: Power = Power.RUNNING, **changes: Any) -> View:
    lease = Lease(
        machine=MACHINE,
        state=LeaseState.HELD,
        session_id=_SESSION.id,
        expires_at=NOW + 72 * _MINUTE,
        limited_by=Limit.ASKED,
        ran=power is Power.RUNNING,
    )
    cost = Decimal("67.84")
    view = _off(power, lease=replace(lease, **changes), session=_SESSION, cost=cost)
    return replace(view, extendable_until=NOW + 192 * _MINUTE)


def _started(ago: timedelta, fault: Fault | None = None) -> View:
    outcome = Outcome(fault=fault, learnt_at=NOW) if fault else None
    taken = None if fault else NOW - ago
    start = Start(sent_at=NOW - ago, attempts=1, accepted_at=taken, outcome=outcome)
    return _held(Power.DEALLOCATED if fault else Power.STARTING, start=start)


def _beats(phase: Phase, progress: float | None = None, ago: int = 0) -> View:
    beat = Heartbeat(
        received_at=NOW - ago * _MINUTE,
        machine=MACHINE,
        boot_id="boot-1",
        phase=phase,
        progress=progress,
    )
    return replace(_held(), heartbeat=beat)


def _releasing(reason: StopReason, power: Power = Power.RUNNING) -> View:
    sent = NOW - timedelta(seconds=5)
    release = Release(since=NOW, reason=reason, by="iphone", sent_at=sent)
    return _held(power, state=LeaseState.RELEASING, release=release)


_BLIND = _off(Power.RUNNING, lease=None, offer=None)
_NEW = replace(
    _held(
        Power.DEALLOCATED, expires_at=NOW + 240 * _MINUTE, limited_by=Limit.MAX_RUNTIME
    ),
    policy=replace(_POLICY, auto_shutdown_at=time(12)),
    session=replace(_SESSION, price_source=PriceSource.CONFIGURED),
)
_FOUND = replace(_held(), session=replace(_SESSION, adopted=True))
_NO_ROOM = _started(2 * _MINUTE, Fault.CAPACITY)

VIEWS: dict[Status, View] = {
    Status.STARTING_USUALLY: _started(2 * _MINUTE),
    Status.STARTING_UNSENT: _started(2 * _MINUTE, Fault.THROTTLED),
    Status.STARTING: _started(48 * _MINUTE),
    Status.WAITING: _NO_ROOM,
    Status.LOADING: _beats(Phase.WEIGHTS, 0.62),
    Status.READY: _beats(Phase.READY),
    Status.SILENT: _beats(Phase.READY, ago=5),
    Status.BROKEN: _beats(Phase.BROKEN),
    Status.FOUND: _held(adopted_at=NOW),
    Status.STOPPING: _releasing(StopReason.USER),
    Status.STOPPED_BUT_BILLING: _releasing(StopReason.GUEST_SHUTDOWN, Power.STOPPED),
    Status.OFF: _off(last=_ENDED),
    Status.OFF_REFUSED: _off(offer=replace(_OFFER, refused="budget-exhausted")),
    Status.OFF_UNVERIFIED: _off(offer=None),
    Status.LOCKED: _off(lease=Lease(machine=MACHINE, locked=True)),
    Status.UNMANAGED: _off(Power.RUNNING),
    Status.FOREIGN: _off(seen=_seen(Power.RUNNING, "switch-two")),
    Status.UNRECORDED: _BLIND,
    Status.UNKNOWN: _off(Power.UNKNOWN),
}


def _start(view: View, *, opened: bool = True, unsent: Fault | None = None) -> str:
    answer = Answer(view=view, opened=opened, unsent=unsent)
    return sentences.started(answer, PLACE)


def _stop(view: View, *, unsent: Fault | None = None) -> str:
    return sentences.stopped(Answer(view=view, unsent=unsent), PLACE)


ANSWERS: dict[Book, str] = {
    Said.STARTING: _start(_NEW),
    Said.TAKEN_OVER: _start(_FOUND),
    Said.ON_ITS_WAY: _start(_BLIND),
    Said.NO_ANSWER_YET: _start(
        _started(_MINUTE, Fault.THROTTLED), unsent=Fault.THROTTLED
    ),
    Said.NONE_FREE: _start(_NO_ROOM, unsent=Fault.CAPACITY),
    Said.ALREADY: _start(VIEWS[Status.READY], opened=False),
    Said.STOPPING_TOLD: _stop(VIEWS[Status.STOPPING]),
    Said.STOPPING_UNANSWERED: _stop(VIEWS[Status.STOPPING], unsent=Fault.UNAVAILABLE),
    **{
        said: _stop(VIEWS[Status.STOPPING], unsent=fault)
        for said, fault in (
            (Said.STOP_PERMISSION, Fault.PERMISSION),
            (Said.STOP_NOT_FOUND, Fault.NOT_FOUND),
            (Said.STOP_SCOPE_LOCK, Fault.SCOPE_LOCK),
            (Said.STOP_DISABLED, Fault.DISABLED),
        )
    },
    Said.STOPPING_BLIND: _stop(_BLIND),
    Said.NOT_STOPPED: _stop(_BLIND, unsent=Fault.UNAVAILABLE),
    Said.ALREADY_OFF: _stop(_off()),
    Said.OFF_UNRECORDED: _stop(_off(lease=None, offer=None)),
    Said.EXTENDED: sentences.extended(_held(), PLACE),
    Said.EXTENDED_SO: sentences.extended(_BLIND, PLACE),
    Said.LOCKED: sentences.locked(VIEWS[Status.STOPPING], PLACE, on=True),
    Said.UNLOCKED: sentences.locked(_off(), PLACE, on=False),
    Said.SESSIONS: sentences.sessions(
        SessionPage(sessions=(_ENDED, _ENDED), next_cursor="more"), "USD"
    ),
    Said.SESSION: sentences.session(_ENDED),
    Said.SESSION_OPEN: sentences.session(replace(_SESSION, cost=Decimal("67.84"))),
}
