"""docs/messages.md: every sentence that a person can be told, made from the code."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from control.cli.examples import ANSWERS, NOW, PLACE, VIEWS, ZONE
from control.said.answers import Added, Answer
from control.said.book import Book
from control.said.ends import Cause, Ended, Stage
from control.said.figures import Figure
from control.said.journal import Line
from control.said.notices import TITLES, Notice
from control.said.page import Headline, Page
from control.said.pairing import Pairing
from control.said.problems import PROBLEMS, Detail
from control.said.reasons import Reason
from control.said.refusals import Refused, Rule
from control.said.status import TROUBLES, Aside, Status
from control.said.wrong import Wrong
from control.web.phrases import told
from control.web.states import state
from control.web.summaries import summary

PLACED = "docs/messages.md"
_HEAD = """\
# Messages

Every sentence that a phone, a Shortcut, a page or a notice can show: when it appears,
and what to do then. The first words carry the outcome, because a Shortcut hides the
status. A call with `Accept: text/plain` gets the sentence alone; in JSON the same one
is `summary`, or `detail` where it was not done. Names, times (in `TIME_ZONE`) and
amounts are examples; where there are several machines, the machine's name stands behind
the first words.

The ledger is the record of costs: one line for each session. The operator is who set
the switch up, the owner is who pays.

Made from `control/said` by `python -m control docs`.
"""

type Table = tuple[str, str, Iterable[tuple[str, ...]]]


def markdown() -> str:
    """Return docs/messages.md."""
    return "\n".join([_HEAD, *(_table(*table) for table in _tables())])


def shown(member: Book) -> str:
    """Return a sentence as its reader sees it, by the code that says it."""
    if isinstance(member, Status):
        return summary(VIEWS[member], PLACE)
    if member in ANSWERS:
        return ANSWERS[member]
    sentence = member.sentence
    form: Callable[[object], object] = partial(told, now=NOW, zone=ZONE)
    return member.of(**sentence.example).text(form)


def _tables() -> Iterator[Table]:
    yield "How a machine is", "state", _stated()
    yield "Added to it, or in its place", "", _rows(Aside)
    yield "The word `problem` in JSON", "problem", _troubles()
    yield "How far a boot has come", "phase", _named(Stage)
    yield "Why a session ended", "stop_reason", _named(Ended)
    yield "What came of a request", "", _rows(Answer)
    yield "Added to that", "", _rows(Added)
    yield "Problems: what was not done", "problem", _problems()
    yield "What is wrong with a field (`bad-body`, `bad-query`)", "", _rows(Wrong)
    yield "Which limit forbids an extend (`beyond-limit`)", "limited_by", _named(Rule)
    yield "Why a start failed (`start-failed`, notices)", "cause", _named(Cause)
    yield "Why Azure's own figure is unknown (`reported_problem`)", "", _rows(Figure)
    yield "Notices", "notice", _notices()
    yield "Other reasons (notices, `start-failed`, the journal)", "", _rows(Reason)
    yield "Lines of a session's journal (operators)", "", _rows(Line)
    yield "The page's large word", "", _rows(Headline)
    yield "The two pages", "", _rows(Page)
    yield "Pairing a phone", "", _rows(Pairing)


BOOKS: tuple[type[Book], ...] = (
    *(Status, Aside, Stage, Ended, Answer, Added, Refused, Detail, Wrong, Rule, Cause),
    *(Figure, Notice, Reason, Line, Headline, Page, Pairing),
)


def _row(member: Book, *first: str) -> tuple[str, ...]:
    return *first, shown(member).strip(), member.sentence.when, member.sentence.do


def _rows(book: type[Book]) -> Iterator[tuple[str, ...]]:
    return (_row(member) for member in book)


def _named(book: type[Book]) -> Iterator[tuple[str, ...]]:
    return (_row(member, f"`{member.name.lower()}`") for member in book)


def _stated() -> Iterator[tuple[str, ...]]:
    return (_row(member, f"`{state(VIEWS[member])}`") for member in Status)


def _troubles() -> Iterator[tuple[str, ...]]:
    return (_row(member, f"`{word}`") for word, member in TROUBLES.items())


def _notices() -> Iterator[tuple[str, ...]]:
    for member in Notice:
        event = member.sentence.slug
        yield _row(member, f"`{event}`: {TITLES[event]}")


def _problems() -> Iterator[tuple[str, ...]]:
    details: tuple[Book, ...] = (*Refused, *Detail)
    for slug, (status, title) in PROBLEMS.items():
        for member in details:
            if member.sentence.slug == slug:
                yield _row(member, f"`{slug}` {status}: {title}")


def _table(title: str, first: str, rows: Iterable[tuple[str, ...]]) -> str:
    head = [*([first] if first else []), "sentence", "when", "what to do"]
    lines = [f"## {title}", "", _line(head), _line(["---"] * len(head))]
    return "\n".join([*lines, *(_line(row) for row in rows), ""])


def _line(cells: Iterable[str]) -> str:
    """Return a row; what Markdown would take for its own is escaped."""
    escaped = (cell.replace("|", "&#124;").replace("<", "&lt;") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def stale(root: Path) -> tuple[str, ...]:
    """Return the document's name when it is not as it would be made now."""
    path = root / PLACED
    made = path.read_text(encoding="utf-8") if path.exists() else ""
    return () if made == markdown() else (PLACED,)


def write(root: Path) -> None:
    """Make the document."""
    (root / PLACED).write_text(markdown(), encoding="utf-8")
