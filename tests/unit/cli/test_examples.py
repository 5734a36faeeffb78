"""The examples of docs/messages.md: made by the code, and each is what it is for."""

import re
from string import Formatter

import pytest

from control.cli.examples import ANSWERS, PLACE, VIEWS
from control.said.book import Book
from control.said.status import Status
from control.web.states import State, state
from control.web.summaries import line


@pytest.mark.parametrize("member", Status)
def test_a_view_is_an_example_of_its_own_line(member: Status) -> None:
    """And every line has one."""
    assert line(VIEWS[member], PLACE).said is member


def test_every_state_has_an_example() -> None:
    """A new one must be listed."""
    assert {state(view) for view in VIEWS.values()} == set(State)


@pytest.mark.parametrize("member", ANSWERS)
def test_an_answer_is_an_example_of_its_own_sentence(member: Book) -> None:
    """Its words are there, with something in each part that has to be."""
    parts = Formatter().parse(member.sentence.words)
    pattern = "".join(
        re.escape(words) + (r"[^{}]*" if name else "") for words, name, _, _ in parts
    )
    assert re.fullmatch(pattern, ANSWERS[member])
