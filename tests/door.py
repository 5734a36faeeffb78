"""The way from a phone to the functions: it notes what passes, and can fail.

A phone's network and Azure's front do to requests what a test asks for here.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

_HOP_BY_HOP = {"connection", "transfer-encoding", "content-length", "keep-alive"}
_PAGE = b"<!doctype html><title>Azure</title><h1>Service Unavailable</h1>"


@dataclass(frozen=True, kw_only=True)
class Passed:
    """One request as the server saw it."""

    method: str
    target: str
    headers: dict[str, str]

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


@dataclass(frozen=True, kw_only=True)
class Failure:
    """What is done to requests of these paths: dropped, or answered with a page."""

    status: int | None
    paths: frozenset[str]
    times: list[int] = field(default_factory=list)

    def meets(self, path: str) -> bool:
        """Whether this request fails; counted where it is for some times only."""
        if self.paths and path not in self.paths:
            return False
        if not self.times:
            return True
        self.times[0] -= 1
        return self.times[0] >= 0


class Door:
    """Forwards to `upstream`; `url` is the phone's address."""

    def __init__(self, upstream: str) -> None:
        self.upstream = upstream
        self.url = ""
        self.passed: list[Passed] = []
        self.held = threading.Event()
        self.held.set()
        self._failures: list[Failure] = []
        self._client = httpx.Client(timeout=60, trust_env=False)

    def drop(self, *paths: str, times: int | None = None) -> None:
        """Close the connection without an answer; no path means all."""
        self._fail(None, paths, times)

    def page(self, status: int, *paths: str, times: int | None = None) -> None:
        """Answer with a page of Azure's instead."""
        self._fail(status, paths, times)

    def heal(self) -> None:
        """Let everything through again."""
        self._failures.clear()
        self.held.set()

    def posts(self, path: str) -> int:
        """Count the POSTs to a path."""
        return len(self.of("POST", path))

    @property
    def asked(self) -> list[Passed]:
        """What was asked of the switch with a token; not the page's files."""
        return [one for one in list(self.passed) if "Authorization" in one.headers]

    def of(self, method: str, path: str) -> list[Passed]:
        found = [one for one in list(self.passed) if one.method == method]
        return [one for one in found if one.path == path]

    def failing(self, path: str) -> Failure | None:
        return next((one for one in self._failures if one.meets(path)), None)

    def forward(self, passed: Passed, body: bytes) -> httpx.Response:
        headers = {
            name: value
            for name, value in passed.headers.items()
            if name.lower() not in {*_HOP_BY_HOP, "host", "accept-encoding"}
        }
        return self._client.request(
            passed.method,
            f"{self.upstream}{passed.target}",
            headers=headers,
            content=body,
        )

    def close(self) -> None:
        self._client.close()

    def _fail(
        self, status: int | None, paths: tuple[str, ...], times: int | None
    ) -> None:
        left = [times] if times is not None else []
        self._failures.append(
            Failure(status=status, paths=frozenset(paths), times=left)
        )


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    door: Door

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        passed = Passed(
            method=self.command, target=self.path, headers=dict(self.headers.items())
        )
        self.door.passed.append(passed)
        if passed.path == "/status":
            self.door.held.wait(30)
        failure = self.door.failing(passed.path)
        if failure is not None and failure.status is None:
            self.close_connection = True
            return
        if failure is not None:
            self._send(failure.status or 0, {"Content-Type": "text/html"}, _PAGE)
            return
        try:
            answer = self.door.forward(passed, body)
        except httpx.HTTPError:
            self._send(502, {"Content-Type": "text/html"}, _PAGE)
            return
        self._send(answer.status_code, dict(answer.headers), answer.content)

    do_GET = _serve  # noqa: N815 - the base class's name
    do_POST = _serve  # noqa: N815 - the same

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in _HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        try:
            self.wfile.write(body)
        except ConnectionError:  # the phone has gone away
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name
        """Say nothing: `passed` has it all."""


@contextmanager
def opened(upstream: str) -> Iterator[Door]:
    """Open a door to the functions on a free port."""
    door = Door(upstream)
    handler = type("Handler", (_Handler,), {"door": door})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    door.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=[0.05])
    thread.start()
    try:
        yield door
    finally:
        door.held.set()
        server.shutdown()
        server.server_close()
        thread.join()
        door.close()
