"""`make sim SEEDS=1..500 DAYS=30`: lives many lives, and says what they came to."""

import argparse
import sys
import time
from collections.abc import Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from tests.simulation import keeping
from tests.simulation.life import Result
from tests.simulation.report import Sums, lines
from tests.simulation.shrinking import lived


def story(result: Result, days: float) -> Iterator[str]:
    """Say what broke, how to repeat it, and what happened."""
    seed = result.plan.setting.seed
    yield f"seed {seed}: {result.broken}"
    yield f"    repeat it: make sim SEEDS={seed}..{seed} DAYS={days:g}"
    for line in result.log:
        yield f"    {line}"


def main() -> int:
    """Return 1 where an invariant broke in any life."""
    parser = argparse.ArgumentParser(prog="make sim", description=__doc__)
    parser.add_argument("--seeds", default="1..20", help="such as 1..500")
    parser.add_argument("--days", type=float, default=30)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="keep failing plans")
    asked = parser.parse_args()
    first, _, last = asked.seeds.partition("..")
    seeds = range(int(first), int(last or first) + 1)
    sums, failed, began = Sums(), 0, time.monotonic()
    with get_context("spawn").Pool(asked.workers, maxtasksperchild=20) as pool:
        for result in pool.imap(partial(lived, days=asked.days), seeds):
            sums.add(result)
            if result.broken is not None:
                failed += 1
                print("\n".join(story(result, asked.days)), flush=True)
                _keep(result, keep=asked.keep)
    print("\n".join(lines(sums, time.monotonic() - began)))
    print(f"{failed} of {len(seeds)} lives broke an invariant")
    return 1 if failed else 0


def _keep(result: Result, *, keep: bool) -> None:
    assert result.broken is not None
    if not keep:
        return
    name = result.broken.invariant.replace(" ", "-")
    path = Path(keeping.FOLDER) / f"{name}-{result.plan.setting.seed}.json"
    path.write_text(keeping.written(result.plan), encoding="utf-8")
    print(f"    kept as {path.name}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
