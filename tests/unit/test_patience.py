"""A run's limit in all: what its calls share."""

import threading
import time

import pytest

from control.azure.deadline import within
from control.patience import LEAST, left, patience


def test_without_a_run_a_call_has_its_own_limit() -> None:
    """The operator's command line has no run around it."""
    assert left(5) == 5


def test_calls_of_one_run_share_its_limit() -> None:
    """The second gets what the first has left, and the next run begins anew."""
    with patience(3):
        assert 2.9 < left(5) <= 3
        assert left(2) == 2
    assert left(5) == 5


def test_the_last_call_still_gets_a_second() -> None:
    """It may well be the deallocate."""
    with patience(0):
        assert left(5) == LEAST


def test_threads_do_not_share_a_run() -> None:
    """Two requests at once each have their own 8 seconds."""
    seen: list[float] = []
    with patience(1):
        thread = threading.Thread(target=lambda: seen.append(left(5)))
        thread.start()
        thread.join(5)
    assert seen == [5]


def test_a_call_to_azure_ends_with_the_patience_of_its_run() -> None:
    """An answer that would take 5 s is not waited for when 1 s is left."""
    never = threading.Event()
    began = time.monotonic()
    with patience(1), pytest.raises(TimeoutError):
        within(5, lambda _: never.wait(3))
    assert time.monotonic() - began < 2.5
    never.set()
