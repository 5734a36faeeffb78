"""The limit on a whole call."""

import threading

import pytest

from control.azure.deadline import Deadline, within


def test_what_a_call_returns_or_raises_comes_back() -> None:
    """In time, the thread in between does not show."""
    assert within(5, lambda _: 7) == 7
    with pytest.raises(ValueError, match="seven"):
        within(5, lambda _: int("seven"))


def test_a_call_that_takes_too_long_is_left() -> None:
    """The caller goes on, and the call can see that it was given up."""
    seen = list[bool]()
    end = threading.Event()
    looked = threading.Event()

    def call(deadline: Deadline) -> None:
        seen.append(deadline.passed)
        end.wait(10)
        seen.append(deadline.passed)
        looked.set()

    with pytest.raises(TimeoutError):
        within(0.05, call)
    end.set()
    assert looked.wait(5)
    assert seen == [False, True]
