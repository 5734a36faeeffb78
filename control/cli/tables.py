"""The parts of DESIGN.md that are made from the code: rows, diagram and refusals."""

import re
from collections.abc import Iterator
from pathlib import Path

from control.cli.error_table import error_table
from control.decide import HELD, NONE, RELEASING
from control.words import LeaseState

_TABLES = (
    (LeaseState.RELEASING, RELEASING),
    (LeaseState.HELD, HELD),
    (LeaseState.NONE, NONE),
)
_DESIGN = "DESIGN.md"
_ROW = re.compile(r"Row (\d+), ([^:]+): (.*)", re.DOTALL)


def rows() -> Iterator[tuple[int, LeaseState, str, str]]:
    """Yield number, lease state, decision and condition of each row, as they are tried.

    They come from the docstrings of the functions that are the rows.
    """
    for state, table in _TABLES:
        for row in table:
            found = _ROW.match(" ".join((row.__doc__ or "").split()))
            assert found, f"{row} does not say which row it is"
            yield int(found[1]), state, found[2], found[3]


def decision_table() -> str:
    """Return the table of rows in Markdown."""
    lines = ["| # | lease | when | decision |", "|---|---|---|---|"]
    lines += [
        f"| {number} | {state} | {when} | {decision} |"
        for number, state, decision, when in rows()
    ]
    return "\n".join(lines)


# Where a row leads when it moves a lease; tests hold this to what `decide` does.
LEADS_TO: dict[LeaseState, dict[LeaseState, tuple[str | int, ...]]] = {
    LeaseState.NONE: {
        LeaseState.HELD: ("a start is granted", 21),
        LeaseState.RELEASING: ("a person's stop", 19, 20),
    },
    LeaseState.HELD: {
        LeaseState.RELEASING: ("a person's stop", 5, 11, 12, 13, 14, 15),
        LeaseState.NONE: (6, 7, 8, 9, 10),
    },
    LeaseState.RELEASING: {LeaseState.NONE: (1, 2)},
}


def diagram() -> str:
    """Return the states of a lease as a Mermaid diagram."""
    lines = ["```mermaid", "stateDiagram-v2", "    [*] --> none"]
    for before, leads in LEADS_TO.items():
        for after, causes in leads.items():
            numbers = [str(cause) for cause in causes if isinstance(cause, int)]
            words = [cause for cause in causes if isinstance(cause, str)]
            named = f"row{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"
            label = "; ".join([*words, named])
            lines.append(f"    {before} --> {after}: {label}")
    return "\n".join([*lines, "```"])


def filled(design: str) -> str:
    """Return DESIGN.md's text with the parts between their marks made anew."""
    parts = {
        "diagram": diagram(),
        "rows": decision_table(),
        "refusals": error_table(),
    }
    for mark, part in parts.items():
        first, last = f"<!-- {mark} -->", f"<!-- /{mark} -->"
        before, _, rest = design.partition(first)
        design = f"{before}{first}\n{part}\n{last}{rest.partition(last)[2]}"
    return design


def stale(root: Path) -> tuple[str, ...]:
    """Return DESIGN.md's name when it is not as it would be made now."""
    design = (root / _DESIGN).read_text(encoding="utf-8")
    return () if filled(design) == design else (_DESIGN,)


def write(root: Path) -> None:
    """Make DESIGN.md's parts anew."""
    path = root / _DESIGN
    path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
