"""What one more reading adds to what was seen before; pure, standard library only.

Here a 404 becomes `gone` (three ticks in a row), and a machine that sends heartbeats
is not believed to be off.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from control.model import Heartbeat, Lease, Observed, Reading, Session
from control.words import Power, RunKind

GONE_AFTER_TICKS = 3
BACK_FROM_GONE = timedelta(minutes=30)
GAP = timedelta(minutes=10)
_ALIVE = timedelta(minutes=1)
_TICKS_APART = timedelta(seconds=30)


def counts(
    heartbeat: Heartbeat | None, lease: Lease, session: Session | None
) -> Heartbeat | None:
    """Return the heartbeat if it is one of this session, else None.

    One sent before this session's start, or by the boot of the session before, tells
    nothing; an adopted machine may still be in that boot.
    """
    if heartbeat is None or session is None:
        return None
    if session.adopted:
        since = session.billing_since
        return heartbeat if since and heartbeat.received_at >= since else None
    since = lease.first_start_at
    old_boot = lease.last is not None and lease.last.boot_id == heartbeat.boot_id
    if since is None or heartbeat.received_at < since or old_boot:
        return None
    return heartbeat


def see(
    reading: Reading,
    before: Observed | None,
    heartbeat: Heartbeat | None,
    run: RunKind,
    now: datetime,
) -> Observed:
    """Return what is seen now; `heartbeat` is one that counts for the session."""
    missing = _missing(reading, before, run)
    power = _power(reading, missing.not_found_ticks, heartbeat, now)
    same = before is not None and before.power is power
    return replace(
        missing,
        power=power,
        power_since=before.power_since if before and same else reading.began_at,
        known=missing.known if power is Power.UNKNOWN else power,
        on_since=_on_since(power, before, reading),
        last_billing_at=(
            reading.began_at if power.billing else missing.last_billing_at
        ),
        last_off_at=(
            reading.began_at
            if power in {Power.DEALLOCATED, Power.DEALLOCATING}
            else missing.last_off_at
        ),
        last_run_at=now,
        gap_ended_at=_gap_ended_at(before, now),
        alarmed=before.alarmed if before and same else False,
    )


def _missing(reading: Reading, before: Observed | None, run: RunKind) -> Observed:
    """Carry the 404s on: only ticks count, two in one half minute once."""
    at = reading.began_at
    kept = before or Observed(
        reading=reading, power=Power.UNKNOWN, power_since=at, last_run_at=at
    )
    if not reading.not_found:
        return replace(
            kept,
            reading=reading,
            not_found_since=None,
            not_found_ticks=0,
            not_found_tick_at=None,
        )
    counted = kept.not_found_tick_at
    tick = run is RunKind.TICK and (counted is None or at - counted >= _TICKS_APART)
    return replace(
        kept,
        reading=reading,
        not_found_since=kept.not_found_since or at,
        not_found_ticks=kept.not_found_ticks + tick,
        not_found_tick_at=at if tick else counted,
    )


def _power(
    reading: Reading, ticks: int, heartbeat: Heartbeat | None, now: datetime
) -> Power:
    gone = reading.not_found and ticks >= GONE_AFTER_TICKS
    power = Power.GONE if gone else reading.power
    alive = heartbeat is not None and now - heartbeat.received_at <= _ALIVE
    if alive and power in {Power.DEALLOCATED, Power.GONE}:
        return Power.UNKNOWN
    return power


def _on_since(
    power: Power, before: Observed | None, reading: Reading
) -> datetime | None:
    """When the machine was first read billing after it was off."""
    known = before.on_since if before else None
    if power.billing:
        return known or reading.began_at
    return known if power is Power.UNKNOWN else None


def _gap_ended_at(before: Observed | None, now: datetime) -> datetime | None:
    if before is None:
        return None
    return now if now - before.last_run_at > GAP else before.gap_ended_at
