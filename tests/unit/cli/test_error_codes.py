"""The list of codes is whole, and each stands in it once."""

import pytest

from control.azure import faults
from control.cli.error_codes import MET, Way
from control.words import Fault


def test_every_code_that_the_adapters_know_is_listed() -> None:
    """A code that `classify` names has a line, in some way."""
    listed = {code.lower() for met in MET for code in (met.code, *met.inner) if code}
    assert (set(faults._CERTAIN) | faults._BUSY) - listed == set()


def test_every_class_is_met_and_no_line_stands_twice() -> None:
    """A class that no code leads to would be a word without a meaning."""
    assert {met.fault for met in MET} == set(Fault)
    assert len(set(MET)) == len(MET)


def test_only_the_end_of_a_start_has_no_status() -> None:
    """An operation answers 200 when it failed; all else is an answer of HTTP."""
    assert all((met.status is None) == (met.way is Way.RESULT) for met in MET)
    assert {met.way for met in MET} == set(Way)


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("exceeding approved … Cores quota", Fault.QUOTA),
        ("another operation is in progress", Fault.CONFLICT),
        ("marked for deletion", Fault.OTHER),
    ],
)
def test_the_text_tells_where_the_code_does_not(said: str, fault: Fault) -> None:
    """`OperationNotAllowed` has several lines, of several classes."""
    (met,) = (each for each in MET if each.said == said and each.way is Way.START)
    assert (met.status, met.code, met.fault) == (409, "OperationNotAllowed", fault)
