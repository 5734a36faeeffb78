"""docs/faults.md, made from the catalogue: `python -m local.docs [--check]`."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from local.azure.faults.catalogue import GROUPS
from local.offer import Offer
from local.wanted import LEDGER

_FILE = Path(__file__).parents[1] / "docs" / "faults.md"
_HEAD = """\
# Faults

What Azure was seen or reported to do wrong, as the local Azure can do it. Made from the
code by `python -m local.docs`.

`make demo FAULT=allocation_failed` switches one on for the whole demo, and
`FAULT="conflict:times=2 budget_nan"` several; `times` says for how many calls. What
stands in brackets shapes the fault: `FAULT=throttled_by_arm:seconds=60`. A test writes
`azure.faults.arm("throttled_by_arm", times=2, seconds=60)`; there a fault meets one
call unless `times` says otherwise, None for all.
"""
_LEDGER = """\
A proxy before Azurite does these (`local/tables`). `on=reads` or `on=writes` leaves the
other calls alone; `taken` lets a write be made all the same, `inside` puts the refusal
into a transaction's own answer. A test writes
`world.proxy.faults.arm("answer_lost", on=batches("lease"))`.
"""


def faults() -> str:
    """Return the list in Markdown."""
    return "\n".join([_HEAD, *_lines()])


def _lines() -> Iterator[str]:
    for title, offers in GROUPS.items():
        yield from _group(title, offers)
    yield from _group("The ledger's Table Storage", LEDGER, _LEDGER)


def _group(
    title: str, offers: Mapping[str, Offer[Any]], about: str = ""
) -> Iterator[str]:
    yield from (f"## {title}", "", *([about] if about else []))
    yield from ("| fault | what Azure does |", "|---|---|")
    for name, offer in offers.items():
        yield f"| `{name}`{_usual(offer)} | {offer.does} |"
    yield ""


def _usual(offer: Offer[Any]) -> str:
    pairs = [f"{name}={value}" for name, value in offer.usual.items()]
    return f" ({', '.join(pairs)})" if pairs else ""


def main() -> int:
    """Write the file, or with `--check` say whether it is as it would be made."""
    parser = argparse.ArgumentParser(prog="local.docs", description=__doc__)
    parser.add_argument("--check", action="store_true")
    if not parser.parse_args().check:
        _FILE.write_text(faults(), encoding="utf-8")
        return 0
    if _FILE.read_text(encoding="utf-8") == faults():
        return 0
    print("docs/faults.md is stale: run `python -m local.docs`.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
