"""Takes a machine away, and stays until Azure says that it is off."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol

from control.ports import Clock
from control.views import Answer, View
from control.words import LeaseState, Power

PAUSE = 10.0
_AGAIN = timedelta(seconds=20)
_LIMIT = timedelta(minutes=20)
# What Azure has begun may come on once more after the first such reading.
_READINGS = 2


class Stops(Protocol):
    """The part of the switch that takes away."""

    def stop(self, machine: str, by: str) -> Answer:
        """Take any lease away; never refused."""

    def status(self, machine: str) -> View:
        """Say how the machine is; may take it away."""


class Off:
    """One machine on its way off; `by` is who the ledger names for it."""

    def __init__(self, switch: Stops, machine: str, by: str, clock: Clock) -> None:
        self._switch, self._machine, self._by = switch, machine, by
        self._clock = clock
        self._told_at: datetime | None = None

    def take(self, settled: Callable[[], bool] = lambda: True) -> bool:
        """Return whether it was read deallocated, or is not there, in 20 minutes.

        Whatever fails, the next round tries again.

        Args:
            settled: whether nothing is under way that could bring it on again.
        """
        end, readings = self._clock.now() + _LIMIT, 0
        while self._clock.now() < end:
            is_settled = _believed(settled)
            off = _believed(lambda: is_off(self._looked()))
            readings = readings + 1 if off and is_settled else 0
            if readings >= _READINGS:
                return True
            self._clock.wait(PAUSE)
        return False

    def _looked(self) -> View:
        """Look at it; what is not off is told so every 20 s, as by a person."""
        view, now = self._switch.status(self._machine), self._clock.now()
        if is_off(view) or (self._told_at and now - self._told_at < _AGAIN):
            return view
        self._told_at = now
        return self._switch.stop(self._machine, self._by).view


def is_off(view: View) -> bool:
    """Whether nothing bills, and the ledger has its line; or nothing is there."""
    seen, lease = view.seen, view.lease
    if seen is None:
        return False
    if seen.reading.not_found:
        return True
    if seen.power is not Power.DEALLOCATED:
        return False
    provisioning = seen.reading.provisioning
    changing = provisioning is not None and provisioning.changing
    return not changing and (lease is None or lease.state is LeaseState.NONE)


def _believed(ask: Callable[[], bool]) -> bool:
    """Ask Azure; where it does not answer, or anything goes wrong, stay."""
    try:
        return ask()
    except Exception:  # noqa: BLE001 - a machine that bills is no time to give up
        return False
