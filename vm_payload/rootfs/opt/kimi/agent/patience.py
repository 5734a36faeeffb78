"""Trying again what may well succeed soon, within a deadline."""

import threading
from collections.abc import Callable
from typing import TypeVar

from agent.command import Deadline
from agent.errors import Passing

_FIRST = 1.0
_LONGEST = 10.0

T = TypeVar("T")


def patiently(attempt: Callable[[], T], deadline: Deadline) -> T:
    """Repeat an attempt after 1, 2, 4, 8, 10... seconds, or as it is told to.

    Raises:
        Passing: what the last attempt raised, where no time is left for another.
    """
    pause = _FIRST
    while True:
        try:
            return attempt()
        except Passing as error:
            wait = min(error.after or pause, _LONGEST)
            if wait >= deadline.left:
                raise
            threading.Event().wait(wait)
            pause = min(pause * 2, _LONGEST)
