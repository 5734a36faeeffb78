"""A scripted HTTPS server: it answers what a test tells it, and keeps what it got."""

import json
import ssl
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from azure.core.credentials import AccessToken

from local.certificate import Certificate

BEARER = "bearer-of-the-test"


class Credential:
    """Gives one token for every scope and keeps the scopes; it may be slow."""

    def __init__(self, slow: threading.Event | None = None) -> None:
        self.scopes: list[str] = []
        self._slow = slow

    def get_token(self, *scopes: str, **_: Any) -> AccessToken:
        self.scopes += scopes
        if self._slow is not None:
            self._slow.wait(20)
        return AccessToken(BEARER, 9_999_999_999)


@dataclass(frozen=True, slots=True, kw_only=True)
class Got:
    """A request as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer to send; `hang` waits first, `drip` sends its body by the byte."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    hang_up: bool = False
    drip: bool = False


class Stub:
    """Answers in the order they were told; the last goes on until there is more."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.got: list[Got] = []
        self.over = threading.Event()
        self._answers = deque[Answer]()
        self._worn = False

    def tell(
        self,
        status: int = 200,
        body: Any = b"",
        headers: Mapping[str, str] | None = None,
        **how: bool,
    ) -> None:
        """Add an answer; anything but text and bytes is sent as JSON."""
        kind = {"Content-Type": "application/json"}
        if isinstance(body, str):
            body, kind = body.encode(), {"Content-Type": "text/html"}
        elif not isinstance(body, bytes):
            body = json.dumps(body).encode()
        sent = {**(kind if body else {}), **(headers or {})}
        if self._worn:
            self._answers.clear()
            self._worn = False
        self._answers.append(Answer(status=status, body=body, headers=sent, **how))

    def take(self, got: Got) -> Answer:
        self.got.append(got)
        if len(self._answers) > 1:
            return self._answers.popleft()
        self._worn = True
        return self._answers[0]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    stub: Stub

    def handle_error(self, *_: Any) -> None:
        """Say nothing: clients of these tests hang up on purpose."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def handle_one_request(self) -> None:
        with suppress(OSError):
            super().handle_one_request()

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        got = Got(method=self.command, path=self.path, headers=headers, body=body)
        answer = self.server.stub.take(got)
        if answer.hang_up:
            self.close_connection = True
            self.connection.close()
            return
        self._send(answer)

    def _send(self, answer: Answer) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if not answer.drip:
            self.wfile.write(answer.body)
            return
        for byte in answer.body:
            self.wfile.write(bytes([byte]))
            if self.server.stub.over.wait(0.2):
                return

    do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815 - the server's names


@contextmanager
def serve(certificate: Certificate) -> Iterator[Stub]:
    """Serve a stub on a free port of 127.0.0.1."""
    server = _Server(("127.0.0.1", 0), _Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.certificate, certificate.key)
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    server.stub = Stub(f"https://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.stub
    finally:
        server.stub.over.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
