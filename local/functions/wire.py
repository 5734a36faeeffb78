"""HTTP as the Functions host hands it to Python and takes it back.

Names are lower-cased and repeats joined, empty query values are dropped, a body
arrives only with a Content-Length, and all but cookies collapses to one per name.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any
from urllib.parse import parse_qsl, unquote

from local.functions.messages import Message

type Headers = tuple[tuple[str, str], ...]

_SAME_SITE = {1: "lax", 2: "strict", 3: "none"}
_OWN = {"content-length", "transfer-encoding", "connection"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a client sent; `path` and `query` still percent-encoded."""

    method: str
    path: str
    query: str = ""
    headers: Iterable[tuple[str, str]] = ()
    body: bytes = b""
    host: str = "127.0.0.1"

    @property
    def route_path(self) -> str:
        """The path that routes see: decoded, but for an encoded slash."""
        pieces = re.split("(%2F)", self.path, flags=re.IGNORECASE)
        return "".join(
            piece if piece.upper() == "%2F" else unquote(piece) for piece in pieces
        )

    @property
    def joined_headers(self) -> dict[str, str]:
        return _joined((name.lower(), value) for name, value in self.headers)

    @property
    def joined_query(self) -> dict[str, str]:
        return _joined(parse_qsl(self.query))


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What the client gets."""

    status: int
    headers: Headers = ()
    body: bytes = b""

    @property
    def text(self) -> str:
        return self.body.decode()


def to_worker(request: Request, params: Mapping[str, str]) -> Message:
    """Build the worker's view of a request."""
    query = f"?{request.query}" if request.query else ""
    body = Message(bytes=request.body) if request.body else Message()
    return Message(
        http=Message(
            method=request.method,
            url=f"http://{request.host}{request.path}{query}",
            headers=request.joined_headers,
            query=request.joined_query,
            params=dict(params),
            body=body,
        )
    )


def from_worker(value: Any) -> Response:
    """Read the worker's answer: a response object, or a plain string."""
    if value.WhichOneof("data") == "string":
        plain = ("Content-Type", "text/plain; charset=utf-8")
        return Response(status=200, headers=(plain,), body=value.string.encode())
    http = value.http
    headers = [pair for pair in http.headers.items() if pair[0].lower() not in _OWN]
    cookies = [("Set-Cookie", _cookie(one)) for one in http.cookies or ()]
    return Response(
        status=int(http.status_code),
        headers=(*headers, *cookies),
        body=http.body.bytes,
    )


def _joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in pairs:
        if value:
            joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


def _cookie(cookie: Any) -> str:
    parts = [f"{cookie.name}={cookie.value}"]
    if cookie.expires:
        at = datetime.fromtimestamp(cookie.expires.value.seconds, UTC)
        parts.append(f"expires={format_datetime(at, usegmt=True)}")
    if cookie.max_age:
        parts.append(f"max-age={cookie.max_age.value:.0f}")
    parts += [
        f"{name}={text.value}"
        for name, text in (("domain", cookie.domain), ("path", cookie.path))
        if text and text.value
    ]
    if cookie.secure and cookie.secure.value:
        parts.append("secure")
    if cookie.same_site in _SAME_SITE:
        parts.append(f"samesite={_SAME_SITE[cookie.same_site]}")
    if cookie.http_only and cookie.http_only.value:
        parts.append("httponly")
    return "; ".join(parts)
