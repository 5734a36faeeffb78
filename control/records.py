"""The ledger's plain records: totals, reports, passes of the timer, and `meta`."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from control.model import Quote, Report
from control.words import Unreported


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """What the closed sessions of one machine cost in one month (yyyy-mm, UTC)."""

    month: str
    cost: Decimal = Decimal(0)
    billed_seconds: int = 0
    sessions: int = 0
    currency: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """Azure's highest figure for each window of its budget, and the newest one.

    `problem` is why there was none when it was last asked for.
    """

    highest: tuple[Report, ...] = ()
    newest: Report | None = None
    asked_at: datetime | None = None
    problem: Unreported | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """The newest quote of the Retail Prices API, and when it was last asked."""

    newest: Quote | None = None
    asked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One pass of the timer; `failed` names the machines whose run failed."""

    at: datetime
    failed: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """What makes the ledger's spend believable; made by `control ledger init`."""

    schema_version: int
    carried_over: Decimal
    made_at: datetime
