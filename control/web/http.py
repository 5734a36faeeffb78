"""Our own request and response values: plain data, and nothing of any host."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

NONE: Mapping[str, str] = MappingProxyType({})
SECURITY: Mapping[str, str] = MappingProxyType(
    {
        "Cache-Control": "no-store",
        "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What came in; header names are lower-cased, and nothing of it is ever shown."""

    method: str
    query: Mapping[str, str] = field(default=NONE, repr=False)
    headers: Mapping[str, str] = field(default=NONE, repr=False)
    params: Mapping[str, str] = field(default=NONE, repr=False)
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What goes out."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(default=b"", repr=False)


class Kind(StrEnum):
    """The kinds of answer that a caller may ask for."""

    JSON = "application/json"
    TEXT = "text/plain"
    CSV = "text/csv"


class Media(StrEnum):
    """The kinds of our files."""

    HTML = "text/html"
    STYLE = "text/css"
    SCRIPT = "text/javascript"
    MANIFEST = "application/manifest+json"
    PNG = "image/png"


def wanted(request: Request) -> Kind:
    """Return the first kind in `Accept` that we make; JSON where none is named."""
    for part in request.headers.get("accept", "").split(","):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        if name in Kind and "q=0" not in parameters:
            return Kind(name)
    return Kind.JSON


def json_response(
    status: int,
    document: Mapping[str, Any],
    headers: Mapping[str, str] = NONE,
    kind: str = Kind.JSON,
) -> Response:
    """Answer a document."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return _response(status, f"{text}\n", kind, headers)


def text_response(
    status: int,
    sentence: str,
    headers: Mapping[str, str] = NONE,
    kind: str = Kind.TEXT,
) -> Response:
    """Answer plain text."""
    return _response(status, f"{sentence}\n", f"{kind}; charset=utf-8", headers)


def file_response(body: bytes, kind: str, headers: Mapping[str, str]) -> Response:
    """Answer a file of ours."""
    whole = {**SECURITY, "Content-Type": kind, **headers}
    return Response(status=HTTPStatus.OK, headers=whole, body=body)


def empty_response(status: int, headers: Mapping[str, str] = NONE) -> Response:
    """Answer without a body."""
    return Response(status=status, headers={**SECURITY, **headers})


def headless(response: Response) -> Response:
    """Take the body off, for HEAD."""
    return Response(status=response.status, headers=response.headers)


def _response(
    status: int, text: str, kind: str, headers: Mapping[str, str]
) -> Response:
    whole = {**SECURITY, "Content-Type": kind, **headers}
    return Response(status=status, headers=whole, body=text.encode())
