"""The guest's lease keeper: until when this boot may run.

The lease is what the last good answer said, turned into time from that answer on; the
cap is the boot's own and an answer can only lower it.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """The values in the payload, good until the first answer."""

    idle_minutes: float = 20
    ready_deadline_minutes: float = 75
    max_runtime_hours: float = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The heartbeat's answer as the guest reads it."""

    now: datetime
    session_id: str | None
    expires_at: datetime | None
    drain: bool
    idle_minutes: float
    purpose: str | None
    ready_deadline_minutes: float
    max_runtime_hours: float

    @classmethod
    def read(cls, body: dict[str, Any], rendered: Rendered) -> "Answer":
        """Read a 200 answer; what is absent stays as rendered."""
        expires = body.get("expires_at")
        return cls(
            now=datetime.fromisoformat(body["now"]),
            session_id=body.get("session_id"),
            expires_at=datetime.fromisoformat(expires) if expires else None,
            drain=bool(body.get("drain")),
            idle_minutes=float(body.get("idle_minutes") or rendered.idle_minutes),
            purpose=body.get("purpose"),
            ready_deadline_minutes=float(
                body.get("ready_deadline_minutes") or rendered.ready_deadline_minutes
            ),
            max_runtime_hours=float(
                body.get("max_runtime_hours") or rendered.max_runtime_hours
            ),
        )


@dataclass(slots=True, kw_only=True)
class Disk:
    """What outlives a reboot: the cap of each session that this machine has known."""

    caps: dict[str, datetime] = field(default_factory=dict)


class Keeper:
    """One boot's deadlines."""

    def __init__(self, boot_at: datetime, rendered: Rendered, disk: Disk) -> None:
        self._boot_at = boot_at
        self._rendered = rendered
        self._disk = disk
        self._expires: datetime | None = None
        self._cap = boot_at + timedelta(hours=rendered.max_runtime_hours)
        self.session_id: str | None = None
        self.drain = False
        self.purpose: str | None = None
        self.idle_limit = timedelta(minutes=rendered.idle_minutes)
        self.ready_limit = timedelta(minutes=rendered.ready_deadline_minutes)

    @property
    def cap_at(self) -> datetime:
        return self._cap

    @property
    def lease_ends(self) -> datetime:
        """T: never past the cap; before the first answer the boot deadline."""
        return min(self._expires or self._boot_at + self.ready_limit, self._cap)

    @property
    def boot_deadline(self) -> datetime | None:
        """By when it must be ready; a set-up boot has only its lease."""
        if self.purpose == "setup":
            return None
        return self._boot_at + self.ready_limit

    def hear(self, answer: Answer, now: datetime) -> None:
        """Take a 200 answer; without an `expires_at` it changes nothing."""
        if answer.expires_at is None:
            return
        self._expires = now + (answer.expires_at - answer.now)
        self.drain = answer.drain
        self.purpose = answer.purpose
        self.idle_limit = timedelta(minutes=answer.idle_minutes)
        self.ready_limit = timedelta(minutes=answer.ready_deadline_minutes)
        self._lower_cap(answer)

    def _lower_cap(self, answer: Answer) -> None:
        hours = min(self._rendered.max_runtime_hours, answer.max_runtime_hours)
        cap = min(self._cap, self._boot_at + timedelta(hours=hours))
        self.session_id = answer.session_id
        if answer.session_id is not None:
            cap = min(cap, self._disk.caps.get(answer.session_id, cap))
            self._disk.caps[answer.session_id] = cap
        self._cap = cap
