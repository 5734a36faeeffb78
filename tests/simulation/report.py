"""What many lives came to, in a table for people."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from control.rules import money
from tests.simulation.life import Result
from tests.unit.builders import PRICE


@dataclass(slots=True)
class Sums:
    """Everything that is summed over lives, and the worst of each with its seed."""

    lives: int = 0
    days: float = 0.0
    ticks: int = 0
    skipped: int = 0
    injected: Counter[str] = field(default_factory=Counter)
    billed: float = 0.0
    ledger: float = 0.0
    overshoot: tuple[float, int, tuple[str, ...]] = (0.0, 0, ())
    unseen: tuple[float, int] = (0.0, 0)
    lost: tuple[float, int] = (0.0, 0)
    over: tuple[float, int] = (0.0, 0)

    def add(self, result: Result) -> None:
        """Take one life in."""
        seed = result.plan.setting.seed
        self.lives += 1
        self.days += result.plan.setting.days
        self.ticks += result.ticks
        self.skipped += result.skipped
        self.injected.update(result.injected)
        worst = result.worst
        self.overshoot = max(self.overshoot, (worst.seconds, seed, worst.during))
        if result.account is not None:
            account = result.account
            self.billed += account.billed
            self.ledger += account.ledger
            known = account.blind + account.free
            self.unseen = max(self.unseen, (account.unseen, seed))
            self.lost = max(self.lost, (account.unseen - known, seed))
            self.over = max(self.over, (account.over, seed))


def usd(seconds: float) -> Decimal:
    """Return what so many seconds cost."""
    return money.cents(PRICE * Decimal(seconds) / 3600)


def lines(sums: Sums, took: float) -> Iterable[str]:
    """Yield the report line by line; `took` is in real seconds."""
    whole = sums.ticks + sums.skipped
    yield f"{sums.lives} lives, {sums.days:.0f} days simulated in {took:.0f} s"
    yield (
        f"{whole} ticks, {sums.ticks} of them run ({sums.ticks / max(took, 1):.0f} "
        f"a second), {sums.skipped} proven idle and skipped"
    )
    yield (
        f"Azure billed {sums.billed / 3600:.1f} h, the ledger has "
        f"{sums.ledger / 3600:.1f} h"
    )
    yield _worst("longest that a machine billed past its end", *sums.overshoot[:2])
    if sums.overshoot[2]:
        yield f"    while on: {', '.join(sums.overshoot[2])}"
    yield _worst("most in one life that Azure billed and no session has", *sums.unseen)
    yield _worst("the same, while somebody could look", *sums.lost)
    yield _worst(
        "most in one life that sessions have and Azure did not bill", *sums.over
    )
    yield f"{sum(sums.injected.values())} happenings of {len(sums.injected)} kinds:"
    for name, count in sorted(sums.injected.items(), key=lambda each: -each[1]):
        yield f"    {count:6d}  {name}"


def _worst(what: str, seconds: float, seed: int) -> str:
    return f"{what}: {seconds:.0f} s, {usd(seconds)} USD (seed {seed})"
