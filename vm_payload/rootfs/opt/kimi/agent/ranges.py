"""Bytes of a file on a server, by range, over connections that stay open.

A source says where a path is and what to send along; that is all that differs between
Azure Blob and Hugging Face.
"""

import http.client
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from agent.command import Deadline
from agent.errors import AgentError, Passing
from agent.manifest import File
from agent.patience import patiently
from agent.web import connect, is_passing, target, waits

# One read of the network may take so long, one range with all its repeats so long.
_QUIET = 20.0
_PATIENCE = 120.0
_WHOLE, _PARTIAL = 200, 206
_STALE = {401, 403}
_kept = threading.local()


class MissingError(AgentError):
    """The source has no such file, or it is not the one that is meant."""


@dataclass(frozen=True)
class Place:
    """Where a file is: its URL, and the headers that it takes."""

    url: str
    headers: Mapping[str, str]


class Source(Protocol):
    """Where files come from."""

    @property
    def name(self) -> str:
        """Return its name, for people."""
        ...

    def place(self, path: str, *, fresh: bool) -> Place:
        """Return where a path is; `fresh` asks for permission anew."""
        ...


def read(source: Source, file: File, start: int, size: int) -> bytearray:
    """Return `size` bytes of a file from `start` on.

    Raises:
        MissingError: the source has no such file, or one of another size.
        AgentError: the source gives nothing, however often it is asked.
    """
    buffer = bytearray(size)
    refused = False

    def attempt() -> None:
        nonlocal refused
        place = source.place(file.path, fresh=refused)
        with _connected(place.url) as connection:
            reply = _asked(connection, place, start, size)
            if reply.status in _STALE and not refused:
                refused = True
                raise Passing(f"{source.name} refused once.", 0.01)
            _check(reply, source, file, start, size)
            _fill(reply, buffer)

    patiently(attempt, Deadline(_PATIENCE))
    return buffer


class _connected:  # noqa: N801 - it reads like a function in a `with`
    """This thread's connection to a host; closed by whatever goes wrong with it."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host = parts.netloc
        kept = _kept.__dict__.setdefault("connections", {})
        key = (parts.scheme, parts.netloc)
        self._connection: http.client.HTTPConnection = kept.setdefault(
            key, connect(url, _QUIET)
        )

    def __enter__(self) -> http.client.HTTPConnection:
        return self._connection

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if error is None:
            return
        self._connection.close()
        if isinstance(error, (OSError, http.client.HTTPException)):
            said = str(error) or type(error).__name__
            raise Passing(f"{self._host} broke off ({said}).") from None


def _asked(
    connection: http.client.HTTPConnection, place: Place, start: int, size: int
) -> http.client.HTTPResponse:
    wanted = {"Range": f"bytes={start}-{start + size - 1}"}
    connection.request("GET", target(place.url), headers={**place.headers, **wanted})
    return connection.getresponse()


def _check(
    reply: http.client.HTTPResponse, source: Source, file: File, start: int, size: int
) -> None:
    """Take exactly the range that was asked for, of a file of the right size."""
    whole = reply.status == _WHOLE and (start, size) == (0, file.size)
    if whole and reply.length == size:
        return
    if reply.status == _PARTIAL:
        told = reply.headers.get("Content-Range", "")
        if told == f"bytes {start}-{start + size - 1}/{file.size}":
            return
        raise MissingError(f"{source.name} has {file.path} in another size ({told}).")
    if is_passing(reply.status):
        said = f"{source.name} is busy ({reply.status})."
        raise Passing(said, waits(reply.headers.get("Retry-After")))
    raise MissingError(f"{source.name} does not give {file.path} ({reply.status}).")


def _fill(reply: http.client.HTTPResponse, buffer: bytearray) -> None:
    left = memoryview(buffer)
    deadline = Deadline(_PATIENCE)
    while left:
        count = reply.readinto(left)
        if not count or not deadline.left:
            raise http.client.IncompleteRead(b"", len(left))
        left = left[count:]
