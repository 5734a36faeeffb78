"""One HTTP request and one reply as values: what every service takes and gives."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

JSON = "application/json; charset=utf-8"
_TICKS = "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request as read from the socket; header names are lower case."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    base: str = ""

    @classmethod
    def of(
        cls, method: str, target: str, headers: Mapping[str, str], body: bytes = b""
    ) -> "Request":
        """Read a request target such as `/a?b=c`."""
        parts = urlsplit(target)
        return cls(
            method=method,
            path=parts.path,
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers=headers,
            body=body,
        )

    @property
    def bearer(self) -> str | None:
        """The bearer token, where there is one."""
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        return token if scheme.lower() == "bearer" and token else None

    def json(self) -> Any:
        """The body as JSON; an empty body is an empty object."""
        return json.loads(self.body) if self.body else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer; `hang_up` closes the connection instead of sending it."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    hang_up: bool = False

    def with_headers(self, headers: Mapping[str, str]) -> "Reply":
        return replace(self, headers={**self.headers, **headers})

    def json(self) -> Any:
        """The body as JSON; an empty body is None."""
        return json.loads(self.body) if self.body else None


HANG_UP = Reply(status=0, hang_up=True)


def json_reply(
    status: int, body: Any, headers: Mapping[str, str] | None = None
) -> Reply:
    """An answer that carries JSON (NaN too: Azure's budgets have sent it)."""
    return Reply(
        status=status,
        headers={"Content-Type": JSON, **(headers or {})},
        body=json.dumps(body).encode(),
    )


def error_reply(
    status: int, code: str, message: str, headers: Mapping[str, str] | None = None
) -> Reply:
    """Azure's usual error: `{"error": {"code", "message"}}`."""
    return json_reply(status, {"error": {"code": code, "message": message}}, headers)


def stamp(at: datetime) -> str:
    """An instant as Compute writes it: seven digits and an offset."""
    text = at.strftime("%Y-%m-%dT%H:%M:%S.%f") + _TICKS
    return text + at.strftime("%:z")


def zulu(at: datetime) -> str:
    """An instant as most other services write it."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
