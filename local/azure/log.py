"""What was asked of the local Azure: tests count it, the demo shows it."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from local.azure.routing import VAULT, Call, Kind
from local.azure.wire import Reply, Request

_SECRET_HEADERS = frozenset({"authorization", "x-identity-header"})
_HIDDEN = "<redacted>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request and its status (0: the connection was closed unanswered)."""

    at: datetime
    service: str
    kind: Kind
    target: str
    caller: str
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: str
    status: int


class RequestLog:
    """Every request in order of arrival, and those that no route knows."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._seen: list[Seen] = []
        self._unknown: list[str] = []

    @property
    def seen(self) -> list[Seen]:
        with self._guard:
            return list(self._seen)

    @property
    def unknown(self) -> list[str]:
        with self._guard:
            return list(self._unknown)

    def add(self, call: Call, reply: Reply) -> None:
        with self._guard:
            self._seen.append(_entry(call, reply))

    def add_unknown(self, service: str, request: Request) -> None:
        with self._guard:
            self._unknown.append(f"{service}: {request.method} {request.path}")

    def of(
        self, *kinds: Kind, target: str | None = None, caller: str | None = None
    ) -> list[Seen]:
        """The requests of these kinds (none named: all), of and by whom."""
        return [
            entry
            for entry in self.seen
            if (not kinds or entry.kind in kinds)
            and target in (None, entry.target)
            and caller in (None, entry.caller)
        ]

    def clear(self) -> None:
        with self._guard:
            self._seen.clear()
            self._unknown.clear()


def _entry(call: Call, reply: Reply) -> Seen:
    request = call.request
    text = request.body.decode(errors="replace")
    body = _HIDDEN if call.kind in VAULT and text else text
    return Seen(
        at=call.at,
        service=call.service,
        kind=call.kind,
        target=call.target,
        caller=call.caller,
        method=request.method,
        path=request.path,
        query=request.query,
        headers={
            name: _HIDDEN if name in _SECRET_HEADERS else value
            for name, value in request.headers.items()
        },
        body=body,
        status=reply.status,
    )
