"""DESIGN.md's table of refusals is what the loop does and what people are told."""

import logging
import re
from datetime import timedelta

import pytest

from control import requests
from control.cli.error_codes import MET, Met, Way
from control.cli.error_table import (
    AFTER_A_START,
    NOTHING,
    error_table,
    follows,
    told,
    urgent,
)
from control.rules.held import OFF_FOR_GOOD
from control.rules.starts import NO_ANSWER, capacity_retry_at
from control.said.reasons import Reason
from control.words import Fault, LeaseState, OperationState, Power, StopReason
from tests.unit.builders import (
    ASK,
    ASKED_AT,
    MINUTE,
    NOW,
    PLENTY,
    POLICY,
    VM,
    World,
    case,
    error,
    held,
    lease,
    release,
    releasing,
    start,
    unbilled,
    unleased,
    world,
)
from tests.unit.builders import told as events

AGREED = [
    fault
    for fault in Fault
    if any(met.fault is fault and met.way is Way.RESULT for met in MET)
]


def numbers(text: str) -> set[int]:
    """The rows that a text names one by one."""
    return {int(number) for number in re.findall(r"row (\d+)", text)}


def reasons(text: str) -> set[str]:
    """The stop reasons that a text names."""
    return set(re.findall(r"`(\w+)`", text)) & set(StopReason)


def rows_of(caplog: pytest.LogCaptureFixture) -> set[int]:
    """The rows that spoke first, from the start's own row 8 on to the session's end."""
    found = [
        int(spoke[1])
        for record in caplog.records
        if record.name == "control.reconcile"
        and (spoke := re.match(rf"{VM}: row (\d+)", record.getMessage()))
    ]
    assert found[0] == 8
    return set(found[1:]) - {18}


def off_for_half_an_hour(of: World, fault: Fault | None = None) -> None:
    """Tick on; what Azure has taken fails, when `fault` says how."""
    for _ in range(36):
        for url, operation in list(of.machines.operations.items()):
            if fault and operation.state is OperationState.IN_PROGRESS:
                of.machines.finish(url, fault)
        of.pass_by(1)


def check(fault: Fault, of: World, rows: set[int]) -> None:
    """What happened is what the table says, and was told in its words."""
    says = AFTER_A_START[fault]
    assert rows - {17} <= numbers(says)
    ended = of.closed()
    assert ended.stop_reason in reasons(says)
    met = Met(way=Way.START, status=409, code=None)
    (sentence,) = {told(each) for each in MET if each.fault is fault and _starts(each)}
    assert any(sentence in note for note in of.notes()), (met, sentence, of.notes())
    assert (of.count("start") > 1) is ("starts again" in says)
    assert (of.count("deallocate") > 0) is ("deallocates" in says)


def _starts(met: Met) -> bool:
    return met.way in {Way.START, Way.RESULT}


@pytest.mark.parametrize("fault", list(Fault))
def test_a_refused_start_goes_as_the_table_says(
    fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    """Every class, from the tap to the end of its session, the machine staying off."""
    caplog.set_level(logging.INFO)
    of = world()
    wait = 300.0 if fault is Fault.THROTTLED else None
    of.machines.fail("start", error(fault, 409, wait), times=None)
    of.start()
    off_for_half_an_hour(of)
    check(fault, of, rows_of(caplog))
    assert rows_of(caplog) | {6} == numbers(AFTER_A_START[fault]) | {6}


@pytest.mark.parametrize("fault", AGREED)
def test_a_start_that_failed_later_goes_the_same_way(
    fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    """It was taken, and its operation ended with the code a minute later."""
    caplog.set_level(logging.INFO)
    of = world()
    of.start()
    off_for_half_an_hour(of, fault)
    check(fault, of, rows_of(caplog))


@pytest.mark.parametrize("fault", [f for f in Fault if f is not Fault.CAPACITY])
def test_what_ends_at_once_is_told_to_the_phone(fault: Fault) -> None:
    """A cause that no wait mends is the answer to the tap itself."""
    of = world()
    of.machines.fail("start", error(fault))
    refusal = of.start().refusal
    assert (refusal is not None) is ("at once" in AFTER_A_START[fault])
    if refusal is not None:
        sentence = told(next(met for met in MET if met.fault is fault))
        words = {sentence[1:], Reason.START_FAILED.say()[1:]}
        assert any(said in refusal.detail for said in words)


def test_the_minutes_in_the_table_are_the_codes() -> None:
    """Half an hour is the setting's default."""
    tries = [capacity_retry_at(start(Fault.CAPACITY, attempts=n)) for n in range(1, 6)]
    waits = ", ".join(str((at - ASKED_AT) // MINUTE) for at in tries)
    assert f"after {waits} min" in AFTER_A_START[Fault.CAPACITY]
    assert timedelta(minutes=30) == POLICY.capacity_retry
    assert "waits 2 min" in AFTER_A_START[Fault.UNAVAILABLE]
    assert "2 min later" in AFTER_A_START[Fault.PREEMPTED]
    assert NO_ANSWER == OFF_FOR_GOOD == 2 * MINUTE


@pytest.mark.parametrize("power", [Power.RUNNING, Power.STOPPING, Power.STOPPED])
def test_what_failed_and_is_on_all_the_same_may_boot(power: Power) -> None:
    """Azure has declared machines dead that came up ten minutes later."""
    assert AFTER_A_START[Fault.OTHER].endswith("while on it may boot: rows 12 to 17")
    made = held(power, lease(start=start(Fault.OTHER)))
    assert 12 <= made.rows[0] <= 17


def test_a_machine_that_is_gone_closes_its_session() -> None:
    """The refused start's 404 is followed by 404s of the readings."""
    made = held(Power.GONE, lease(start=start(Fault.NOT_FOUND, accepted_at=None)))
    assert made.rows[0] == 6
    assert made.closed is not None
    assert f"row 6 closes `{made.closed.stop_reason}`" in AFTER_A_START[Fault.NOT_FOUND]


def reads() -> list[Met]:
    return [met for met in MET if met.way is Way.READ]


def test_what_cannot_be_read_goes_as_the_table_says() -> None:
    """Unknown, in each state of the lease; a start is refused in the table's words."""
    unread = [met for met in reads() if met.fault is not Fault.NOT_FOUND]
    made = (releasing, held, unleased)
    rows = ", ".join(str(each(Power.UNKNOWN).rows[0]) for each in made)
    assert all(f"rows {rows}, nothing" in follows(met) for met in unread)
    since = NOW - 10 * MINUTE
    assert events(unleased(Power.UNKNOWN, power_since=since)) == ["unknown"]
    assert events(unleased(Power.UNKNOWN, power_since=since + MINUTE)) == []
    assert {told(met) for met in unread} == {refused_start(Power.UNKNOWN)}


def test_what_is_not_found_goes_as_the_table_says() -> None:
    """After three ticks it is gone, and whatever is open is closed."""
    absent = [met for met in reads() if met.fault is Fault.NOT_FOUND]
    rows = [each(Power.GONE).rows[0] for each in (releasing, held)]
    assert rows == [1, 6]
    assert {follows(met) for met in absent} == {
        "`gone` after three ticks: rows 1 and 6 close"
    }
    assert {told(met) for met in absent} == {refused_start(Power.GONE)}


def refused_start(power: Power) -> str:
    of = case(lease(LeaseState.NONE), None, power, spend=PLENTY)
    refusal = requests.start(of, ASK, 0).refusal
    assert refusal is not None
    return refusal.detail


@pytest.mark.parametrize("met", [met for met in MET if met.way is Way.STOP])
def test_a_refused_deallocate_goes_as_the_table_says(met: Met) -> None:
    """Told at once or after three minutes, and tried again each minute all the same."""
    of = world()
    of.running()
    of.machines.fail("deallocate", error(met.fault, met.status), times=None)
    of.notices.sent.clear()
    of.switch.stop(VM, "iphone")
    at_once = of.notes()
    of.pass_by(4)
    words = told(met).replace("vm ", f"{VM} ")
    assert at_once == ([words] if urgent(met) else [])
    assert words in of.notes()
    assert "alarm at once" in follows(met) or "alarm from 3 min on" in follows(met)
    assert of.count("deallocate") == 5


def test_row_4_is_the_one_that_goes_on() -> None:
    """Whatever came of the last deallocate."""
    of = lease(LeaseState.RELEASING, release=release(NOW - 3 * MINUTE))
    assert releasing(Power.RUNNING, of).rows == (4,)
    assert all("row 4: " in follows(met) for met in MET if met.way is Way.STOP)


def test_what_nobody_is_told_has_no_sentence() -> None:
    """Azure's figure is late anyway, and a poll is made good by the next reading."""
    silent = {met.way for met in MET if told(met) == NOTHING}
    assert silent == {Way.POLL, Way.BUDGET}


def test_an_unreadable_operation_leaves_it_to_the_reading() -> None:
    """Row 17 waits on; the entry of the provisioning state has the outcome."""
    waits = held(
        Power.DEALLOCATED, lease(), within=unbilled(), operation=None, entry=None
    )
    assert waits.rows == (17,)


def test_the_table_is_one_of_five_columns() -> None:
    """A line for each code and way, its class in our own word."""
    head, rule, *lines = error_table().splitlines()
    assert head.count("|") == rule.count("|") == 6
    assert len(lines) == len(MET)
    assert all(line.count(" | ") == 4 for line in lines)
    classes = [line.split(" | ")[2] for line in lines]
    assert classes == [met.fault.value for met in MET]
