"""Loopback HTTP listeners: HTTP/1.1 keep-alive, with or without TLS."""

import contextlib
import socket
import ssl
import struct
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from local.azure.wire import Reply, Request
from local.certificate import Certificate

type Handle = Callable[[Request], Reply]

_METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
_RESET = struct.pack("ii", 1, 0)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    timeout = 60
    server: "_Server"

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            super().handle()

    def version_string(self) -> str:
        return "Microsoft-HTTPAPI/2.0"

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            super().finish()

    def log_message(self, *_: Any) -> None:
        """Say nothing: the request log of the local Azure is the place to look."""

    def serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(length)
        request = Request.of(self.command, self.path, headers, body)
        base = f"{self.server.scheme}://{headers.get('host', self.server.authority)}"
        self._send(self.server.answer(replace(request, base=base)))

    def _send(self, reply: Reply) -> None:
        if reply.hang_up:
            self._reset()
            return
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def _reset(self) -> None:
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.server.forget(self.connection)
        socket.socket.close(self.connection)


for _method in _METHODS:
    setattr(_Handler, f"do_{_method}", _Handler.serve)


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 64

    def __init__(self, port: int, answer: Handle, tls: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answer = answer
        self._tls = tls
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        self.scheme = "https" if tls else "http"
        self.authority = f"127.0.0.1:{self.server_address[1]}"

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Shake hands in the connection's own thread, never in the acceptor's."""
        request.settimeout(_Handler.timeout)
        connection = self._secured(request)
        if connection is None:
            return
        with self._guard:
            self._open.add(connection)
        try:
            super().finish_request(connection, client_address)
        finally:
            self.forget(connection)
            connection.close()

    def _secured(self, request: Any) -> Any:
        if self._tls is None:
            return request
        with contextlib.suppress(OSError):
            return self._tls.wrap_socket(request, server_side=True)
        return None

    def forget(self, connection: socket.socket) -> None:
        with self._guard:
            self._open.discard(connection)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error of ours; all else is shown."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def cut(self) -> None:
        """Close the connections that clients keep alive."""
        with self._guard:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


class Listener:
    """One port on 127.0.0.1; answers from construction until `close`."""

    def __init__(
        self, answer: Handle, certificate: Certificate | None, port: int = 0
    ) -> None:
        tls = _context(certificate) if certificate else None
        self._server = _Server(port, answer, tls)
        self.url = f"{self._server.scheme}://{self._server.authority}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}
        )
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def close(self) -> None:
        """Stop accepting, cut what is open, wait for the threads."""
        self._server.shutdown()
        self._thread.join()
        self._server.cut()
        self._server.server_close()


def _context(certificate: Certificate) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.certificate, certificate.key)
    return context
