"""What readings add up to: gone, unknown, since when, and which heartbeats count."""

from dataclasses import replace
from datetime import timedelta

import pytest

from control.model import Heartbeat, Lease, Observed, Session
from control.rules.sight import counts, see
from control.words import LeaseState, Power, RunKind
from tests.unit.builders import (
    ASKED_AT,
    HOUR,
    MINUTE,
    NOW,
    SECOND,
    adopted_lease,
    beat,
    last,
    lease,
    observed,
    reading,
    session,
)


def readings(*said: Power, run: RunKind = RunKind.TICK, every: float = 60) -> Observed:
    """Take readings one after the other; `gone` stands for a 404."""
    seen = None
    for number, power in enumerate(said):
        now = NOW + number * every * SECOND
        seen = see(reading(power, now), seen, None, run, now)
    assert seen is not None
    return seen


@pytest.mark.parametrize(
    ("said", "power"),
    [
        ((Power.GONE,), Power.UNKNOWN),
        ((Power.GONE, Power.GONE), Power.UNKNOWN),
        ((Power.GONE,) * 3, Power.GONE),
        ((Power.GONE,) * 4, Power.GONE),
        ((Power.GONE, Power.GONE, Power.UNKNOWN, Power.GONE), Power.UNKNOWN),
        ((Power.GONE, Power.UNKNOWN, *(Power.GONE,) * 3), Power.GONE),
        ((Power.GONE, Power.GONE, Power.RUNNING), Power.RUNNING),
    ],
)
def test_a17_gone_is_a_404_on_three_ticks_in_a_row(
    said: tuple[Power, ...], power: Power
) -> None:
    """One alone may be a slow copy; an unknown between them counts anew."""
    assert readings(*said).power is power


def test_a17_the_first_404_is_kept() -> None:
    """It becomes the session's end; whatever is found again forgets it."""
    assert readings(*(Power.GONE,) * 4).not_found_since == NOW
    assert readings(Power.GONE, Power.RUNNING).not_found_since is None


def test_a17_pages_that_look_do_not_make_a_machine_gone() -> None:
    """Only ticks count, though a page's reading shows what they found."""
    assert readings(*(Power.GONE,) * 9, run=RunKind.READ).power is Power.UNKNOWN
    gone = readings(*(Power.GONE,) * 3)
    now = NOW + 3 * MINUTE
    looked = see(reading(Power.GONE, now), gone, None, RunKind.READ, now)
    assert looked.power is Power.GONE
    assert looked.not_found_ticks == 3


def test_b02_ticks_in_the_same_half_minute_count_once() -> None:
    """Two at once are one."""
    assert readings(*(Power.GONE,) * 9, every=3).not_found_ticks == 1
    assert readings(*(Power.GONE,) * 3, every=30).not_found_ticks == 3


@pytest.mark.parametrize("power", [Power.DEALLOCATED, Power.GONE])
@pytest.mark.parametrize(("seconds", "believed"), [(60, False), (61, True)])
def test_a_machine_that_sends_heartbeats_is_not_believed_to_be_off(
    power: Power, seconds: int, believed: object
) -> None:
    """For a minute the power is unknown."""
    gone = power is Power.GONE
    before = readings(*(Power.GONE,) * 3) if gone else None
    now = NOW + 3 * MINUTE
    said = beat(received_at=now - seconds * SECOND)
    seen = see(reading(power, now), before, said, RunKind.TICK, now)
    assert (seen.power is power) is believed
    assert (seen.power is Power.UNKNOWN) is not believed


@pytest.mark.parametrize("power", [Power.DEALLOCATING, Power.STOPPED, Power.RUNNING])
def test_a_heartbeat_contradicts_nothing_else(power: Power) -> None:
    """A machine that is going off may still speak."""
    assert see(reading(power), None, beat(), RunKind.TICK, NOW).power is power


def test_a_power_state_counts_since_its_first_reading() -> None:
    """And the last one that was known is remembered."""
    seen = readings(Power.RUNNING, Power.UNKNOWN, Power.UNKNOWN)
    assert seen.power_since == NOW + MINUTE
    assert seen.known is Power.RUNNING
    assert readings(Power.UNKNOWN).known is None


@pytest.mark.parametrize(
    ("said", "minutes"),
    [
        ((Power.DEALLOCATED, Power.STARTING, Power.RUNNING), 1),
        ((Power.STARTING, Power.UNKNOWN, Power.RUNNING), 0),
        ((Power.RUNNING, Power.DEALLOCATING, Power.RUNNING), 2),
        ((Power.RUNNING, Power.DEALLOCATED), None),
        ((Power.UNKNOWN,), None),
    ],
)
def test_since_when_it_is_on_is_kept_through_unknown(
    said: tuple[Power, ...], minutes: int | None
) -> None:
    """And forgotten when it goes off."""
    since = None if minutes is None else NOW + minutes * MINUTE
    assert readings(*said).on_since == since


def test_the_last_billing_and_the_last_off_reading_are_kept() -> None:
    """Each in its own place."""
    seen = readings(Power.DEALLOCATED, Power.STOPPED, Power.UNKNOWN)
    assert seen.last_off_at == NOW
    assert seen.last_billing_at == NOW + MINUTE
    assert readings(Power.DEALLOCATING).last_off_at == NOW


@pytest.mark.parametrize(("seconds", "gap"), [(600, False), (601, True)])
def test_b01_a_gap_of_more_than_ten_minutes_is_noticed(
    seconds: int, gap: object
) -> None:
    """And stays noticed in the next run."""
    before = observed(Power.RUNNING, last_run_at=NOW - seconds * SECOND)
    seen = see(reading(Power.RUNNING), before, None, RunKind.TICK, NOW)
    assert (seen.gap_ended_at == NOW) is gap
    then = NOW + MINUTE
    later = see(reading(Power.RUNNING, then), seen, None, RunKind.TICK, then)
    assert later.gap_ended_at == seen.gap_ended_at
    assert later.last_run_at == then


def test_an_alarm_is_remembered_while_the_state_lasts() -> None:
    """The next unknown is told anew."""
    before = observed(Power.UNKNOWN, alarmed=True)
    kept = see(reading(Power.UNKNOWN), before, None, RunKind.TICK, NOW)
    assert kept.alarmed
    known = see(reading(Power.RUNNING), kept, None, RunKind.TICK, NOW)
    assert not known.alarmed


OLD_BOOT = last(boot_id="boot-1")


@pytest.mark.parametrize(
    ("said", "of", "within", "counted"),
    [
        (None, lease(), session(), False),
        (beat(), lease(LeaseState.NONE), None, False),
        (beat(), lease(), session(), True),
        (beat(received_at=ASKED_AT), lease(), session(), True),
        (beat(received_at=ASKED_AT - SECOND), lease(), session(), False),
        (beat(), lease(first_start_at=None), session(), False),
        (beat(), lease(last=OLD_BOOT), session(), False),
        (beat(boot_id="boot-2"), lease(last=OLD_BOOT), session(), True),
        (beat(), adopted_lease(last=OLD_BOOT), session(adopted=True), True),
        (
            beat(received_at=ASKED_AT - SECOND),
            adopted_lease(),
            session(adopted=True),
            False,
        ),
        (
            beat(),
            adopted_lease(),
            session(adopted=True, billing_since=None),
            False,
        ),
    ],
)
def test_a10_a_heartbeat_counts_for_the_session_it_was_sent_in(
    said: Heartbeat | None, of: Lease, within: Session | None, counted: object
) -> None:
    """An adopted machine may still be in the boot of the session before."""
    assert (counts(said, of, within) is not None) is counted


def test_the_count_of_404s_survives_a_gap() -> None:
    """Time alone brings nothing back."""
    before = replace(
        readings(Power.GONE, Power.GONE), last_run_at=NOW - timedelta(hours=3)
    )
    now = NOW + HOUR
    assert see(reading(Power.GONE, now), before, None, RunKind.TICK, now).power is (
        Power.GONE
    )


def test_a17_a_good_reading_between_forgets_the_404s_before() -> None:
    """Three more are needed then, however soon they come."""
    two, ok = (Power.GONE,) * 2, Power.DEALLOCATED
    assert readings(*two, ok, *two).power is Power.UNKNOWN
    assert readings(*two, ok, *two, Power.GONE).power is Power.GONE
    soon = readings(Power.GONE, ok, Power.GONE, every=10)
    assert (soon.not_found_ticks, soon.not_found_tick_at) == (1, NOW + 20 * SECOND)


def test_a17_a_look_between_two_ticks_does_not_hold_back_the_second() -> None:
    """Only ticks are counted, and only from tick to tick."""
    seen = see(reading(Power.GONE, NOW), None, None, RunKind.TICK, NOW)
    for seconds, run in ((20, RunKind.READ), (40, RunKind.TICK)):
        now = NOW + seconds * SECOND
        seen = see(reading(Power.GONE, now), seen, None, run, now)
    assert seen.not_found_ticks == 2
    assert seen.reading.began_at == NOW + 40 * SECOND


def test_a_heartbeat_of_the_very_beginning_of_an_adoption_counts() -> None:
    """To the second."""
    said = beat(received_at=ASKED_AT)
    of, within = adopted_lease(), session(adopted=True, billing_since=ASKED_AT)
    assert counts(said, of, within) == said
    early = replace(said, received_at=ASKED_AT - SECOND)
    assert counts(early, of, within) is None
