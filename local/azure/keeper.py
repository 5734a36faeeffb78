"""The guest's lease keeper: the agent's own, on this Azure's clock.

The agent counts seconds since boot, and the guest has instants; nothing else is here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from agent import keeper
from agent.site import Limits


@dataclass(slots=True, kw_only=True)
class Disk:
    """What outlives a reboot: the cap of the session that the machine has known."""

    caps: dict[str, float] = field(default_factory=dict)


class Keeper:
    """One boot's deadlines."""

    def __init__(self, boot_at: datetime, rendered: Limits, disk: Disk) -> None:
        self._boot_at = boot_at
        self._rendered = rendered
        self._disk = disk
        self._keeper = keeper.Keeper(rendered, disk.caps)

    @property
    def drain(self) -> bool:
        return self._keeper.drain

    @property
    def purpose(self) -> str | None:
        return self._keeper.purpose

    @property
    def cap_at(self) -> datetime:
        return self._at(self._keeper.cap_at)

    @property
    def lease_ends(self) -> datetime:
        """T: never past the cap; before the first answer the boot deadline."""
        return self._at(self._keeper.lease_ends)

    @property
    def boot_deadline(self) -> datetime | None:
        """By when it must be ready; a set-up boot has only its lease."""
        deadline = self._keeper.boot_deadline
        return None if deadline is None else self._at(deadline)

    @property
    def idle_limit(self) -> timedelta:
        return timedelta(seconds=self._keeper.idle_limit)

    def hear(self, body: Mapping[str, Any], now: datetime) -> None:
        """Take a 200 answer; what can't be read changes nothing."""
        try:
            answer = keeper.read(body, self._rendered)
        except ValueError:
            return
        self._keeper.hear(answer, (now - self._boot_at).total_seconds())
        self._disk.caps = dict(self._keeper.caps)

    def _at(self, seconds: float) -> datetime:
        return self._boot_at + timedelta(seconds=seconds)
