"""One pass of the timer: enforcement first, each machine for itself, then the rest."""

import threading
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

import pytest

from control import keys
from control.errors import AzureError
from control.memory import MemoryMachines, MemoryReports
from control.model import Quote, Reading, Report
from control.records import Pass
from control.words import Fault, LeaseState, Power, Unreported
from tests.unit.builders import (
    ASKED_AT,
    HOUR,
    LOST,
    MINUTE,
    OTHER_VM,
    POLICY,
    PRICE,
    SECOND,
    VM,
    error,
    provisioning,
    world,
)

REPORT = Report(
    amount=Decimal(900),
    currency="USD",
    start=POLICY.budget.start,
    end=POLICY.budget.end,
    at=ASKED_AT,
)


def test_a_pass_runs_every_machine_and_is_written() -> None:
    """With the time it began at."""
    of = world(names=(VM, OTHER_VM))
    assert of.switch.tick() == Pass(at=ASKED_AT)
    assert of.ledger.last_tick() == Pass(at=ASKED_AT)
    assert (of.count("read"), of.count("read", OTHER_VM)) == (1, 1)


class Faulty(MemoryMachines):
    """Reading one machine is a bug."""

    def read(self, machine: str) -> Reading:
        if machine == VM and self.calls_of(VM) == 0:
            self.calls_of(VM, add=True)
            raise ZeroDivisionError
        return super().read(machine)

    seen = 0

    def calls_of(self, _: str, *, add: bool = False) -> int:
        self.seen += add
        return self.seen


def test_one_machines_failure_never_stops_another() -> None:
    """It is named, and ARM alone enforces its cap."""
    of = world(names=(VM, OTHER_VM))
    faulty = Faulty(of.clock, (VM, OTHER_VM))
    over = provisioning("succeeded", ASKED_AT - 5 * HOUR)
    for name in (VM, OTHER_VM):
        faulty.set(name, Power.RUNNING, provisioning=over)
    inner = of.switch._parts
    observer = inner.reconciler._observer
    observer._machines = faulty
    inner.backstop._machines = inner.backstop._actor._machines = faulty
    made = of.switch._parts.timer.enforce()
    assert made.failed == (VM,)
    sent = [call.machine for call in faulty.calls if call.verb == "deallocate"]
    assert sent == [VM]
    assert of.state(OTHER_VM).lease.state is LeaseState.HELD


@pytest.mark.parametrize(("hours", "sent"), [(3, 0), (5, 1)])
def test_d04_without_a_ledger_a_machine_over_its_cap_goes_within_one_tick(
    hours: int, sent: int
) -> None:
    """A12: and one that is not may stay."""
    of = world()
    of.reads(Power.RUNNING, provisioning("succeeded", ASKED_AT - hours * HOUR))
    of.table.unreachable = True
    assert of.switch.tick().failed == (VM,)
    assert of.count("deallocate") == sent


def test_c09_without_its_table_a_machine_is_still_stopped() -> None:
    """The table is made anew; the machine is adopted and ends at its cap."""
    of = world()
    of.running()
    of.table.drop()
    of.pass_by(1)
    state = of.state()
    assert state.session is not None
    assert state.session.adopted
    of.clock.set(ASKED_AT + 4 * HOUR + 2 * MINUTE)
    of.switch.tick()
    assert of.count("deallocate") == 1


def test_slow_machines_run_at_the_same_time() -> None:
    """Both read at once: neither waits for the other."""
    of = world(names=(VM, OTHER_VM))
    gate = threading.Barrier(2, timeout=10)

    class Meeting(MemoryMachines):
        def read(self, machine: str) -> Reading:
            gate.wait()
            return super().read(machine)

    inner = of.switch._parts
    inner.reconciler._observer._machines = Meeting(of.clock, (VM, OTHER_VM))
    made = of.switch._parts.timer.enforce()
    assert made.failed == ()


@pytest.mark.parametrize(("minutes", "asked"), [(59, 1), (60, 2)])
def test_d02_azures_figure_is_asked_for_at_most_hourly(
    minutes: int, asked: int
) -> None:
    """Also when it could not be read."""
    of = world()
    of.reports.fail(LOST)
    of.reports.report = REPORT
    of.switch.tick()
    assert of.ledger.reported().newest is None
    of.clock.advance(minutes * MINUTE)
    of.switch.tick()
    assert (of.ledger.reported().newest is not None) == (asked == 2)


def test_d01_why_azure_has_no_figure_is_kept_until_it_has_one() -> None:
    """What was known before stands beside it."""
    of = world()
    of.reports.report = REPORT
    of.switch.tick()
    of.reports.fail(LOST)
    of.clock.advance(HOUR)
    of.switch.tick()
    kept = of.ledger.reported()
    assert (kept.problem, kept.newest) == (Unreported.SILENT, REPORT)
    of.reports.report = None
    of.clock.advance(HOUR)
    of.switch.tick()
    assert of.ledger.reported().problem is Unreported.NO_FIGURE
    of.reports.report = REPORT
    of.clock.advance(HOUR)
    of.switch.tick()
    assert of.ledger.reported().problem is None


def test_what_nobody_expected_stops_no_other_part() -> None:
    """Azure's figure fails by a fault of ours: the price is asked for all the same."""

    class Broken(MemoryReports):
        def read(self, now: datetime) -> Report | None:
            raise ZeroDivisionError(now)

    of = world()
    of.switch._parts.housekeeping._reports = Broken()
    assert of.switch.tick() == Pass(at=ASKED_AT)
    assert of.ledger.quoted().asked_at == ASKED_AT


def test_d01_without_a_budget_at_azure_nothing_is_asked() -> None:
    """Our own figure goes on and enforces."""
    of = world()
    of.switch._parts.housekeeping._reports = None
    of.switch.tick()
    assert of.ledger.reported().asked_at is None
    assert of.view().spend is not None


@pytest.mark.parametrize(
    "failure",
    [
        error(Fault.OTHER, 400),
        error(Fault.NOT_FOUND, 404),
        error(Fault.PERMISSION, 403),
    ],
)
def test_d01_whatever_azures_budget_answers_the_own_limit_ends_it(
    failure: AzureError,
) -> None:
    """The tick is not disturbed."""
    of = world(budget=replace(POLICY.budget, limit=Decimal(250)))
    of.reports.fail(failure, times=None)
    of.running()
    of.pass_by(90)
    assert of.count("deallocate") >= 1
    lease = of.state().lease
    assert lease.release is not None
    assert lease.release.reason.value == "budget"
    assert of.now() < ASKED_AT + 2 * HOUR


def test_the_price_is_refreshed_daily_and_retried_hourly() -> None:
    """After enforcement; a failure keeps the one that is known."""
    of = world()
    of.switch.tick()
    first = of.ledger.quoted().newest
    assert first == Quote(price_per_hour=PRICE, currency="USD", at=ASKED_AT)
    of.prices.price = Decimal(90)
    of.clock.advance(24 * HOUR - SECOND)
    of.switch.tick()
    assert of.ledger.quoted().newest == first
    of.prices.fail(LOST)
    of.clock.advance(SECOND)
    of.switch.tick()
    assert of.ledger.quoted().newest == first
    of.clock.advance(HOUR)
    of.switch.tick()
    newest = of.ledger.quoted().newest
    assert newest is not None
    assert newest.price_per_hour == 90


def test_no_price_that_fits_keeps_the_known_one() -> None:
    """The service answered with nothing of use."""
    of = world()
    of.prices.price = None
    of.switch.tick()
    assert of.ledger.quoted().newest is None
    assert of.ledger.quoted().asked_at == ASKED_AT


def test_each_part_after_enforcement_may_fail_alone() -> None:
    """Old codes are dropped though prices and reports fail."""
    of = world()
    of.reports.fail(LOST)
    of.prices.fail(LOST)
    devices = of.switch._parts.housekeeping._devices
    devices.put_code("abc", "iphone", ASKED_AT - 25 * HOUR)
    of.switch.tick()
    assert devices.code("abc") is None
    assert of.ledger.last_tick() is not None


def test_a_pass_without_a_ledger_writes_nothing_and_goes_on() -> None:
    """The next one is written again."""
    of = world()
    of.table.unreachable = True
    of.switch.tick()
    of.table.unreachable = False
    assert of.ledger.last_tick() is None
    of.pass_by(1)
    assert of.ledger.last_tick() is not None
    assert of.table.get(keys.DEPLOYMENT, keys.TICK) is not None
