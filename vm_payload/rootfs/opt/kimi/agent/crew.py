"""Many processes at one kind of work: one hashes 1.5 GB/s, its threads share that."""

import multiprocessing
import os
from collections.abc import Callable, Collection
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, wait

from agent.errors import AgentError
from agent.manifest import File

_MOST = 16
_TICK = 1.0

Work = Callable[[File], None]
# What is said of a file: nothing where all is well, else why it failed.
Said = dict[File, str]


def each(work: Work, files: Collection[File], tell: Callable[[Said], None]) -> Said:
    """Do a piece of work for each file, the largest first.

    Args:
        work: what a process does for a file; picklable, bounded, and it may raise
            AgentError or OSError.
        files: for which.
        tell: what is called each second, with what was said so far.

    Returns:
        What was said of the files that failed.
    """
    if not files:
        return {}
    context = multiprocessing.get_context("spawn")
    processes = min(_MOST, max((os.cpu_count() or 1) // 2, 1), len(files))
    said: Said = {}
    try:
        with ProcessPoolExecutor(processes, mp_context=context) as pool:
            ordered = sorted(files, key=lambda file: -file.size)
            going = {pool.submit(_done, work, file): file for file in ordered}
            waiting = set(going)
            while waiting:
                done, waiting = wait(waiting, timeout=_TICK)
                said |= {going[future]: future.result() for future in done}
                tell(said)
    except BrokenExecutor:
        raise AgentError("a process at work on the weights was killed.") from None
    return {file: why for file, why in said.items() if why}


def _done(work: Work, file: File) -> str:
    """Do it, and say why it failed."""
    try:
        work(file)
    except AgentError as error:
        return str(error)
    except OSError as error:
        return f"it can't be read or written: {error.strerror or error}"
    return ""
