"""What may go wrong now between the app and the world: the state that events change."""

import zlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum


class LedgerFault(StrEnum):
    """How the table fails while a spell lasts."""

    UNREACHABLE = "unreachable"
    READS = "reads"
    WRITES = "writes"
    MONEY = "money"
    LOST_ANSWERS = "lost_answers"


@dataclass(slots=True)
class Hazards:
    """Spells that are on; `seed` draws the small waits of every call.

    `arm_takes` is how many seconds a call to ARM takes beyond the usual.
    """

    seed: int
    ledger: set[LedgerFault] = field(default_factory=set)
    ledger_takes: float = 0.0
    arm_takes: float = 0.0
    views_late: timedelta = timedelta(0)
    app_away: bool = False
    ticks_lost: bool = False
    tick_late: float = 0.0
    ticks_at_once: int = 1
    guest_clock: dict[str, timedelta] = field(default_factory=dict)
    guest_idle: dict[str, float] = field(default_factory=dict)

    def small(self, at: datetime, what: str, most: float) -> float:
        """Draw a wait from an instant: what else is drawn does not change it."""
        drawn = zlib.crc32(f"{self.seed} {at.isoformat()} {what}".encode())
        return most * (drawn / 2**32)
