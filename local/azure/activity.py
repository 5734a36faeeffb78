"""What the served model does: requests, connections, tokens, and since when nothing."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """The guest's gauges; None is a gauge that cannot be read."""

    requests_running: int | None = 0
    requests_waiting: int | None = 0
    open_connections: int | None = 0
    prompt_tokens_total: int | None = 0
    generation_tokens_total: int | None = 0
    since: datetime | None = None
    idle_known: bool = True

    @property
    def busy(self) -> bool:
        gauges = (self.requests_running, self.requests_waiting, self.open_connections)
        return any(gauges)

    def idle_from(self, ready: datetime) -> datetime:
        """The last thing that held the machine: the first ready, or activity since."""
        return max(ready, self.since) if self.since else ready

    def idle_seconds(self, ready: datetime, now: datetime) -> int | None:
        if not self.idle_known:
            return None
        if self.busy:
            return 0
        return max(0, int((now - self.idle_from(ready)).total_seconds()))
