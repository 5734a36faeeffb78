"""The ledger: one transaction a decision, and who won it."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from control import keys
from control.decision import Decision, Entry
from control.errors import (
    LedgerConflict,
    LedgerError,
    LedgerUnavailable,
    LedgerUnreadable,
    TableMissing,
)
from control.ledger import SCHEMA, Ledger, State
from control.memory import MemoryTable
from control.model import Lease, Session
from control.ports import Row, Write
from control.records import Meta, Pass, Quoted, Reported
from control.words import LeaseState, Power, Purpose, StopReason
from tests.unit.builders import (
    ASKED_AT,
    HOUR,
    MINUTE,
    NEW_ID,
    NOW,
    PRICE,
    SECOND,
    SESSION_ID,
    VM,
    at,
    beat,
    lease,
    observed,
    session,
)

DECEMBER = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture
def table() -> MemoryTable:
    return MemoryTable()


@pytest.fixture
def ledger(table: MemoryTable) -> Ledger:
    return Ledger(table)


def entry(text: str) -> Entry:
    return Entry(event="said", text=text)


def opening(of: Lease | None = None, within: Session | None = None) -> Decision:
    """Return a decision that opens the session."""
    return Decision(
        rows=(8,),
        reason="",
        lease=of or lease(),
        session=within or session(),
        entries=(entry("one"), entry("two")),
    )


def closing(ended_at: datetime = NOW, **changed: Any) -> Decision:
    """Return a decision that closes it."""
    plain = {"cost": Decimal(1), "stop_reason": StopReason.USER}
    ended = session(ended_at=ended_at, **(plain | changed))
    return Decision(
        rows=(1,),
        reason="",
        lease=lease(LeaseState.NONE),
        closed=ended,
        entries=(entry("three"),),
    )


def test_a_new_ledger_has_no_lease(ledger: Ledger) -> None:
    """No row is a lease of state none."""
    assert ledger.read(VM) == State(lease=Lease(machine=VM))


def test_a_decision_is_written_whole(ledger: Ledger) -> None:
    """Lease, session and journal, marked with a decision's id."""
    after = ledger.commit(ledger.read(VM), opening(), NOW)
    assert after == ledger.read(VM)
    assert replace(after.lease, decision_id=None) == lease()
    assert after.lease.decision_id
    assert after.session == session()
    assert [line.text for line in ledger.journal(VM, SESSION_ID)] == ["one", "two"]


def test_c04_a_stale_write_loses_and_changes_nothing(ledger: Ledger) -> None:
    """Not the session and not the journal either."""
    empty = ledger.read(VM)
    won = ledger.commit(empty, opening(), NOW)
    other = opening(lease(session_id=NEW_ID), session(id=NEW_ID))
    with pytest.raises(LedgerConflict):
        ledger.commit(empty, other, NOW)
    assert ledger.read(VM) == won
    assert ledger.session(VM, NEW_ID) is None
    assert ledger.journal(VM, NEW_ID) == []
    later = ledger.commit(won, opening(lease(purpose=Purpose.SETUP)), NOW)
    with pytest.raises(LedgerConflict):
        ledger.commit(won, opening(), NOW)
    assert ledger.read(VM) == later


def test_c04_a_lost_answer_is_settled_by_the_decisions_own_id(
    table: MemoryTable, ledger: Ledger
) -> None:
    """The write was made: one transition and no error."""
    table.lose_answers()
    after = ledger.commit(ledger.read(VM), opening(), NOW)
    assert after.session == session()
    assert len(ledger.journal(VM, SESSION_ID)) == 2


class Meanwhile(MemoryTable):
    """Makes a transaction, lets something happen, and maybe loses the answer."""

    def __init__(self) -> None:
        super().__init__()
        self.then: Callable[[], object] | None = None
        self.loses = True

    def commit(self, partition: str, writes: Sequence[Write]) -> None:
        super().commit(partition, writes)
        then, self.then = self.then, None
        if then is not None:
            then()
            if self.loses:
                raise LedgerUnavailable("lost")


def test_c04_a_lost_answer_is_ours_though_another_run_has_decided_since() -> None:
    """Our line in the journal tells: the decision is not made a second time."""
    table = Meanwhile()
    ledger = Ledger(table)

    def lock() -> None:
        state = ledger.read(VM)
        theirs = replace(opening(replace(state.lease, locked=True)), entries=())
        ledger.commit(state, theirs, NOW)

    table.then = lock
    after = ledger.commit(ledger.read(VM), opening(), NOW)
    assert after.lease.locked
    assert len(ledger.journal(VM, SESSION_ID)) == 2


def test_c04_a_write_that_was_made_is_carried_out_though_it_cannot_be_read() -> None:
    """The service goes away behind the answer: what is written is known."""
    table = Meanwhile()
    ledger = Ledger(table)
    table.loses = False
    table.then = lambda: setattr(table, "unreachable", True)
    after = ledger.commit(ledger.read(VM), opening(), NOW)
    table.unreachable = False
    assert replace(after, etag=None) == replace(ledger.read(VM), etag=None)
    with pytest.raises(LedgerConflict):
        ledger.commit(after, opening(), NOW)


def test_c09_a_table_that_is_there_after_all_is_read_again() -> None:
    """A stray 404 does not make a held lease look like none."""

    class Stray(MemoryTable):
        strays = 0

        def get(self, partition: str, key: str) -> Row | None:
            if self.strays:
                self.strays -= 1
                raise TableMissing("404")
            return super().get(partition, key)

    table = Stray()
    ledger = Ledger(table)
    held = ledger.commit(ledger.read(VM), opening(), NOW)
    table.strays = 1
    assert ledger.read(VM) == held
    table.strays = 2
    with pytest.raises(TableMissing):
        ledger.read(VM)


def test_c09_a_table_that_went_away_meanwhile_takes_no_decision(
    table: MemoryTable, ledger: Ledger
) -> None:
    """And one that cannot be reached is no answer either."""
    before = ledger.read(VM)
    table.drop()
    with pytest.raises(LedgerUnavailable):
        ledger.commit(before, opening(), NOW)
    table.unreachable = True
    with pytest.raises(LedgerUnavailable):
        ledger.commit(before, opening(), NOW)
    table.unreachable = False
    assert ledger.read(VM).lease == Lease(machine=VM)


def test_c04_a_conflict_is_somebody_elses_decision(
    table: MemoryTable, ledger: Ledger
) -> None:
    """Our id is not there: decide again."""
    before = ledger.read(VM)
    table.lose_answers()
    won = ledger.commit(before, opening(), NOW)
    with pytest.raises(LedgerConflict, match="another run"):
        ledger.commit(before, opening(), NOW)
    assert ledger.read(VM) == won


def test_b07_ten_at_once_make_one_lease(ledger: Ledger) -> None:
    """The store decides, not what was read first."""
    before, won = ledger.read(VM), list[State]()
    gate = threading.Barrier(10, timeout=10)

    def race(number: int) -> None:
        own = keys.new_session_id(NOW + number * SECOND)
        gate.wait()
        try:
            made = opening(lease(session_id=own), session(id=own))
            won.append(ledger.commit(before, made, NOW))
        except LedgerConflict:
            return

    threads = [threading.Thread(target=race, args=(n,)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert won == [ledger.read(VM)]
    assert len(list(ledger.sessions(VM))) == 1


def test_a_closed_session_never_changes(ledger: Ledger) -> None:
    """A correction would be a new row."""
    opened = ledger.commit(ledger.read(VM), opening(), NOW)
    ended = ledger.commit(opened, closing(), NOW)
    assert ended.session is None
    for decision in (closing(cost=Decimal(0)), opening()):
        with pytest.raises(LedgerConflict, match="closed"):
            ledger.commit(ended, decision, NOW)
    kept = ledger.session(VM, SESSION_ID)
    assert kept is not None
    assert kept.cost == 1


def test_a_decision_that_ends_one_session_and_opens_another_keeps_two_journals(
    ledger: Ledger,
) -> None:
    """Each line stands with its own session."""
    opened = ledger.commit(ledger.read(VM), opening(), NOW)
    both = replace(
        closing(),
        lease=lease(session_id=NEW_ID),
        session=session(id=NEW_ID),
        entries=(entry("three"), replace(entry("four"), session_id=NEW_ID)),
    )
    after = ledger.commit(opened, both, NOW + MINUTE)
    assert after.session is not None
    assert after.session.id == NEW_ID
    old, new = ledger.journal(VM, SESSION_ID), ledger.journal(VM, NEW_ID)
    assert [line.text for line in old] == ["one", "two", "three"]
    assert [line.text for line in new] == ["four"]


def test_d06_totals_are_split_by_month_and_sum_to_the_session(ledger: Ledger) -> None:
    """And a second session adds to them."""
    within = session(billing_since=at("22:00"))
    state = ledger.commit(ledger.read(VM), opening(within=within), NOW)
    over = DECEMBER + 2 * HOUR
    state = ledger.commit(state, closing(over, billing_since=at("22:00")), over)
    totals = ledger.totals(VM, at("00:00", 1), DECEMBER + 31 * 24 * HOUR)
    assert [(one.month, one.cost, one.billed_seconds) for one in totals] == [
        ("2026-11", Decimal("169.60"), 7200),
        ("2026-12", Decimal("169.60"), 7200),
    ]
    second = session(id=NEW_ID, billing_since=over)
    state = ledger.commit(state, opening(lease(session_id=NEW_ID), second), over)
    end = over + HOUR
    ledger.commit(state, closing(end, id=NEW_ID, billing_since=over), end)
    (total,) = ledger.totals(VM, DECEMBER, DECEMBER + 31 * 24 * HOUR)
    assert (total.cost, total.sessions) == (3 * PRICE, 2)
    assert total.currency == "USD"


def test_a_session_that_cost_nothing_adds_to_no_total(ledger: Ledger) -> None:
    """It was never billed."""
    state = ledger.commit(ledger.read(VM), opening(), NOW)
    ledger.commit(state, closing(billing_since=None), NOW)
    assert ledger.totals(VM, at("00:00", 1), DECEMBER) == []


def test_sessions_come_newest_first_from_anywhere(ledger: Ledger) -> None:
    """After a key, and back to an instant."""
    ids = [keys.new_session_id(ASKED_AT + n * HOUR) for n in range(3)]
    for own in ids:
        state = ledger.read(VM)
        state = ledger.commit(
            state, opening(lease(session_id=own), session(id=own)), NOW
        )
        ledger.commit(state, closing(id=own), NOW)
    found = list(ledger.sessions(VM))
    assert [made.id for _, made in found if made] == ids[::-1]
    older = ledger.sessions(VM, after=found[0][0])
    assert [made.id for _, made in older if made] == ids[1::-1]
    newer = ledger.sessions(VM, since=ASKED_AT)
    assert [made.id for _, made in newer if made] == ids[:0:-1]


def test_a_cursor_of_somebody_else_reads_nothing_but_sessions(ledger: Ledger) -> None:
    """Whatever it says."""
    ledger.commit(ledger.read(VM), opening(), NOW)
    assert [made for _, made in ledger.sessions(VM, after="a")] == [session()]


def test_c06_a_page_is_asked_for_without_control_characters() -> None:
    """No key may hold one; the next key after a cursor is made of what keys hold."""

    class Asked(MemoryTable):
        first = ""

        def scan(
            self, partition: str, first: str, after: str, *, limit: int | None = None
        ) -> Iterator[Row]:
            self.first = first
            return super().scan(partition, first, after, limit=limit)

    table = Asked()
    key = keys.session(SESSION_ID)
    list(Ledger(table).sessions(VM, after=key))
    assert table.first > key
    assert table.first.isprintable()


def test_c10_a_session_of_three_years_is_closed_in_one_transaction() -> None:
    """A total for each month, and every key once: far from a hundred writes."""
    sizes = []

    class Counting(Meanwhile):
        def commit(self, partition: str, writes: Sequence[Write]) -> None:
            sizes.append((len(writes), len({write.key for write in writes})))
            super().commit(partition, writes)

    ledger = Ledger(Counting())
    since = NOW.replace(year=NOW.year - 3)
    opened = ledger.commit(
        ledger.read(VM), opening(within=session(billing_since=since)), NOW
    )
    ledger.commit(opened, closing(billing_since=since), NOW)
    assert sizes[-1] == (37 + 3, 37 + 3)


def test_an_unreadable_row_is_skipped(table: MemoryTable, ledger: Ledger) -> None:
    """A session, a line of the journal, and the plain rows."""
    ledger.commit(ledger.read(VM), opening(), NOW)
    table.put(VM, f"{keys.SESSIONS}0:x", {"id": "x"})
    table.put(VM, f"{keys.journal_of(SESSION_ID)}0:x", {"at": "when"})
    assert [made for _, made in ledger.sessions(VM)] == [None, session()]
    assert len(ledger.journal(VM, SESSION_ID)) == 2
    for partition, key in (
        (VM, keys.OBSERVED),
        (VM, keys.HEARTBEAT),
        (keys.DEPLOYMENT, keys.QUOTE),
        (keys.DEPLOYMENT, keys.REPORTED),
        (keys.DEPLOYMENT, keys.TICK),
        (keys.DEPLOYMENT, keys.META),
    ):
        table.put(partition, key, {"at": "when", "carried_over": "x", "newest": "{"})
    assert ledger.observed(VM) is None
    assert ledger.heartbeat(VM) is None
    assert ledger.quoted() == Quoted()
    assert ledger.reported() == Reported()
    assert ledger.last_tick() is None
    assert ledger.meta() is None


def test_d04_an_unreadable_lease_or_total_means_an_unreadable_ledger(
    table: MemoryTable, ledger: Ledger
) -> None:
    """Their loss would loosen a limit."""
    table.put(VM, keys.LEASE, {"machine": VM, "state": "?"})
    with pytest.raises(LedgerUnreadable):
        ledger.read(VM)
    table.put(VM, keys.total("2026-11"), {"month": "2026-11", "cost": "?"})
    with pytest.raises(LedgerUnreadable):
        ledger.totals(VM, at("00:00", 1), DECEMBER)


def test_a_lease_without_its_session_means_an_unreadable_ledger(
    ledger: Ledger,
) -> None:
    """It would hide what is being billed."""
    bare = replace(opening(), session=None, entries=())
    with pytest.raises(LedgerUnreadable, match="not there"):
        ledger.commit(ledger.read(VM), bare, NOW)


@pytest.mark.parametrize("session_id", ["nothing", NEW_ID, "lease"])
def test_c06_a_session_that_is_not_there_is_none(
    ledger: Ledger, session_id: str
) -> None:
    """Nobody's text becomes a key."""
    assert ledger.session(VM, session_id) is None


def test_c09_a_missing_table_is_made_and_knows_no_spend() -> None:
    """Without `meta` nothing is verified."""
    ledger = Ledger(MemoryTable(missing=True))
    assert ledger.read(VM) == State(lease=Lease(machine=VM))
    assert ledger.meta() is None
    assert ledger.last_tick() is None


def test_only_init_writes_meta_and_only_once() -> None:
    """What was carried over is not forgotten by a second run."""
    ledger = Ledger(MemoryTable(missing=True))
    made = ledger.initialise(Decimal("12.50"), NOW)
    assert made == Meta(
        schema_version=SCHEMA, carried_over=Decimal("12.50"), made_at=NOW
    )
    assert ledger.initialise(Decimal(0), NOW + HOUR) == made
    assert ledger.meta() == made


def test_init_whose_answer_is_lost_is_done_all_the_same(
    table: MemoryTable, ledger: Ledger
) -> None:
    """What is there is told, not that nothing was done."""
    table.lose_answers()
    made = ledger.initialise(Decimal("12.50"), NOW)
    assert made == ledger.meta()


def test_a_newer_schema_reads_like_none(table: MemoryTable, ledger: Ledger) -> None:
    """And is never written over."""
    ledger.initialise(Decimal(1), NOW)
    row = table.get(keys.DEPLOYMENT, keys.META)
    assert row is not None
    table.put(keys.DEPLOYMENT, keys.META, {**row.values, "schema_version": "2"})
    assert ledger.meta() is None
    with pytest.raises(LedgerError):
        ledger.initialise(Decimal(1), NOW)


def test_plain_rows_come_back(ledger: Ledger) -> None:
    """Outside any transaction."""
    seen, made = observed(Power.RUNNING), Pass(at=NOW, failed=(VM,))
    ledger.put_observed(VM, seen)
    ledger.put_heartbeat(beat())
    ledger.put_tick(made)
    assert (ledger.observed(VM), ledger.heartbeat(VM)) == (seen, beat())
    assert ledger.last_tick() == made


def test_a_note_is_a_line_of_its_own(ledger: Ledger) -> None:
    """Also where there is no session."""
    ledger.note(VM, SESSION_ID, entry("late"), NOW)
    ledger.note(VM, None, entry("lost"), NOW)
    assert [line.text for line in ledger.journal(VM, SESSION_ID)] == ["late"]
    assert [line.text for line in ledger.journal(VM, "-")] == ["lost"]


def test_b02_what_began_at_one_instant_is_noted_by_one_run(ledger: Ledger) -> None:
    """Of eight at once one is the first; what begins later is another matter."""
    with ThreadPoolExecutor(8) as pool:
        first = list(
            pool.map(lambda _: ledger.note_once(VM, entry("silent"), NOW), range(8))
        )
    assert first.count(True) == 1
    assert ledger.note_once(VM, entry("silent"), NOW + MINUTE)


def test_two_things_that_begin_at_once_are_told_once_each(ledger: Ledger) -> None:
    """In the machine's own journal, which no session owns."""
    for event in ("unknown", "other"):
        line = Entry(event=event, text=event, by="azure")
        assert ledger.note_once(VM, line, NOW)
        assert not ledger.note_once(VM, line, NOW)
    found = [line.event for line in ledger.journal(VM, "-")]
    assert sorted(found) == ["other", "unknown"]


def test_a_row_that_is_skipped_is_named(
    table: MemoryTable, ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    """So that somebody can look at it."""
    table.put(VM, keys.HEARTBEAT, {"phase": "nonsense"})
    assert ledger.heartbeat(VM) is None
    assert f"{VM}/heartbeat is skipped" in caplog.text


class Cursed(MemoryTable):
    """One row of it can never be read."""

    def get(self, partition: str, key: str) -> Row | None:
        if key == keys.QUOTE:
            raise LedgerUnreadable("a year 1")
        return super().get(partition, key)


def test_a_row_that_the_client_cannot_read_is_named_too(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """With what is wrong with it."""
    assert Ledger(Cursed()).quoted() == Quoted()
    assert "-/quote is skipped: a year 1" in [line.message for line in caplog.records]
