"""Compute's rate limits: a bucket for each machine, and the headers that tell of them.

A bucket refuses what it holds no token for; the headers' two windows are the older
way of counting, which Azure still sends.
"""

import math
from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

_SHORT = timedelta(minutes=3)
_LONG = timedelta(minutes=30)
_MINUTE = timedelta(minutes=1) // timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A pair of windows by name with what each allows, and a machine's bucket.

    `refill` is in tokens a minute; `burst` is how many it can hold.
    """

    name: str
    short: int
    long: int
    refill: int
    burst: int


UPDATE = Bucket(name="UpdateVM", short=240, long=1200, refill=4, burst=12)
DELETE = Bucket(name="DeleteVM", short=240, long=1200, refill=4, burst=12)
READ = Bucket(name="LowCostGet", short=4000, long=32000, refill=12, burst=36)
POLL = Bucket(name="GetOperation", short=15000, long=30000, refill=15, burst=45)
BUCKETS = {each.name: each for each in (UPDATE, DELETE, READ, POLL)}


def _minutes(microseconds: int) -> Fraction:
    return Fraction(microseconds, _MINUTE)


class Limits:
    """Counts calls, tells what remains and says who has to wait."""

    def __init__(self) -> None:
        self._used: dict[str, deque[datetime]] = {}
        self._held: dict[tuple[str, str], tuple[Fraction, datetime]] = {}

    def wait(self, bucket: Bucket, machine: str, now: datetime) -> int | None:
        """Take a token of a machine's bucket, or say for how many seconds it lasts."""
        key = bucket.name, machine
        held, since = self._held.get(key, (Fraction(bucket.burst), now))
        passed = max(0, (now - since) // timedelta(microseconds=1))
        held = min(Fraction(bucket.burst), held + bucket.refill * _minutes(passed))
        if held < 1:
            self._held[key] = held, max(now, since)
            return math.ceil((1 - held) * 60 / bucket.refill)
        self._held[key] = held - 1, max(now, since)
        return None

    def hold(self, bucket: Bucket, machine: str, tokens: int, now: datetime) -> None:
        """Let a machine's bucket hold so many tokens now: others have used it."""
        self._held[bucket.name, machine] = Fraction(tokens), now

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
