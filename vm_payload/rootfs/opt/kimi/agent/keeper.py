"""Until when this boot may run; pure: instants are seconds since boot.

The lease is what the last good answer said, turned into time from that answer on. The
cap is the boot's own: an answer can only lower it, and a reboot within a session does
not begin it anew, which is reckoned by the control plane's clock, never by ours.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agent.site import Limits

ASKS_BEFORE = 120.0
CLOSES_BEFORE = 60.0
_MINUTE, _HOUR = 60.0, 3600.0
_SETUP = "setup"


@dataclass(frozen=True)
class Answer:
    """The answer to a heartbeat; `now` and `expires_at` are Unix time, UTC."""

    now: float
    session_id: str | None
    expires_at: float | None
    drain: bool
    purpose: str | None
    limits: Limits


def read(body: Mapping[str, Any], rendered: Limits) -> Answer:
    """Read a 200 answer; what is absent stays as it was rendered.

    Raises:
        ValueError: it is none of ours.
    """
    try:
        expires = body.get("expires_at")
        session = body.get("session_id")
        purpose = body.get("purpose")
        return Answer(
            now=_instant(body["now"]),
            session_id=None if session is None else str(session),
            expires_at=None if expires is None else _instant(expires),
            drain=body.get("drain") is True,
            purpose=None if purpose is None else str(purpose),
            limits=_limits(body, rendered),
        )
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(str(error)) from None


def _limits(body: Mapping[str, Any], rendered: Limits) -> Limits:
    usual = vars(rendered)
    return Limits(**{name: _above_zero(body.get(name), usual[name]) for name in usual})


def _instant(said: str) -> float:
    at = datetime.fromisoformat(said)
    if at.tzinfo is None:
        raise ValueError("an instant without a time zone")
    return at.timestamp()


def _above_zero(said: Any, usual: float) -> float:
    number = usual if said is None else float(said)
    if not 0 < number < float("inf"):
        raise ValueError("a limit that is none")
    return number


class Keeper:
    """One boot's deadlines; `caps` outlives the boot: session id to Unix time."""

    def __init__(self, rendered: Limits, caps: Mapping[str, float]) -> None:
        self._rendered = rendered
        self._expires: float | None = None
        self._cap = rendered.max_runtime_hours * _HOUR
        self._offset: float | None = None
        self.limits = rendered
        self.caps = dict(caps)
        self.session_id: str | None = None
        self.drain = False
        self.purpose: str | None = None

    @property
    def cap_at(self) -> float:
        """What no answer takes it past."""
        return self._cap

    @property
    def lease_ends(self) -> float:
        """T: never past the cap; before the first answer the boot deadline."""
        return min(self._unheard if self._expires is None else self._expires, self._cap)

    @property
    def boot_deadline(self) -> float | None:
        """By when it must be ready; a set-up boot has only its lease."""
        if self.purpose == _SETUP:
            return None
        return self._unheard

    @property
    def idle_limit(self) -> float:
        """How long it may be idle, in seconds."""
        return self.limits.idle_minutes * _MINUTE

    @property
    def _unheard(self) -> float:
        return self.limits.ready_deadline_minutes * _MINUTE

    def hear(self, answer: Answer, now: float) -> None:
        """Take a 200 answer; without an `expires_at` it changes nothing."""
        if answer.expires_at is None:
            return
        self._offset = answer.now - now
        self._expires = answer.expires_at - self._offset
        self.drain = answer.drain
        self.purpose = answer.purpose
        self.limits = answer.limits
        self._lower_cap(answer)

    def utc(self, at: float, wall: float, now: float) -> float:
        """Return Unix time: by the control plane's clock once it was heard."""
        offset = wall - now if self._offset is None else self._offset
        return at + offset

    def _lower_cap(self, answer: Answer) -> None:
        assert self._offset is not None
        hours = min(self._rendered.max_runtime_hours, answer.limits.max_runtime_hours)
        cap = min(self._cap, hours * _HOUR)
        self.session_id = answer.session_id
        if answer.session_id is not None:
            kept = self.caps.get(answer.session_id)
            if kept is not None:
                cap = min(cap, kept - self._offset)
            self.caps = {answer.session_id: cap + self._offset}
        self._cap = cap
