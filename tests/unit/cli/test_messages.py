"""docs/messages.md: every sentence, made from the code and never stale."""

from pathlib import Path

import pytest

from control.cli import messages
from control.said.book import Book
from control.said.notices import TITLES
from control.said.problems import PROBLEMS
from control.web.states import State
from control.words import Fault, Limit, Phase, StopReason

ROOT = Path(__file__).parents[3]


def test_the_document_is_current() -> None:
    """`python -m control docs` was run after the last change of a sentence."""
    assert messages.stale(ROOT) == ()


def test_a_stale_or_missing_document_is_named_and_made(tmp_path: Path) -> None:
    """Which `docs --check` ends with 1 for."""
    (tmp_path / "docs").mkdir()
    assert messages.stale(tmp_path) == ("docs/messages.md",)
    messages.write(tmp_path)
    assert messages.stale(tmp_path) == ()
    path = tmp_path / "docs/messages.md"
    path.write_text(path.read_text().replace("Off since", "Off from"))
    assert messages.stale(tmp_path) == ("docs/messages.md",)


@pytest.mark.parametrize("book", messages.BOOKS)
def test_every_sentence_stands_in_it_with_when_and_what_to_do(book: type[Book]) -> None:
    """Each in a row of its own."""
    rows = messages.markdown().splitlines()
    for member in book:
        end = messages._line(messages._row(member)).removeprefix("|")
        assert any(row.endswith(end) for row in rows), member


@pytest.mark.parametrize(
    "words", [PROBLEMS, TITLES, State, StopReason, Phase, Fault, Limit]
)
def test_every_word_of_the_json_stands_in_it(words: object) -> None:
    """A problem, an event, a state, a reason, a phase, a cause and a limit."""
    made = messages.markdown()
    assert isinstance(words, type | dict) or hasattr(words, "keys")
    for word in words:  # type: ignore[attr-defined] # mappings and enums alike
        assert f"`{word}`" in made
