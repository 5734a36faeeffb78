"""What `make mutants` left alive: the score, and every survivor that nobody explained.

A survivor is a small change of the code that no test noticed. Here stand those that
change nothing that anybody could notice, each with why; DESIGN.md speaks of them.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

ROOT = Path("mutants")
_SURVIVED = 0
_KILLED = frozenset({1, 3})

# By function, a piece of the changed line, and why it is all the same.
EXPLAINED: Mapping[tuple[str, str], str] = {
    ("decide.x__adopt_released", "replace(made, lease=lease, session=session, )"): (
        "the notice of an adoption comes with the release's own"
    ),
    ("ledger.xǁLedgerǁsessions", "if (after) or True"): (
        "a key that sorts before all sessions begins with the first of them"
    ),
    ("ledger.xǁLedgerǁsessions", '"XXXX"'): (
        "a key that sorts before all sessions begins with the first of them"
    ),
    ("ledger.xǁLedgerǁnote_once", "at, 1, entry.event"): (
        "a microsecond in the order of lines that begin at once"
    ),
    ("decide.x__rows", "assert_never(None)"): "a line never reached",
    ("ledger.xǁLedgerǁinitialise", "kept = None"): (
        "an insert of what is there reads it all the same"
    ),
    ("decide.x__adopt_and_release", "adopt(case, None, reason)"): (
        "the row of the release is the one that is shown"
    ),
    ("ledger.x__readable", "row.key, None)"): "the words of a line in a log",
    ("ledger.x__readable", "XX%s/%s"): "the words of a line in a log",
    ("requests.x_start", "lease=made.lease, session=None)"): (
        "without a lease there is no session"
    ),
    ("requests.x_start", "lease=made.lease, )"): "without a lease there is no session",
    ("requests.x_furthest", "if (case.session) or True"): "a held lease has a session",
    ("requests.x_extend", "lease=None, session=made.session"): (
        "how far it may go hangs on the session"
    ),
    ("requests.x_extend", "replace(case, session=made.session)"): (
        "how far it may go hangs on the session"
    ),
    ("decide.x__send_deallocate", 'adopted = ""'): "as good as none",
    ("ledger.xǁLedgerǁcommit", "secrets.token_hex("): "any mark that is random",
    ("ledger.xǁLedgerǁcommit", "XXanother run"): "the words of an error in a log",
    ("ledger.xǁLedgerǁ_session_writes", "XXa closed"): "the words of an error in a log",
    ("ledger.xǁLedgerǁ_session_writes", "kind=None"): (
        "Azurite refuses it: the state machine of tests/contract kills it"
    ),
    ("ledger.xǁLedgerǁ_total_writes", "kind=None"): (
        "Azurite refuses it: the state machine of tests/contract kills it"
    ),
    ("ledger.xǁLedgerǁ_total_writes", "Total(month=None)"): "its month is set below",
    ("rules.evidence.x__without_what_was_not_allocated", "recounted=None"): (
        "as good as False"
    ),
    ("rules.leases.x_adopted", "provisional=None"): "as good as False",
    ("rules.leases.x__closed_session", "provisional=None"): "as good as False",
    ("rules.leases.x__end", "entry.at < case.now"): (
        "the reading is of this very instant then"
    ),
    ("rules.sight.x__missing", "reading=None, power"): "each field is set below",
    ("rules.sight.x__missing", "power=None, power_since"): "each field is set below",
    ("rules.sight.x__missing", "power_since=None"): "each field is set below",
    ("rules.sight.x__missing", "last_run_at=None"): "each field is set below",
    ("rules.starts.x_learn", "if (outcome) or True"): "it had no outcome before",
    ("rules.starts.x_capacity_retry_at", "- 1, 9)"): "8 minutes are the longest wait",
    ("spend.x__added", "- cost"): "sums of sums: the sign is turned twice",
    ("spend.x__within", "return sum(inside, )"): "a sum of none is zero either way",
    ("spend.xǁSpendingǁread", "for machine in machines), )"): (
        "a sum of none is zero either way"
    ),
    ("rules.held.x__ending_reason", "assert_never(None)"): "a line never reached",
    ("rules.held.x__idle_for", "if (case.session) or True"): (
        "a held lease has a session"
    ),
    ("rules.leases.x__problem", "start is None and start.outcome"): (
        "a start without an outcome has no fault"
    ),
    ("rules.deadlines.x_at_adoption", "found.insert(1,"): (
        "which of two limits at the very same instant is named"
    ),
    ("rules.held.x__idle_for", "return 1.0"): "a second of 30 minutes",
    ("rules.money.x_seconds", "span / timedelta"): "the same number, as a float",
    ("rules.money.x_next_month", "days=33"): "any day of the month after",
    ("rules.money.x_budget_end", "remaining < 0"): "nothing left lasts no time",
    ("rules.money.x_price", "price_per_hour < 0"): (
        "a price of zero is more than three times away"
    ),
}


def survivors() -> Iterator[tuple[str, str]]:
    """Yield the name of each and the line as it was changed."""
    diff_of = import_module("mutmut.__main__").get_diff_for_mutant
    for path, name, code in _verdicts():
        if code == _SURVIVED:
            diff = diff_of(name, path=path).splitlines()
            changed = [
                line for line in diff if line[:1] in "+-" and line[:3] not in _HEAD
            ]
            yield name.removeprefix("control."), "\n".join(changed)


_HEAD = frozenset({"+++", "---"})


def _verdicts() -> Iterator[tuple[Path, str, int | None]]:
    for meta in sorted(ROOT.glob("control/**/*.meta")):
        path = meta.relative_to(ROOT).with_suffix("")
        whole = json.loads(meta.read_text(encoding="utf-8"))
        for name, code in whole["exit_code_by_key"].items():
            yield path, name, code


def explained(name: str, changed: str) -> bool:
    """Whether this very change is explained."""
    function = name.rpartition("__mutmut_")[0]
    return any(of == function and piece in changed for of, piece in EXPLAINED)


def table() -> str:
    """Return what is explained, in Markdown."""
    lines = ["| where | what is changed | why nobody can notice |", "|---|---|---|"]
    for (function, piece), why in EXPLAINED.items():
        where = function.replace("xǁ", "").replace("ǁ", ".").replace(".x_", ".")
        lines.append(f"| `{where}` | `{piece.replace('|', chr(92) + '|')}` | {why} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Print the score and the unexplained; 1 where there are any."""
    codes = Counter(code for *_, code in _verdicts())
    killed = sum(codes[code] for code in _KILLED)
    ran = sum(count for code, count in codes.items() if code is not None)
    left = list(survivors())
    unexplained = [each for each in left if not explained(*each)]
    for name, changed in unexplained:
        print(f"{name}\n{changed}\n")
    print(
        f"{ran} mutants, {killed} killed ({killed / max(ran, 1):.1%}), "
        f"{len(left)} survived, {len(unexplained)} of them unexplained"
    )
    return 1 if unexplained or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
