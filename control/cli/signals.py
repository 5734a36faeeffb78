"""What would end a command that must not end by itself: noted, and never raised."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def noted() -> Iterator[list[int]]:
    """Note what would end the command: Ctrl-C, a kill, a closed terminal.

    An exception that a handler raises is lost where it meets a destructor, and what
    was opened or made would stay; a second signal must not cut its end short either.
    """
    signals: list[int] = []

    def note(number: int, _: object) -> None:
        signals.append(number)

    before = {each: signal.signal(each, note) for each in _ENDS}
    try:
        yield signals
    finally:
        for each, usual in before.items():
            signal.signal(each, usual)
