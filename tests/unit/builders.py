"""Values with good defaults, and a whole switch over the twins, for the unit tests.

The story that the defaults tell: a phone asked for two hours at 10:00, the start was
sent and taken, and it is 10:30 now.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from control.assembly import Ports, assemble
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
from control.errors import BY_FAULT, AzureError, Evidence
from control.ledger import Ledger, State
from control.memory import (
    MemoryClock,
    MemoryMachines,
    MemoryNotices,
    MemoryPrices,
    MemoryReports,
    MemoryTable,
)
from control.model import (
    Budget,
    Heartbeat,
    Last,
    Lease,
    Observed,
    Operation,
    Outcome,
    Provisioning,
    Reading,
    Release,
    Session,
    Spend,
    Start,
)
from control.switch import Switch
from control.views import Answer, View
from control.words import (
    Fault,
    LeaseState,
    Limit,
    OperationState,
    Phase,
    Power,
    PriceSource,
    RunKind,
    StopReason,
)

VM = "vm-1"
OTHER_VM = "vm-2"
HERE = "switch"
PRICE = Decimal("84.80")
ASKED_AT = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
NOW = datetime(2026, 11, 30, 10, 30, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
SESSION_ID = "01M8NYB980AAAAAAAAAAAAAAAA"
NEW_ID = "01M8P02720BBBBBBBBBBBBBBBB"

POLICY = Policy(
    machine=VM,
    control_plane=HERE,
    price_per_hour=PRICE,
    currency="USD",
    budget=Budget(
        limit=Decimal(4500),
        start=datetime(2026, 11, 1, tzinfo=UTC),
        end=datetime(2027, 2, 1, tzinfo=UTC),
        standing_per_month=Decimal("49.66"),
    ),
    default_asked=2 * HOUR,
    max_runtime=4 * HOUR,
    expected_ready=30 * MINUTE,
    ready_deadline=75 * MINUTE,
    idle=20 * MINUTE,
    capacity_retry=30 * MINUTE,
    max_starts_per_hour=6,
    other_machines=(OTHER_VM,),
)
PLENTY = Spend(
    spent=Decimal(100),
    standing_to_come=Decimal(100),
    remaining=Decimal(4300),
    rate=PRICE,
)
ASK = Ask(device="iphone", asked=2 * HOUR)
SUCCEEDED = Operation(state=OperationState.SUCCEEDED)
IN_PROGRESS = Operation(state=OperationState.IN_PROGRESS)


def at(text: str, day: int = 30) -> datetime:
    """Return an instant of November 2026."""
    return datetime.fromisoformat(f"2026-11-{day:02d}T{text}+00:00")


def spend(remaining: str, rate: Decimal = PRICE) -> Spend:
    """Return a spend with so much left."""
    return replace(PLENTY, remaining=Decimal(remaining), rate=rate)


def start(fault: Fault | None = None, **changed: Any) -> Start:
    """Return a start taken at 10:00; with a fault it failed, as was learnt then."""
    made = Start(sent_at=ASKED_AT, attempts=1, accepted_at=ASKED_AT, operation_url="op")
    if fault is not None:
        made = replace(made, outcome=outcome(fault))
    return replace(made, **changed)


def outcome(fault: Fault | None = None, learnt_at: datetime = ASKED_AT) -> Outcome:
    """Return how a start ended; no fault is success."""
    return Outcome(fault=fault, learnt_at=learnt_at)


def lease(state: LeaseState = LeaseState.HELD, **changed: Any) -> Lease:
    """Return a lease with what its state needs."""
    if state is LeaseState.NONE:
        return replace(Lease(machine=VM), **changed)
    made = Lease(
        machine=VM,
        state=state,
        session_id=SESSION_ID,
        expires_at=ASKED_AT + 2 * HOUR,
        limited_by=Limit.ASKED,
        asked=2 * HOUR,
        device="iphone",
        start=start(),
        first_start_at=ASKED_AT,
        recounted=True,
    )
    if state is LeaseState.RELEASING:
        made = replace(made, release=release())
    return replace(made, **changed)


def adopted_lease(since: datetime = ASKED_AT, **changed: Any) -> Lease:
    """Return the lease of a machine that was found on."""
    plain: dict[str, Any] = {
        "start": None,
        "first_start_at": None,
        "asked": None,
        "device": None,
        "adopted_at": since,
        "expires_at": since + 4 * HOUR,
        "limited_by": Limit.MAX_RUNTIME,
        "recounted": False,
    }
    return lease(**(plain | changed))


def release(since: datetime = NOW, **changed: Any) -> Release:
    """Return a release that a person asked for."""
    made = Release(since=since, reason=StopReason.USER, by="iphone")
    return replace(made, **changed)


def last(**changed: Any) -> Last:
    """Return a session before, that ended at nine."""
    made = Last(session_id="01M8NQFJ00ZZZZZZZZZZZZZZZZ", ended_at=at("09:00"))
    return replace(made, **changed)


def session(**changed: Any) -> Session:
    """Return the open session, billing since 10:00."""
    made = Session(
        id=SESSION_ID,
        machine=VM,
        started_by="iphone",
        requested_at=ASKED_AT,
        price_per_hour=PRICE,
        price_source=PriceSource.RETAIL,
        currency="USD",
        billing_since=ASKED_AT,
        provisional=False,
    )
    return replace(made, **changed)


def unbilled(**changed: Any) -> Session:
    """Return a session that was never read billing."""
    return session(**({"billing_since": None, "provisional": True} | changed))


def beat(phase: Phase = Phase.READY, **changed: Any) -> Heartbeat:
    """Return a heartbeat of now."""
    made = Heartbeat(
        received_at=NOW, machine=VM, boot_id="boot-1", uptime_s=600, phase=phase
    )
    return replace(made, **changed)


def busy_beat(**changed: Any) -> Heartbeat:
    """Return a ready heartbeat with every number known."""
    numbers = {
        "requests_running": 0,
        "requests_waiting": 0,
        "open_connections": 0,
        "idle_seconds": 0.0,
    }
    return beat(**(numbers | changed))


def provisioning(
    state: str = "succeeded",
    ended_at: datetime | None = None,
    *,
    fault: Fault | None = None,
    code: str | None = None,
) -> Provisioning:
    """Return a ProvisioningState entry."""
    return Provisioning(state=state, at=ended_at, fault=fault, code=code)


UPDATING = provisioning("updating")


def reading(power: Power, now: datetime = NOW, **changed: Any) -> Reading:
    """Return one answer of ARM."""
    shown = Power.UNKNOWN if power is Power.GONE else power
    made = Reading(began_at=now, power=shown, not_found=power is Power.GONE)
    return replace(made, **changed)


def observed(
    power: Power,
    now: datetime = NOW,
    *,
    entry: Provisioning | None = None,
    tag: str | None = None,
    **changed: Any,
) -> Observed:
    """Return what the readings add up to: this power for a minute, on for 20."""
    off = {Power.DEALLOCATED, Power.DEALLOCATING}
    made = Observed(
        reading=reading(power, now, provisioning=entry, controlled_by=tag),
        power=power,
        power_since=now - MINUTE,
        known=None if power is Power.UNKNOWN else power,
        on_since=now - 20 * MINUTE if power.billing else None,
        not_found_since=now - 3 * MINUTE if power is Power.GONE else None,
        not_found_ticks=3 if power is Power.GONE else 0,
        last_billing_at=now if power.billing else None,
        last_off_at=now if power in off else None,
        last_run_at=now,
    )
    return replace(made, **changed)


def observation(
    power: Power, run: RunKind = RunKind.TICK, now: datetime = NOW, **changed: Any
) -> Observation:
    """Return one look at the world, with plenty of money left."""
    seen = {
        name: changed.pop(name)
        for name in tuple(changed)
        if name in {"entry", "tag"} or hasattr(Observed, name)
    }
    made = Observation(
        run=run, seen=observed(power, now, **seen), spend=PLENTY, new_id=NEW_ID
    )
    return replace(made, **changed)


def case(of: Lease, within: Session | None, power: Power, **changed: Any) -> Case:
    """Return everything that a row may look at."""
    now = changed.pop("now", NOW)
    policy = changed.pop("policy", POLICY)
    seen = observation(power, now=now, **changed)
    return Case(lease=of, session=within, seen=seen, policy=policy, now=now)


def decided(
    of: Lease, within: Session | None, power: Power, **changed: Any
) -> Decision:
    """Decide about a case."""
    made = case(of, within, power, **changed)
    return decide(made.lease, made.session, made.seen, made.policy, made.now)


def held(power: Power, of: Lease | None = None, **changed: Any) -> Decision:
    """Decide about a held lease."""
    within = changed.pop("within", session())
    return decided(of or lease(), within, power, **changed)


def releasing(power: Power, of: Lease | None = None, **changed: Any) -> Decision:
    """Decide about a lease on its way out, whose start has succeeded."""
    done = lease(LeaseState.RELEASING, start=start(outcome=outcome()))
    within = changed.pop("within", session())
    return decided(of or done, within, power, **changed)


def unleased(power: Power, of: Lease | None = None, **changed: Any) -> Decision:
    """Decide about a machine without a lease."""
    return decided(of or lease(LeaseState.NONE), None, power, **changed)


def starts(made: Decision) -> int:
    """Count the starts of a decision."""
    return sum(isinstance(action, SendStart) for action in made.actions)


def deallocates(made: Decision) -> int:
    """Count the deallocates of a decision."""
    return sum(isinstance(action, SendDeallocate) for action in made.actions)


def told(made: Decision) -> list[str]:
    """Return which events the owner is told of."""
    return [action.event for action in made.actions if isinstance(action, Notify)]


def error(
    fault: Fault, status: int | None = 409, retry_after: float | None = None
) -> AzureError:
    """Return what a call of ARM raises."""
    code = fault.value.title().replace("_", "")
    return BY_FAULT[fault](
        Evidence(status=status, code=code, message="No.", retry_after=retry_after)
    )


LOST = BY_FAULT[Fault.UNAVAILABLE](Evidence(message="No answer."))


@dataclass(frozen=True, kw_only=True)
class World:
    """A switch over the twins; time stands still until `minutes` pass."""

    clock: MemoryClock
    table: MemoryTable
    machines: MemoryMachines
    notices: MemoryNotices
    prices: MemoryPrices
    reports: MemoryReports
    ledger: Ledger
    policies: Mapping[str, Policy]
    switch: Switch

    def now(self) -> datetime:
        return self.clock.now()

    def pass_by(self, minutes: float, *, ticks: bool = True) -> None:
        """Let minutes pass, each with a tick at its end."""
        for _ in range(int(minutes)):
            self.clock.advance(MINUTE)
            if ticks:
                self.switch.tick()

    def reads(
        self,
        power: Power,
        entry: Provisioning | None = None,
        tag: str | None = None,
        machine: str = VM,
    ) -> None:
        """Say what ARM shows from now on."""
        self.machines.set(machine, power, provisioning=entry, controlled_by=tag)

    def off(self, machine: str = VM) -> None:
        """Show it deallocated as of now."""
        entry = provisioning("succeeded", self.now())
        self.reads(Power.DEALLOCATED, entry, machine=machine)

    def start(self, **changed: Any) -> Answer:
        """Tap start on the phone."""
        return self.switch.start(VM, replace(ASK, **changed))

    def running(self) -> None:
        """Start, and let the machine come on within two minutes."""
        self.start()
        self.reads(Power.STARTING, UPDATING)
        self.pass_by(1)
        self.reads(Power.RUNNING, provisioning("succeeded", self.now()))
        self.machines.finish(self.operation())
        self.pass_by(1)

    def operation(self) -> str:
        """Return the URL of the newest operation."""
        return list(self.machines.operations)[-1]

    def says(self, phase: Phase = Phase.READY, **changed: Any) -> None:
        """Let the VM send a heartbeat now."""
        self.switch.heartbeat(beat(phase, received_at=self.now(), **changed))

    def view(self) -> View:
        """Look at the status."""
        return self.switch.status(VM)

    def state(self, machine: str = VM) -> State:
        """Read the lease row and its session."""
        return self.ledger.read(machine)

    def closed(self) -> Session:
        """Return the newest session, which has ended."""
        found = next(iter(self.ledger.sessions(VM)))[1]
        assert found is not None
        assert found.ended_at is not None
        return found

    def count(self, verb: str, machine: str = VM) -> int:
        """Count the calls of a verb that ARM got."""
        calls = self.machines.calls
        return sum(call.verb == verb and call.machine == machine for call in calls)

    def notes(self) -> list[str]:
        """Return what the owner was told."""
        return [text for _, text in self.notices.sent]

    def journal(self, session_id: str) -> list[str]:
        """Return the events of a session's journal."""
        return [line.event for line in self.ledger.journal(VM, session_id)]


def world(
    *,
    names: tuple[str, ...] = (VM,),
    carried: str | None = "0",
    over: MemoryTable | None = None,
    **changed: Any,
) -> World:
    """Make a switch at 10:00; without `carried` nobody ran `ledger init`."""
    clock = MemoryClock(ASKED_AT)
    table, notices = over or MemoryTable(), MemoryNotices()
    machines = MemoryMachines(clock, names)
    prices, reports = MemoryPrices(PRICE), MemoryReports()
    ledger = Ledger(table)
    if carried is not None:
        ledger.initialise(Decimal(carried), ASKED_AT)
    policies = {
        name: replace(
            POLICY,
            machine=name,
            other_machines=tuple(other for other in names if other != name),
            **changed,
        )
        for name in names
    }
    ports = Ports(
        clock=clock,
        table=table,
        machines=machines,
        prices=prices,
        notices=notices,
        reports=reports,
    )
    return World(
        clock=clock,
        table=table,
        machines=machines,
        notices=notices,
        prices=prices,
        reports=reports,
        ledger=ledger,
        policies=policies,
        switch=assemble(policies, ports),
    )
