"""The money used so far: ours, the standing cost, and what Azure says above both."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from control import keys
from control.codec import Codec
from control.decision import Decision, Policy
from control.errors import Evidence, Failed
from control.ledger import Ledger, State
from control.memory import MemoryTable
from control.model import Lease, Report, Session
from control.records import Reported, Total
from control.rules import money
from control.spend import Spending, merged, why_unreported
from control.words import Fault, LeaseState, Unreported
from tests.unit.builders import (
    ASKED_AT,
    HOUR,
    NOW,
    OTHER_VM,
    POLICY,
    PRICE,
    SESSION_ID,
    VM,
    lease,
    session,
    start,
    unbilled,
)

OCTOBER = datetime(2026, 10, 1, tzinfo=UTC)
NOVEMBER = datetime(2026, 11, 1, tzinfo=UTC)
DECEMBER = datetime(2026, 12, 1, tzinfo=UTC)
FEBRUARY = datetime(2027, 2, 1, tzinfo=UTC)
FREE = replace(POLICY, budget=replace(POLICY.budget, standing_per_month=Decimal(0)))
EMPTY = State(lease=Lease(machine=VM))
REPORT = Report(
    amount=Decimal(900), currency="USD", start=NOVEMBER, end=DECEMBER, at=NOW
)


def ledger(carried: str | None = "0", **totals: str) -> Ledger:
    """Return a ledger with the closed costs of some months."""
    table = MemoryTable()
    made = Ledger(table)
    if carried is not None:
        made.initialise(Decimal(carried), ASKED_AT)
    for name, cost in totals.items():
        month = f"2026-{name[1:]}"
        row = Codec(Total).encode(Total(month=month, cost=Decimal(cost)))
        table.put(VM, keys.total(month), row)
    return made


def spent(
    of: Ledger, state: State = EMPTY, at: datetime = NOW, policy: Policy = FREE
) -> Decimal:
    """Reckon what one machine has spent."""
    spend = Spending(of, {VM: policy}).read(state, at)
    assert spend is not None
    return spend.spent


def held(of: Lease, within: Session | None) -> State:
    return State(lease=of, session=within)


def test_d04_without_meta_the_spend_is_unknown() -> None:
    """The table may be a new, empty one; unknown is not zero."""
    assert Spending(ledger(None), {VM: POLICY}).read(EMPTY, NOW) is None


def test_everything_that_was_spent_adds_up() -> None:
    """Carried over, closed, open and standing; months outside do not count."""
    of = ledger("10", m10="1000", m11="20", m12="0.50")
    open_ = held(lease(), session())
    spend = Spending(of, {VM: POLICY}).read(open_, NOW)
    assert spend is not None
    standing = money.standing(Decimal("49.66"), NOVEMBER, NOW)
    assert spend.spent == Decimal("72.90") + standing
    assert spend.standing_to_come == money.standing(Decimal("49.66"), NOW, FEBRUARY)
    assert spend.remaining == 4500 - spend.spent - spend.standing_to_come
    assert spend.rate == PRICE


@pytest.mark.parametrize(
    ("of", "within", "cost"),
    [
        (lease(), session(), "42.40"),
        (lease(), unbilled(), "42.40"),
        (lease(start=start(accepted_at=None)), unbilled(), "42.40"),
        (lease(start=start(Fault.CAPACITY)), unbilled(), "0"),
        (lease(start=None), unbilled(), "0"),
        (lease(), session(billing_since=NOW), "7.07"),
        (lease(LeaseState.RELEASING, session_id=None), None, "0"),
    ],
)
def test_an_open_session_counts_in_full_against_the_limits(
    of: Lease, within: Session | None, cost: str
) -> None:
    """A start in flight counts from its sending."""
    assert spent(ledger(), held(of, within)) == Decimal(cost)


def test_d06_an_open_session_from_before_the_period_counts_within_it_alone() -> None:
    """Two hours of October, two of November."""
    since = NOVEMBER - 2 * HOUR
    state = held(lease(), session(billing_since=since))
    assert spent(ledger(), state, NOVEMBER + 2 * HOUR) == 2 * PRICE


def test_each_machine_with_a_lease_runs_the_rate_up() -> None:
    """At its frozen price, and at the configured one without a session."""
    of = ledger()
    cheap = session(machine=OTHER_VM, price_per_hour=Decimal(10))
    opened = Decision(
        rows=(8,), reason="", lease=lease(machine=OTHER_VM), session=cheap
    )
    of.commit(State(lease=Lease(machine=OTHER_VM)), opened, NOW)
    both = Spending(of, {VM: FREE, OTHER_VM: replace(FREE, machine=OTHER_VM)})
    alone = both.read(EMPTY, NOW)
    assert alone is not None
    assert alone.rate == 10
    assert alone.spent == 5
    bare = held(lease(LeaseState.RELEASING, session_id=None), None)
    together = both.read(bare, NOW)
    assert together is not None
    assert together.rate == 10 + PRICE


@pytest.mark.parametrize(
    ("at", "standing"),
    [
        (NOVEMBER - HOUR, "0"),
        (NOVEMBER, "0"),
        (DECEMBER, "60"),
        (FEBRUARY, "180"),
        (FEBRUARY + 99 * HOUR, "180"),
    ],
)
def test_the_standing_cost_runs_within_the_period(at: datetime, standing: str) -> None:
    """What is spent and what is to come are the whole."""
    policy = replace(
        POLICY, budget=replace(POLICY.budget, standing_per_month=Decimal(60))
    )
    spend = Spending(ledger(), {VM: policy}).read(EMPTY, at)
    assert spend is not None
    assert spend.spent == Decimal(standing)
    assert spend.spent + spend.standing_to_come == 180


@pytest.mark.parametrize(
    ("amount", "expected"), [("19.99", "20"), ("20", "20"), ("900", "900")]
)
def test_d02_azures_figure_only_ever_adds(amount: str, expected: str) -> None:
    """What it says above ours counts; it loosens nothing."""
    of = ledger(m11="20")
    of.put_reported(merged(Reported(), replace(REPORT, amount=Decimal(amount)), NOW))
    assert spent(of) == Decimal(expected)


def test_d02_each_window_is_compared_with_our_own_figure_of_it() -> None:
    """A dear November does not hide a cheap December of ours."""
    of = ledger(m11="900", m12="5")
    december = replace(REPORT, amount=Decimal(50), start=DECEMBER, end=FEBRUARY)
    both = merged(merged(Reported(), REPORT, NOW), december, NOW)
    of.put_reported(both)
    assert spent(of, at=DECEMBER + HOUR) == 950


def test_d02_a_window_from_before_the_budget_is_compared_with_what_we_had_then() -> (
    None
):
    """Azure's quarter began in October; so does our figure of it."""
    of = ledger(m10="300", m11="20")
    quarter = replace(REPORT, amount=Decimal(330), start=OCTOBER)
    of.put_reported(merged(Reported(), quarter, NOW))
    assert spent(of) == 30


def test_what_was_carried_over_is_in_azures_first_window_too() -> None:
    """It is not counted twice; a later window knows nothing of it."""
    of = ledger("100")
    of.put_reported(merged(Reported(), replace(REPORT, amount=Decimal(130)), NOW))
    assert spent(of) == 130
    late = replace(REPORT, amount=Decimal(130), start=DECEMBER, end=FEBRUARY)
    other = ledger("100")
    other.put_reported(merged(Reported(), late, NOW))
    assert spent(other) == 230


def test_the_standing_cost_is_in_azures_figure_too() -> None:
    """Only what is above both counts."""
    of = ledger()
    november = replace(REPORT, amount=Decimal("49.67"))
    of.put_reported(merged(Reported(), november, NOW))
    assert spent(of, at=DECEMBER, policy=POLICY) == Decimal("49.67")


@pytest.mark.parametrize(
    ("start", "end"), [(OCTOBER, NOVEMBER), (FEBRUARY, FEBRUARY + 700 * HOUR)]
)
def test_a_window_outside_the_budget_does_not_count(
    start: datetime, end: datetime
) -> None:
    """It is somebody else's money."""
    of = ledger()
    of.put_reported(merged(Reported(), replace(REPORT, start=start, end=end), NOW))
    assert spent(of) == 0


def test_d01_no_figure_keeps_the_highest_one() -> None:
    """It only says when Azure was asked."""
    kept = merged(Reported(), REPORT, NOW)
    assert merged(kept, None, NOW + HOUR) == replace(kept, asked_at=NOW + HOUR)


def test_d02_a_lower_figure_loosens_nothing() -> None:
    """The newest is shown, the highest counts."""
    lower = replace(REPORT, amount=Decimal(1), at=NOW + HOUR)
    kept = merged(merged(Reported(), REPORT, NOW), lower, NOW + HOUR)
    assert kept.highest == (REPORT,)
    assert kept.newest == lower
    higher = replace(REPORT, amount=Decimal(950))
    assert merged(kept, higher, NOW).highest == (higher,)


def test_a_machine_that_is_not_asked_about_is_read() -> None:
    """Its lease and session count as they stand in the ledger."""
    of = ledger()
    opened = Decision(rows=(8,), reason="", lease=lease(), session=session())
    of.commit(EMPTY, opened, NOW)
    other = State(lease=Lease(machine=OTHER_VM))
    both = Spending(of, {VM: FREE, OTHER_VM: replace(FREE, machine=OTHER_VM)})
    spend = both.read(other, NOW)
    assert spend is not None
    assert spend.spent == Decimal("42.40")
    assert of.read(VM).lease.session_id == SESSION_ID


@pytest.mark.parametrize(
    ("status", "code", "message", "why"),
    [
        (400, "400", "supports only ... offer types. offerId: x", "offer"),
        (400, "BadRequest", "not associated with a valid offer type", "offer"),
        (400, "SubscriptionTypeNotSupported", "Not supported.", "offer"),
        (400, "AccountCostDisabled", "Cost is disabled.", "offer"),
        (403, "IndirectCostDisabled", "Cost is disabled.", "offer"),
        (400, "DisallowedOperation", "is not permitted", "offer"),
        (400, "InvalidApiVersion", "no such version", "refused"),
        (403, "RBACAccessDenied", "may not read", "forbidden"),
        (404, "404", "Budget not found.", "no_budget"),
        (424, "FailedDependency", "A dependency has failed.", "silent"),
        (429, "429", "Too many requests.", "silent"),
        (500, None, "", "silent"),
        (None, None, "(TimeoutError)", "silent"),
    ],
)
def test_d01_each_refusal_has_its_reason(
    status: int | None, code: str | None, message: str, why: str
) -> None:
    """The wordings for an offer without costs differ, the reason is one."""
    refusal = Failed(Evidence(status=status, code=code, message=message))
    assert why_unreported(refusal) == why


def test_what_is_ours_and_what_azure_says_stand_beside_the_sum() -> None:
    """A person who is refused compares the two."""
    of = ledger("10", m11="20")
    kept = Reported(highest=(REPORT,), newest=REPORT, problem=Unreported.SILENT)
    of.put_reported(kept)
    spend = Spending(of, {VM: POLICY}).read(EMPTY, NOW)
    assert spend is not None
    standing = money.standing(Decimal("49.66"), NOVEMBER, NOW)
    assert spend.own == 30 + standing
    assert spend.spent == 900
    assert (spend.reported, spend.unreported) == (REPORT, Unreported.SILENT)


def test_d02_every_window_that_is_above_ours_adds() -> None:
    """One outside of the budget's period ends nothing."""
    of = ledger(m11="100", m12="100")
    before = replace(REPORT, start=OCTOBER, end=NOVEMBER)
    after = replace(REPORT, start=DECEMBER, end=DECEMBER.replace(year=2027, month=1))
    of.put_reported(Reported(highest=(before, REPORT, after), newest=after))
    assert spent(of) == 200 + 800 + 800


def test_d06_the_month_after_the_period_is_not_in_it() -> None:
    """Its end is the first day that does not count."""
    of = ledger(m11="100", m12="50")
    short = replace(FREE, budget=replace(FREE.budget, end=DECEMBER))
    assert spent(of, policy=short) == 100


def test_d02_windows_are_told_apart_by_both_ends() -> None:
    """And it is kept when Azure was asked."""
    longer = replace(REPORT, end=FEBRUARY, amount=Decimal(1))
    kept = merged(Reported(highest=(REPORT,)), longer, NOW)
    assert kept.highest == (REPORT, longer)
    assert kept.asked_at == NOW
