"""Takes one observation of a machine: ARM, heartbeat, start operation and spend."""

import logging
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from control import keys
from control.decision import Ask, Entry, Observation
from control.errors import AzureError, LedgerError
from control.ledger import Ledger, State
from control.model import Heartbeat, Observed, Operation, Quote, Reading, Spend
from control.ports import Clock, Machines
from control.rules.sight import counts, see
from control.spend import Spending
from control.words import LeaseState, Power, RunKind

KEPT_FOR = timedelta(seconds=8)
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """An observation; `decides` is false when it is older than our last call to ARM."""

    observation: Observation
    decides: bool


class Observer:
    """Reads the world for a run and keeps what the readings add up to."""

    def __init__(
        self, ledger: Ledger, machines: Machines, spending: Spending, clock: Clock
    ) -> None:
        self._ledger = ledger
        self._machines = machines
        self._spending = spending
        self._clock = clock

    def observe(
        self, state: State, run: RunKind, ask: Ask | None, *, fresh: bool
    ) -> Sighting:
        """Take an observation; unless `fresh`, a reading of the last 8 s will do.

        Raises `LedgerError` when the ledger cannot be read.
        """
        machine = state.lease.machine
        now = self._clock.now()
        before = self._ledger.observed(machine)
        beat = counts(self._ledger.heartbeat(machine), state.lease, state.session)
        young = before is not None and now - before.reading.began_at <= KEPT_FOR
        read = fresh or not young or before is None
        seen = self._read(machine, before, beat, run) if read else before
        assert seen is not None
        weighed = _weighs_money(state, seen, run)
        observation = Observation(
            run=run,
            seen=seen,
            heartbeat=beat,
            operation=self._operation(state) if read else None,
            spend=self._spend(state, now) if weighed else None,
            quote=self._quote() if weighed else None,
            ask=ask,
            new_id=keys.new_session_id(now),
            fresh=read,
        )
        decides = read or seen.reading.began_at >= _last_sent(state)
        return Sighting(observation=observation, decides=decides)

    def _read(
        self,
        machine: str,
        before: Observed | None,
        beat: Heartbeat | None,
        run: RunKind,
    ) -> Observed:
        reading = read_machine(self._machines, machine, self._clock)
        seen = see(reading, before, beat, run, self._clock.now())
        self.keep(machine, seen)
        return seen

    def keep(self, machine: str, seen: Observed) -> None:
        """Write what was seen; a failing ledger never stops enforcement."""
        try:
            self._ledger.put_observed(machine, seen)
        except LedgerError as error:
            _LOG.warning("What was seen of %s is not kept: %s", machine, error)

    def first_to_alarm(self, machine: str, seen: Observed, text: str) -> bool:
        """Whether this run is the one to tell the owner of an unknown power state.

        Runs at once are told apart by a line of the journal that one of them inserts.
        """
        entry = Entry(event="unknown", text=text, by="azure")
        try:
            first = self._ledger.note_once(machine, entry, seen.power_since)
        except LedgerError as error:
            _LOG.warning("Who tells of %s is not sure: %s", machine, error)
            first = True
        self.keep(machine, replace(seen, alarmed=True))
        return first

    def _spend(self, state: State, now: datetime) -> Spend | None:
        """What cannot be read makes the spend unknown: no start, and no less of an end.

        The lease itself was read; its deadline must not wait for another partition.
        """
        try:
            return self._spending.read(state, now)
        except LedgerError as error:
            _LOG.error("The spend is unknown: %s", error)
            return None

    def _quote(self) -> Quote | None:
        """Without it the configured price holds, as for one that is old."""
        try:
            return self._ledger.quoted().newest
        except LedgerError as error:
            _LOG.warning("The quote cannot be read: %s", error)
            return None

    def _operation(self, state: State) -> Operation | None:
        start = state.lease.start
        if state.lease.state is LeaseState.NONE or start is None:
            return None
        if not start.in_flight or start.operation_url is None:
            return None
        try:
            return self._machines.operation(start.operation_url)
        except AzureError as error:
            _LOG.info("The start's operation is unreadable: %s", error)
            return None


def read_machine(machines: Machines, machine: str, clock: Clock) -> Reading:
    """Read a machine; whatever ARM refuses to say is an unknown power state."""
    began_at = clock.now()
    try:
        return machines.read(machine)
    except AzureError as error:
        _LOG.warning("%s cannot be read: %s", machine, error)
        return Reading(
            began_at=began_at, power=Power.UNKNOWN, problem=error.fault.value
        )


def _weighs_money(state: State, seen: Observed, run: RunKind) -> bool:
    """Whether money can matter: not to the timer at rest, which 99 of 100 ticks are."""
    at_rest = state.lease.state is LeaseState.NONE and not seen.power.billing
    return not at_rest or run not in {RunKind.TICK, RunKind.HEARTBEAT}


def _last_sent(state: State) -> datetime:
    """Return when this lease's last start or deallocate was sent."""
    lease = state.lease
    sent = [
        lease.start.sent_at if lease.start else None,
        lease.release.sent_at if lease.release else None,
    ]
    return max((at for at in sent if at), default=_NEVER)


_NEVER = datetime.fromisoformat("0001-01-01T00:00:00Z")
