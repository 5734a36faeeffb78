"""One HTTP request with one limit for all of it: no redirect, no proxy, no retry.

A socket's own timeout starts anew with each byte, and looking a name up has none; so
the exchange runs in a thread that is given up when the time is over.
"""

import http.client
import json
import queue
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from agent.errors import Passing

_LARGEST = 16 * 2**20
_BUSY = {408, 429}
_FAILED = 500


def is_passing(status: int) -> bool:
    """Whether the same request may be answered well soon."""
    return status in _BUSY or status >= _FAILED


def waits(said: str | None) -> float | None:
    """Return the seconds of a Retry-After; None where it names none."""
    return float(said) if said and said.isdecimal() else None


@dataclass(frozen=True)
class Reply:
    """What came back; header names are lower case."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    def json(self) -> dict[str, Any]:
        """Return the body, or an empty object where it is none."""
        try:
            read = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return read if isinstance(read, dict) else {}

    @property
    def after(self) -> float | None:
        """The seconds of a Retry-After."""
        return waits(self.headers.get("retry-after"))

    @property
    def passing(self) -> bool:
        """Whether the same request may be answered well soon."""
        return is_passing(self.status)


@dataclass(frozen=True, kw_only=True)
class Request:
    """A method, an absolute URL, and what is sent with it."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


def ask(request: Request, seconds: float) -> Reply:
    """Send one request and return the answer, whatever its status.

    Raises:
        Passing: there was none within so many seconds.
    """
    answer: queue.SimpleQueue[Reply | Exception] = queue.SimpleQueue()
    threading.Thread(target=_into, args=(answer, request, seconds), daemon=True).start()
    try:
        got = answer.get(timeout=seconds)
    except queue.Empty:
        got = TimeoutError(f"no answer in {seconds:.0f} s")
    if isinstance(got, Exception):
        # What http.client can't send it quotes, be it a token.
        why = type(got).__name__ if isinstance(got, ValueError) else got
        raise Passing(f"{_host(request.url)} can't be reached ({why}).")
    return got


def connect(url: str, seconds: float) -> http.client.HTTPConnection:
    """Return a connection to a URL's host, which is opened at its first request."""
    parts = urlsplit(url)
    if parts.scheme == "http":
        return http.client.HTTPConnection(parts.netloc, timeout=seconds)
    context = ssl.create_default_context()
    return http.client.HTTPSConnection(parts.netloc, timeout=seconds, context=context)


def target(url: str) -> str:
    """Return what stands in the request line for a URL."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def bearer(token: str) -> dict[str, str]:
    """Return the header that carries a token."""
    return {"Authorization": f"Bearer {token}"}


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or url
    except ValueError:
        return url


def _into(
    answer: "queue.SimpleQueue[Reply | Exception]", request: Request, seconds: float
) -> None:
    try:
        answer.put(_exchange(request, seconds))
    except (OSError, http.client.HTTPException, ValueError) as error:
        answer.put(error)


def _exchange(request: Request, seconds: float) -> Reply:
    connection = connect(request.url, seconds)
    try:
        connection.request(
            request.method,
            target(request.url),
            body=request.body,
            headers=dict(request.headers),
        )
        got = connection.getresponse()
        headers = {name.lower(): value for name, value in got.getheaders()}
        return Reply(status=got.status, body=got.read(_LARGEST), headers=headers)
    finally:
        connection.close()
