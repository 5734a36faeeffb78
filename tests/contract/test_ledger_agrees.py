"""The ledger over its twin and over real Azurite: the same after every step.

A state machine writes and reads both at once, from fresh and from stale states, while
writes get lost on their way, or their answers do.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from itertools import count
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from control import keys
from control.azure.table import AzureTable
from control.decision import Decision, Entry
from control.errors import LedgerError
from control.ledger import Ledger, State
from control.memory import MemoryTable
from control.model import Lease
from control.records import Pass
from control.words import LeaseState, Power, StopReason
from local.azurite import Azurite
from local.certificate import Certificate
from local.tables import TableProxy, writes
from tests.unit.builders import HOUR, NOW, PRICE, beat, lease, observed, session

_TROUBLES = ("busy", "lost", "none", "reset")
_PROXIED = {"lost": "answer_lost", "reset": "reset", "busy": "server_busy"}
_NUMBERS = count(1)


@dataclass(frozen=True, kw_only=True)
class Services:
    """What is real, once for all examples: each takes a machine of its own."""

    table: AzureTable
    proxy: TableProxy


@dataclass(frozen=True, kw_only=True)
class Both:
    """The same state as it was read from either side."""

    twin: State
    real: State


def plain(state: State) -> tuple[Lease, Any]:
    """Return what two sides can agree on: no ETag and no random mark."""
    return replace(state.lease, decision_id=None), state.session


class Agreeing(RuleBasedStateMachine):
    """Two ledgers of one machine."""

    services: ClassVar[Services]
    states: Bundle[Both] = Bundle("states")

    def __init__(self) -> None:
        super().__init__()
        self.name = f"vm-{next(_NUMBERS)}"
        self.memory = MemoryTable()
        self.twin, self.real = Ledger(self.memory), Ledger(self.services.table)
        self.now = NOW
        self.sessions: list[str] = []

    @initialize(target=states)
    def begin(self) -> Both:
        return self._read()

    @rule(target=states)
    def read(self) -> Both:
        return self._read()

    @rule(target=states, before=states, trouble=st.sampled_from(_TROUBLES))
    def open(self, before: Both, trouble: str) -> Both:
        """Open a session, as a start does."""
        made = keys.new_session_id(self.now)
        self.sessions.append(made)
        opened = session(id=made, machine=self.name, price_per_hour=PRICE)
        return self._commit(before, trouble, self._held(made), within=opened)

    @rule(target=states, before=states, trouble=st.sampled_from(_TROUBLES))
    def change(self, before: Both, trouble: str) -> Both:
        """Move the deadline of whatever is held."""
        held = before.twin.lease
        later = (held.expires_at or self.now) + HOUR
        changed = replace(held, machine=self.name, expires_at=later)
        return self._commit(before, trouble, changed, within=before.twin.session)

    @rule(
        target=states,
        before=states,
        trouble=st.sampled_from(_TROUBLES),
        hours=st.integers(0, 800),
    )
    def close(self, before: Both, trouble: str, hours: int) -> Both:
        """End the session, maybe some months later."""
        within = before.twin.session
        ended = None
        if within is not None:
            end = self.now + hours * HOUR
            ended = replace(
                within,
                billing_since=self.now,
                ended_at=end,
                cost=Decimal(hours) * PRICE,
                billed_seconds=hours * 3600,
                stop_reason=StopReason.USER,
            )
        return self._commit(
            before, trouble, lease(LeaseState.NONE, machine=self.name), closed=ended
        )

    @rule(trouble=st.sampled_from(_TROUBLES))
    def plain_rows(self, trouble: str) -> None:
        """Write what stands outside any transaction."""
        said = beat(received_at=self.now, machine=self.name)
        entry = Entry(event="noted", text="outside", by="azure")
        for write in (
            lambda ledger: ledger.put_heartbeat(said),
            lambda ledger: ledger.put_observed(self.name, observed(Power.RUNNING)),
            lambda ledger: ledger.put_tick(Pass(at=self.now)),
            lambda ledger: ledger.note(self.name, None, entry, self.now),
            lambda ledger: ledger.note_once(self.name, entry, self.now),
        ):
            self._both(trouble, write)

    @invariant()
    def agree(self) -> None:
        """Every row that anybody can read is the same."""
        assert _whole(self.twin, self.name, self.sessions) == _whole(
            self.real, self.name, self.sessions
        )

    def _held(self, session_id: str) -> Lease:
        return lease(machine=self.name, session_id=session_id)

    def _read(self) -> Both:
        return Both(twin=self.twin.read(self.name), real=self.real.read(self.name))

    def _commit(self, before: Both, trouble: str, after: Lease, **more: Any) -> Both:
        within, closed = more.get("within"), more.get("closed")
        self.now += timedelta(seconds=1)
        decision = Decision(
            rows=(),
            reason="",
            lease=after,
            session=within,
            closed=closed,
            entries=(Entry(event="did", text=f"at {self.now}"),),
        )
        states = {id(self.twin): before.twin, id(self.real): before.real}

        def commit(ledger: Ledger) -> State:
            return ledger.commit(states[id(ledger)], decision, self.now)

        self._both(trouble, commit)
        return self._read()

    def _both(self, trouble: str, write: Callable[[Ledger], Any]) -> None:
        """Do it to both in the same trouble: the same comes of it."""
        self._trouble_twin(trouble)
        twin = _outcome(write, self.twin)
        self.memory.lose_answers(0)
        self.memory.lose_writes(0)
        faults = self.services.proxy.faults
        if trouble != "none":
            faults.arm(_PROXIED[trouble], on=writes())
        real = _outcome(write, self.real)
        faults.clear()
        assert twin == real

    def _trouble_twin(self, trouble: str) -> None:
        if trouble == "lost":
            self.memory.lose_answers()
        elif trouble != "none":
            self.memory.lose_writes()


def _outcome(write: Callable[[Ledger], Any], ledger: Ledger) -> object:
    try:
        made = write(ledger)
    except LedgerError as error:
        return type(error).__name__
    return plain(made) if isinstance(made, State) else made


def _whole(ledger: Ledger, name: str, sessions: list[str]) -> object:
    year = timedelta(days=1000)
    lines = [
        sorted((line.at, line.event, line.text) for line in ledger.journal(name, of))
        for of in (*sessions, "-")
    ]
    return (
        plain(ledger.read(name)),
        [found for _, found in ledger.sessions(name)],
        ledger.totals(name, NOW - year, NOW + year),
        lines,
        ledger.heartbeat(name),
        ledger.observed(name),
    )


@pytest.fixture
def services(
    azurite: Azurite, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Services]:
    """One table behind the fault proxy."""
    for variable in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.setenv(variable, str(certificate.authority))
    with TableProxy(azurite.endpoint, certificate) as proxy:
        table = AzureTable.by_connection_string(
            proxy.connection_string, name=f"agrees{next(_NUMBERS)}"
        )
        table.create()
        yield Services(table=table, proxy=proxy)


def test_the_twin_and_azurite_agree_on_every_step(services: Services) -> None:
    """From fresh and stale states, in and out of trouble."""
    Agreeing.services = services
    run_state_machine_as_test(
        Agreeing,
        settings=settings(
            max_examples=12,
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
