"""The host's HTTP front on loopback, with the admin route that runs a timer by hand."""

import errno
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from local.functions.host import MASTER_KEY, FunctionFailed, Host
from local.functions.wire import Request, Response
from local.ports import ADDRESS, PortInUse

_BODY_LIMIT = 100 * 1024 * 1024
_ADMIN = "/admin/functions/"
_BODILESS = {204, 304}

_log = logging.getLogger("host.server")


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A listening front."""

    url: str
    port: int


class _Listener(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "Kestrel"
    sys_version = ""
    timeout = 130
    disable_nagle_algorithm = True

    def __init__(self, host: Host, *arguments: object) -> None:
        self._host = host
        super().__init__(*arguments)  # type: ignore[arg-type]

    def serve(self) -> None:
        try:
            body = self._body()
        except ValueError:
            self.close_connection = True
            self._send(Response(status=413))
            return
        path, _, query = self.path.partition("?")
        request = Request(
            method=self.command,
            path=path,
            query=query,
            headers=self.headers.items(),
            body=body,
            host=self.headers.get("Host", ADDRESS),
        )
        if path.startswith(_ADMIN):
            self._send(_administer(self._host, request))
        else:
            self._send(self._host.answer(request))

    def _body(self) -> bytes:
        """Read what was sent; without a Content-Length Python gets nothing of it."""
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            self._skip_chunks()
            return b""
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= _BODY_LIMIT:
            raise ValueError("too large")
        return self.rfile.read(length)

    def _skip_chunks(self) -> None:
        while length := int(self.rfile.readline(1024).split(b";")[0], 16):
            if length > _BODY_LIMIT:
                raise ValueError("too large")
            self.rfile.read(length + 2)
        while self.rfile.readline(65536).strip():
            pass

    def _send(self, response: Response) -> None:
        bodiless = response.status in _BODILESS
        self.send_response(response.status)
        for name, value in response.headers:
            self.send_header(name, value)
        if not bodiless:
            self.send_header("Content-Length", str(len(response.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        hidden = bodiless or self.command == "HEAD"
        self.end_headers()
        if not hidden:
            self.wfile.write(response.body)

    def log_message(self, form: str, *values: object) -> None:
        _log.debug(form, *values)


for _method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
    setattr(_Handler, f"do_{_method}", _Handler.serve)


@contextmanager
def serve(host: Host, port: int = 0) -> Iterator[Server]:
    """Listen on loopback until the block ends; port 0 takes a free one."""
    try:
        listener = _Listener((ADDRESS, port), partial(_Handler, host))
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise PortInUse(port) from error
    thread = threading.Thread(target=listener.serve_forever, args=[0.05], daemon=True)
    thread.start()
    try:
        taken = listener.server_port
        yield Server(url=f"http://{ADDRESS}:{taken}", port=taken)
    finally:
        listener.shutdown()
        listener.server_close()


def _administer(host: Host, request: Request) -> Response:
    """Run a timer by hand: 202 at once, or with `?wait=true` 200 after its end."""
    if request.joined_headers.get("x-functions-key") != MASTER_KEY:
        return Response(status=401)
    name = request.path.removeprefix(_ADMIN)
    if name not in host.timers or request.method != "POST":
        return Response(status=404)
    if request.joined_query.get("wait") != "true":
        threading.Thread(target=_try, args=[host, name], daemon=True).start()
        return Response(status=202)
    failure = _try(host, name)
    status = 500 if failure else 200
    return Response(status=status, body=failure.encode())


def _try(host: Host, name: str) -> str:
    try:
        host.tick(name)
    except FunctionFailed as failure:
        return str(failure)
    return ""
