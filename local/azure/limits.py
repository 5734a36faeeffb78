"""The rate-limit headers that Compute sends: what is left of two windows."""

from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta

_SHORT = timedelta(minutes=3)
_LONG = timedelta(minutes=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A pair of windows by name, and how much each of them allows."""

    name: str
    short: int
    long: int


UPDATE = Bucket(name="UpdateVM", short=240, long=1200)
DELETE = Bucket(name="DeleteVM", short=240, long=1200)
READ = Bucket(name="LowCostGet", short=4000, long=32000)
POLL = Bucket(name="GetOperation", short=15000, long=30000)


class Limits:
    """Counts calls and tells what remains; it refuses nothing by itself."""

    def __init__(self) -> None:
        self._used: dict[str, deque[datetime]] = {}

    def use(self, bucket: Bucket, now: datetime) -> dict[str, str]:
        """Take one and give the header."""
        used = self._used.setdefault(bucket.name, deque())
        used.append(now)
        while used[0] <= now - _LONG:
            used.popleft()
        recent = sum(1 for at in used if at > now - _SHORT)
        left = (
            f"Microsoft.Compute/{bucket.name}3Min;{bucket.short - recent},"
            f"Microsoft.Compute/{bucket.name}30Min;{bucket.long - len(used)}"
        )
        return {"x-ms-ratelimit-remaining-resource": left}
