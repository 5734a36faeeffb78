"""The way of every request: route, faults, answer, log; unknown routes get 501."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from local.azure.faults.armed import Faults
from local.azure.log import RequestLog
from local.azure.routing import Call, Kind, Route
from local.azure.wire import Reply, Request, error_reply


class Clock(Protocol):
    """What the local Azure needs of a clock."""

    def now(self) -> datetime:
        """Return the instant, aware UTC."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What all fronts of one local Azure share."""

    clock: Clock
    lock: threading.RLock
    log: RequestLog
    faults: Faults
    settle: Callable[[datetime], None]
    caller: Callable[[str | None], str]


class Front:
    """One service's counter: it finds the route and lets the faults come between."""

    def __init__(self, name: str, routes: Sequence[Route], ground: Ground) -> None:
        self._name = name
        self._routes = routes
        self._ground = ground

    def handle(self, request: Request, at: datetime | None = None) -> Reply:
        """Answer now, or as of `at` where a guest acts in the past of a jump."""
        found = self._find(request, at)
        if found is None:
            self._ground.log.add_unknown(self._name, request)
            text = f"{request.method} {request.path} is unknown to the local Azure"
            return error_reply(501, "NotImplemented", text)
        chosen, call = found
        if call.kind is Kind.ADMIN:
            return chosen.answer(call)
        reply = self._ground.faults.through(call, lambda: self._take(chosen, call))
        self._ground.log.add(call, reply)
        return reply

    def _take(self, chosen: Route, call: Call) -> Reply:
        with self._ground.lock:
            self._ground.settle(call.at)
            return chosen.answer(call)

    def _find(self, request: Request, at: datetime | None) -> tuple[Route, Call] | None:
        for candidate in self._routes:
            match = candidate.pattern.fullmatch(request.path)
            if match and candidate.method == request.method:
                return candidate, self._call(
                    candidate.kind, request, match.groupdict(), at
                )
        return None

    def _call(
        self, kind: Kind, request: Request, parts: dict[str, str], at: datetime | None
    ) -> Call:
        return Call(
            request=request,
            kind=kind,
            service=self._name,
            caller=self._ground.caller(request.bearer),
            at=at or self._ground.clock.now(),
            parts=parts,
        )
