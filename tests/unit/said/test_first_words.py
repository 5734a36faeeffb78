"""The first words of every answer carry the outcome: a Shortcut shows nothing else."""

import re

import pytest

from control.cli.messages import shown
from control.said.answers import Answer
from control.said.book import Book
from control.said.problems import Detail
from control.said.refusals import Refused
from control.said.status import Status

NOT = re.compile(
    r"Not (done|started|extended|confirmed|paired|allowed|found|healthy): |Failed"
)
NOT_STOPPED = re.compile(r"Not stopped( yet)?: ")
# How a machine is, or what was done, in the first sentence or word.
DONE = re.compile(
    r"(Asked|Starting|On already|Already asked for|Already off|Off now|Stopping"
    r"|Extended|Locked|Unlocked|Healthy|Taken)\b[.,:]?|Code for "
)
LISTS = {Answer.SESSIONS, Answer.SESSION, Answer.SESSION_OPEN}
LISTS |= {Answer.DEVICES, Answer.NO_DEVICES}
IS = re.compile(
    r"(Off|On|Starting|Stopping|Loading|Waiting|Broken|Silent|Unknown|Shut down)\b"
)


@pytest.mark.parametrize("member", [*Detail, *Refused], ids=str)
def test_what_was_not_done_begins_so(member: Book) -> None:
    """`Not started: ...` and its like, or that it failed."""
    assert NOT.match(shown(member)), shown(member)


@pytest.mark.parametrize("member", [each for each in Answer if each not in LISTS])
def test_what_was_done_begins_with_it(member: Answer) -> None:
    """A stop that did not reach Azure is no refusal, and says so first all the same."""
    said = shown(member)
    assert not NOT.match(said)
    assert DONE.match(said) or NOT_STOPPED.match(said), said


@pytest.mark.parametrize("member", Status)
def test_a_status_begins_with_how_it_is(member: Status) -> None:
    """One word, before anything about money or time."""
    assert IS.match(shown(member)), shown(member)
