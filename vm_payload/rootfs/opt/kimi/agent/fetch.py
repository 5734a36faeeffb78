"""One file from a source to its place: ranges side by side, hashed in order.

It grows beside its place and is renamed when its digest is right: what stands at its
place was right when it came.
"""

import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from agent.errors import AgentError
from agent.manifest import File, Hash
from agent.ranges import Source, read

PART = ".part"
_BLOCK = 8 * 2**20


class WrongError(AgentError):
    """What came has another digest than the manifest's."""


@dataclass(frozen=True)
class Width:
    """How many ranges of a file are read at once, and how long each is."""

    connections: int = 4
    size: int = 8 * 2**20


def fetch(source: Source, file: File, folder: Path, width: Width = Width()) -> None:
    """Bring a file; go on where an earlier attempt was cut off.

    Raises:
        WrongError: the digest is another one; nothing of it is kept.
        AgentError: the source does not give it; what came is kept.
    """
    place = folder / file.path
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(place.name + PART)
    digest = file.hasher()
    with part.open("a+b") as out:
        begun = _resumed(out.fileno(), file, digest)
        for chunk in _chunks(source, file, begun, width):
            digest.update(chunk)
            out.write(chunk)
        out.flush()
        os.fsync(out.fileno())
    if digest.hexdigest() != file.digest:
        part.unlink()
        raise WrongError(f"{file.path} came from {source.name} with wrong bytes.")
    part.replace(place)


def is_right(file: File, folder: Path) -> bool:
    """Whether a file stands at its place with the right bytes, all of them read."""
    place = folder / file.path
    try:
        if place.is_symlink() or place.stat().st_size != file.size:
            return False
        digest = file.hasher()
        with place.open("rb", buffering=0) as content:
            _feed(content.fileno(), digest, file.size)
    except OSError:
        return False
    return digest.hexdigest() == file.digest


def _resumed(handle: int, file: File, digest: Hash) -> int:
    """Hash what is there of a file that was cut off; what is too long starts anew."""
    there = os.fstat(handle).st_size
    if there > file.size:
        os.ftruncate(handle, 0)
        there = 0
    os.lseek(handle, 0, os.SEEK_SET)
    _feed(handle, digest, there)
    return there


def _feed(handle: int, digest: Hash, size: int) -> None:
    while size > 0:
        block = os.read(handle, min(size, _BLOCK))
        if not block:
            raise OSError("the file became shorter")
        digest.update(block)
        size -= len(block)


def _chunks(
    source: Source, file: File, begun: int, width: Width
) -> Iterator[bytearray]:
    """Yield the rest of a file in order, with so many ranges on their way."""
    starts = iter(range(begun, file.size, width.size))
    pool = ThreadPoolExecutor(width.connections)
    waiting: deque[Future[bytearray]] = deque()

    def ask_for_next() -> None:
        start = next(starts, None)
        if start is not None:
            size = min(width.size, file.size - start)
            waiting.append(pool.submit(read, source, file, start, size))

    try:
        for _ in range(width.connections + 1):
            ask_for_next()
        while waiting:
            chunk = waiting.popleft().result()
            ask_for_next()
            yield chunk
    finally:
        pool.shutdown(cancel_futures=True)
