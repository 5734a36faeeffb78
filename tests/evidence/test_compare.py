"""The comparison itself can fail, in each of its ways."""

from typing import Any

import pytest

from tests.evidence.compare import Allowed, check_fields, codes

THEIRS = {"name": "x", "statuses": [{"code": "a", "level": 1}, {"code": "b"}]}


@pytest.mark.parametrize(
    ("ours", "allowed"),
    [
        ({"name": "x"}, Allowed()),
        ({**THEIRS, "more": None}, Allowed()),
        ({**THEIRS, "name": 1}, Allowed()),
        ({**THEIRS, "name": None}, Allowed()),
        ({**THEIRS, "statuses": [{"code": "a", "level": True}]}, Allowed()),
        (THEIRS, Allowed(lacks={"name": "not lacking"})),
        ({"name": "x"}, Allowed(lacks={"statuses": "its items are not named"})),
    ],
)
def test_a_difference_is_told(ours: Any, allowed: Allowed) -> None:
    """A field too few, too many, of another type, or allowed for nothing."""
    with pytest.raises(AssertionError):
        check_fields(ours, THEIRS, allowed)


def test_what_is_allowed_passes() -> None:
    """By its name, or by what it lies below."""
    check_fields(THEIRS, THEIRS)
    reason = "of no use here"
    lacks = {"statuses": reason, "statuses[]": reason}
    check_fields({"name": "x"}, THEIRS, Allowed(lacks=lacks))
    check_fields({**THEIRS, "name": 1}, THEIRS, Allowed(types={"name": reason}))


def test_codes_are_found_at_every_depth() -> None:
    """The outer ones first."""
    body = {"error": {"code": "A", "details": [{"code": "B"}, {"code": "C"}]}}
    assert codes(body) == ["A", "B", "C"]
