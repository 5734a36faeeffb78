"""DESIGN.md's diagram and tables are what `decide` really does."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import product
from pathlib import Path

from control.cli.error_table import error_table
from control.cli.tables import (
    LEADS_TO,
    decision_table,
    diagram,
    filled,
    rows,
    stale,
    write,
)
from control.decide import decide
from control.decision import Observation, Policy
from control.model import (
    Budget,
    Heartbeat,
    Last,
    Lease,
    Observed,
    Outcome,
    Provisioning,
    Reading,
    Release,
    Session,
    Start,
)
from control.words import (
    Ending,
    Fault,
    LeaseState,
    Limit,
    Phase,
    Power,
    PriceSource,
    RunKind,
    StopReason,
)

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
BUDGET = Budget(
    limit=Decimal(4500),
    start=datetime(2026, 11, 1, tzinfo=UTC),
    end=datetime(2027, 2, 1, tzinfo=UTC),
    standing_per_month=Decimal(50),
)
POLICY = Policy(
    machine="vm",
    control_plane="switch",
    price_per_hour=Decimal("84.80"),
    currency="USD",
    budget=BUDGET,
    default_asked=120 * MINUTE,
    max_runtime=240 * MINUTE,
    expected_ready=30 * MINUTE,
    ready_deadline=75 * MINUTE,
    idle=20 * MINUTE,
    capacity_retry=30 * MINUTE,
    max_starts_per_hour=6,
)


def _start(fault: Fault | None, age: timedelta, *, ended: bool = True) -> Start:
    sent = NOW - age
    outcome = Outcome(fault=fault, learnt_at=sent + MINUTE) if ended else None
    return Start(sent_at=sent, attempts=1, accepted_at=sent, outcome=outcome)


STARTS = (
    None,
    _start(None, 9 * MINUTE, ended=False),
    *(
        _start(fault, age)
        for fault in (None, *Fault)
        for age in (9 * MINUTE, 31 * MINUTE, 80 * MINUTE)
    ),
)


def _lease(state: LeaseState, start: Start | None, *, ran: bool, left: int) -> Lease:
    last = Last(
        session_id="old",
        ended_at=NOW - 10 * MINUTE,
        late_start_sent_at=NOW - 60 * MINUTE if ran else None,
    )
    if state is LeaseState.NONE:
        return Lease(machine="vm", last=last)
    release = Release(since=NOW - 16 * MINUTE, reason=StopReason.USER, by="iphone")
    return Lease(
        machine="vm",
        state=state,
        session_id="now",
        expires_at=NOW + left * MINUTE,
        limited_by=Limit.ASKED,
        asked=120 * MINUTE,
        start=start,
        first_start_at=start.sent_at if start else None,
        ran=ran,
        recounted=True,
        release=release if state is LeaseState.RELEASING else None,
        broken_since=NOW - 11 * MINUTE,
        ending_since=NOW - 6 * MINUTE,
        last=last,
    )


def _session(state: LeaseState, start: Start | None) -> Session | None:
    if state is LeaseState.NONE:
        return None
    return Session(
        id="now",
        machine="vm",
        started_by="iphone",
        requested_at=start.sent_at if start else NOW - 3 * MINUTE,
        price_per_hour=Decimal("84.80"),
        price_source=PriceSource.CONFIGURED,
        currency="USD",
        ready_at=NOW - 40 * MINUTE,
    )


BEATS: tuple[dict[str, object] | None, ...] = (
    None,
    {"phase": Phase.READY, "idle_seconds": 1900.0},
    {"phase": Phase.BROKEN},
    {"phase": Phase.DRAINING, "ending": Ending.IDLE},
    {"phase": Phase.WEIGHTS},
)


def _beat(said: dict[str, object] | None) -> Heartbeat | None:
    if said is None:
        return None
    counts = {
        "requests_running": 0,
        "requests_waiting": 0,
        "open_connections": 0,
    }
    facts: dict[str, object] = {
        "received_at": NOW - 2 * MINUTE,
        "machine": "vm",
        "boot_id": "b1",
        **counts,
        **said,
    }
    return Heartbeat(**facts)  # type: ignore[arg-type]  # a table of cases


def _observation(power: Power, beat: Heartbeat | None) -> Observation:
    reading = Reading(
        began_at=NOW,
        power=power,
        provisioning=Provisioning(state="succeeded", at=NOW - 90 * MINUTE),
    )
    seen = Observed(
        reading=reading,
        power=power,
        power_since=NOW - 12 * MINUTE,
        on_since=NOW - 5 * MINUTE if power.billing else None,
        not_found_since=NOW - 3 * MINUTE if power is Power.GONE else None,
        last_run_at=NOW,
    )
    return Observation(run=RunKind.TICK, seen=seen, heartbeat=beat, new_id="new")


def test_the_diagram_shows_every_move_that_the_table_makes() -> None:
    """Thousands of cases: each first move is in the diagram, and each is met."""
    met: set[tuple[LeaseState, LeaseState, int]] = set()
    cases = product(LeaseState, Power, STARTS, BEATS, (True, False), (0, 60))
    for state, power, start, said, ran, left in cases:
        lease = _lease(state, start, ran=ran, left=left)
        beat = _beat(said) if state is LeaseState.HELD else None
        made = decide(
            lease, _session(state, start), _observation(power, beat), POLICY, NOW
        )
        row = made.rows[0]
        after = _after_first(made.rows, state, made.lease.state)
        if after is not state:
            met.add((state, after, row))
    drawn = {
        (before, after, cause)
        for before, leads in LEADS_TO.items()
        for after, causes in leads.items()
        for cause in causes
        if isinstance(cause, int)
    }
    assert met == drawn


def _after_first(
    spoke: tuple[int, ...], before: LeaseState, after: LeaseState
) -> LeaseState:
    """Where the first row led: the second one that spoke says it."""
    if len(spoke) == 1:
        return after
    if len(spoke) == 2 and before is LeaseState.RELEASING and spoke[0] == spoke[1]:
        return before
    states = {number: state for number, state, _, _ in rows()}
    return states[spoke[1]]


def test_every_row_is_told_once_and_in_order() -> None:
    """Rows 1 to 21, each by one function whose docstring names it."""
    assert [number for number, _, _, _ in rows()] == list(range(1, 22))


def test_design_shows_what_the_code_says() -> None:
    """`python -m control docs` was run after the last change of the table."""
    design = (Path(__file__).parents[3] / "DESIGN.md").read_text()
    assert decision_table() in design
    assert diagram() in design
    assert error_table() in design
    assert filled(design) == design


def test_a_stale_table_is_noticed_and_made_anew(tmp_path: Path) -> None:
    """A class that changed in the code alone would mislead whoever looks it up."""
    design = (Path(__file__).parents[3] / "DESIGN.md").read_text()
    old = design.replace("| capacity |", "| quota |")
    assert old != design
    (tmp_path / "DESIGN.md").write_text(old)
    assert stale(tmp_path) == ("DESIGN.md",)
    write(tmp_path)
    assert (tmp_path / "DESIGN.md").read_text() == design
    assert stale(tmp_path) == ()
