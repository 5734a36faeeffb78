"""Every sentence is in a book, listed, whole, short and free of our own words."""

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import control.said
from control import viewing
from control.act import _URGENT
from control.cli.messages import BOOKS, shown
from control.said.answers import Added
from control.said.book import Book
from control.said.ends import Cause, Ended, Stage
from control.said.journal import Line
from control.said.notices import TITLES, Notice
from control.said.page import Page
from control.said.problems import Detail
from control.said.reasons import Reason
from control.said.refusals import Rule
from control.said.status import TROUBLES, Aside
from control.said.wrong import Wrong
from control.web import states
from control.words import Fault, Limit, Phase, StopReason

CONTROL = Path(__file__).parents[3] / "control"
MEMBERS: list[Book] = [member for book in BOOKS for member in book]
# What stands in the middle of another sentence.
PARTS = (Aside, Added, Rule, Stage, Wrong)
FRAGMENTS = {
    Page.THE_MACHINE,
    Reason.OTHER_MACHINES,
    Reason.GOT_AS_FAR_AS,
    Reason.OUTSIDE,
}
# It names the words of the JSON, which an operator asked for.
NAMES_WORDS = {Wrong.NO_REASON}


def fields(member: Book) -> set[str]:
    parsed = Formatter().parse(member.sentence.words)
    return {name for _, name, _, _ in parsed if name}


def name_of(member: Book) -> str:
    return f"{type(member).__name__}.{member.name}"


def test_every_book_is_listed() -> None:
    """A new one must be in docs/messages.md."""
    modules = [
        importlib.import_module(f"control.said.{module.name}")
        for module in pkgutil.iter_modules(control.said.__path__)
    ]
    found = {
        kind
        for module in modules
        for kind in vars(module).values()
        if inspect.isclass(kind) and issubclass(kind, Book) and kind is not Book
    }
    assert found == set(BOOKS)


@pytest.mark.parametrize("book", BOOKS)
def test_no_sentence_stands_twice_in_a_book(book: type[Book]) -> None:
    """The second of two equal ones would be the first by another name."""
    assert len(book.__members__) == len(list(book))


@pytest.mark.parametrize("member", MEMBERS, ids=name_of)
def test_a_sentence_is_fit_to_be_spoken(member: Book) -> None:
    """Whole, at most 200 characters, with no word or name of our own making."""
    said, sentence = shown(member), member.sentence
    assert 0 < len(said) <= 200
    assert not re.search(r"\d\dZ|\bNone\b|\{\w", said)
    assert "_" not in said or member in {*NAMES_WORDS, Detail.NOT_SET_UP}
    if not isinstance(member, Line):
        assert not re.search(r"\b(lease|etag|arm|deallocate)\b", sentence.words.lower())
    if not isinstance(member, PARTS) and member not in FRAGMENTS:
        assert re.match(r"[A-Z0-9+]|vm-kimi-01 |idle: ", said)
    assert sentence.when.endswith(".")
    assert sentence.do.endswith(".")


@pytest.mark.parametrize(
    ("book", "words"),
    [
        (Ended, StopReason),
        (Cause, Fault),
        (Stage, Phase),
        (Rule, Limit),
    ],
)
def test_every_word_has_its_sentence(
    book: type[Book], words: type[StopReason | Fault | Phase | Limit]
) -> None:
    """By its name, so that none can be without."""
    assert list(book.__members__) == list(words.__members__)


def test_every_limit_but_the_asked_one_is_added_to_a_start() -> None:
    """What was asked for needs no reason."""
    assert {limit.name for limit in Limit} - {"ASKED"} <= Added.__members__.keys()


def test_every_notice_has_a_title_and_every_event_a_notice() -> None:
    """Those that the code sends, too."""
    assert {member.sentence.slug for member in Notice} == TITLES.keys()
    sent = {
        keyword.value.value
        for call in calls("Notify")
        for keyword in call.keywords
        if keyword.arg == "event" and isinstance(keyword.value, ast.Constant)
    }
    assert sent == TITLES.keys()


def test_every_urgent_fault_has_its_alarm() -> None:
    """And none of them needs more than the machine's name."""
    assert {fault.name for fault in _URGENT} <= Notice.__members__.keys()
    for name in (*(fault.name for fault in _URGENT), "REFUSED"):
        assert fields(Notice[name]) == {"machine"}


def test_every_word_of_trouble_is_told() -> None:
    """`problem` in the JSON of a status: the words that the two functions make."""
    source = inspect.getsource(viewing._problems) + inspect.getsource(states.problem)
    code = re.sub(r'""".*?"""', "", source, flags=re.DOTALL)
    made = set(re.findall(r'"([a-z-]+)"', code)) - {"failed"}
    blind = {"ledger-unverified"}
    assert made | blind == TROUBLES.keys()


def trees() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(CONTROL.rglob("*.py")):
        yield path, ast.parse(path.read_text())


def calls(name: str) -> Iterator[ast.Call]:
    nodes = (node for _, tree in trees() for node in ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == name:
            yield node


def test_a_sentence_is_said_with_the_parts_that_it_has() -> None:
    """A part that is forgotten would be a fault at the worst moment."""
    books = {book.__name__: book for book in BOOKS} | {
        "Said": next(book for book in BOOKS if book.__name__ == "Answer"),
        "Told": Notice,
    }
    seen = 0
    for path, tree in trees():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not is_saying(node):
                continue
            assert isinstance(node.func, ast.Attribute)
            member = node.func.value
            if isinstance(member, ast.Attribute) and isinstance(member.value, ast.Name):
                book = books.get(member.value.id)
                if book is None:
                    continue
                given = {keyword.arg for keyword in node.keywords}
                assert given == fields(book[member.attr]), (path.name, node.lineno)
                seen += 1
    assert seen > 100


def is_saying(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr in {"say", "of"}


# Modules that say nothing to a phone: settings, commands, adapters, rows.
SILENT = {
    *("settings.py", "settings_docs.py", "settings_forms.py", "settings_report.py"),
    *("settings_table.py", "__main__.py", "errors.py", "csv.py", "notices.py"),
    *("codec.py", "ledger.py", "prices.py", "composition.py", "openapi.py"),
}
SILENT_FOLDERS = {
    *("said", "cli", "deployment", "package", "payload"),
    *("azure", "memory"),
}
# What takes words that no phone is shown: logs, errors of ours, the contract.
DEAF = {"Field", "Route", "debug", "info", "warning", "error", "exception"}
SENTENCE = re.compile(r"[A-Za-z']{2,},? [a-z]{2,}")


def test_no_sentence_stands_outside_the_books() -> None:
    """What is shown comes from a book, so that it is listed in docs/messages.md."""
    found = []
    for path, tree in trees():
        inside = path.relative_to(CONTROL)
        if inside.parts[0] in SILENT_FOLDERS or path.name in SILENT:
            continue
        deaf = set(deaf_strings(tree))
        found += [
            f"{inside}:{node.lineno}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and SENTENCE.search(visible(node.value))
            and id(node) not in deaf
        ]
    assert found == []


def visible(text: str) -> str:
    """Return what might be shown: no policy, no header, no code of the page."""
    unseen = ("default-src", "public, max-age", "export const")
    return "" if text.startswith(unseen) else text


def deaf_strings(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in DEAF or name.endswith(("Error", "Conflict", "Unreadable")):
                yield from strings(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield id(node.value)


def strings(node: ast.AST) -> Iterator[int]:
    return (id(child) for child in ast.walk(node) if isinstance(child, ast.Constant))
