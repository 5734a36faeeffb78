"""Programs of the system, run without a shell and within a deadline."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence

from agent.errors import AgentError

_LONGEST_SAID = 300


class Deadline:
    """The instant by which a verb must be done, on the monotonic clock."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left, never below 0."""
        return max(self._end - time.monotonic(), 0.0)


def succeeds(
    arguments: Sequence[str],
    deadline: Deadline,
    environ: Mapping[str, str] | None = None,
) -> bool:
    """Run a program, with more environment, and return whether it ended well."""
    return _run(arguments, deadline, environ).returncode == 0


def output(arguments: Sequence[str], deadline: Deadline) -> str:
    """Run a program that must end well, and return what it printed."""
    done = _run(arguments, deadline)
    if done.returncode != 0:
        said = " ".join(done.stderr.split())[-_LONGEST_SAID:]
        called = " ".join(arguments)
        raise AgentError(f"`{called}` ended with {done.returncode}: {said}")
    return done.stdout


def _run(
    arguments: Sequence[str],
    deadline: Deadline,
    environ: Mapping[str, str] | None = None,
) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(
            arguments,
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=dict(os.environ, **(environ or {})),
            text=True,
            timeout=deadline.left,
        )
    except subprocess.TimeoutExpired:
        raise AgentError(f"`{arguments[0]}` was not done in time.") from None
    except OSError as error:
        raise AgentError(f"`{arguments[0]}` can't be run: {error.strerror}.") from None
