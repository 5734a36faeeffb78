"""The host itself: which function answers a request, and how a timer is run.

It has no sockets and no threads of its own; server.py and timers.py drive it.
"""

import json
import logging
import os
import re
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, Self

from local.functions import routes
from local.functions.configuration import HostFile, host_file
from local.functions.messages import Message
from local.functions.schedule import parse
from local.functions.wire import Request, Response, from_worker, to_worker
from local.functions.worker import AppError, Function, FunctionFailed, Worker

__all__ = ["AppError", "Clock", "FunctionFailed", "Host", "SystemClock"]

MASTER_KEY = "local"

_log = logging.getLogger("host")


class Clock(Protocol):
    """Whatever tells the time to the timers and to the app."""

    def now(self) -> datetime: ...


class SystemClock:
    """The real time."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class Host:
    """One app, loaded and callable from any thread."""

    def __init__(self, worker: Worker, configuration: HostFile, clock: Clock) -> None:
        self.clock = clock
        self.module = worker.module
        self._worker = worker
        self._limit = configuration.timeout.total_seconds()
        self._functions = {one.name: one for one in worker.functions}
        self.routes = tuple(_routes(worker.functions, configuration.route_prefix))
        self.timers = {
            one.name: parse(_setting(str(one.trigger["schedule"])))
            for one in worker.functions
            if one.kind == "timerTrigger"
        }

    @classmethod
    def load(
        cls,
        app: Path,
        *,
        environ: Mapping[str, str] | None = None,
        clock: Clock | None = None,
        reload: Iterable[str] = (),
    ) -> Self:
        """Index a folder's function_app.py; with a clock, give the app that clock."""
        configuration = host_file(app)
        worker = Worker(app, reload)
        if clock is not None and "root" in (names := vars(worker.module)):
            values = os.environ if environ is None else environ
            names["root"] = type(names["root"])(values, clock)
        return cls(worker, configuration, clock or SystemClock())

    def answer(self, request: Request) -> Response:
        """Route a request and run its function: 404, 401 and 500 have no body."""
        found = routes.find(self.routes, request.method, request.route_path)
        if found is None:
            return Response(status=404)
        route, params = found
        function = self._functions[route.function]
        if not _admitted(function, request):
            return Response(status=401)
        try:
            with _logged(function, f"{request.method} {request.path}"):
                value = self._call(function, to_worker(request, params))
            return from_worker(value)
        except FunctionFailed:
            return Response(status=500)

    def tick(self, name: str = "tick", *, past_due: bool = False) -> None:
        """Run a timer's function now, wait for its end; FunctionFailed if it raised."""
        function = self._functions[name]
        with _logged(function, "Timer"):
            self._call(function, self._occurrence(name, past_due=past_due))

    def trigger(self, name: str) -> dict[str, Any]:
        """Return a function's trigger as its decorator described it."""
        return self._functions[name].trigger

    def close(self, within: float = 0.0) -> bool:
        """Wait for running functions at most so long: did all end?"""
        return self._worker.close(within)

    def _call(self, function: Function, data: Message) -> Any:
        return self._worker.call(function, data, self._limit)

    def _occurrence(self, name: str, *, past_due: bool) -> Message:
        now = self.clock.now()
        status = {
            "Last": now.isoformat(),
            "Next": self.timers[name].after(now).isoformat(),
            "LastUpdated": now.isoformat(),
        }
        occurrence = {
            "Schedule": {"AdjustForDST": True},
            "ScheduleStatus": status,
            "IsPastDue": past_due,
        }
        return Message(json=json.dumps(occurrence))


def _routes(functions: Iterable[Function], prefix: str) -> Iterator[routes.Route]:
    for one in functions:
        if one.kind == "httpTrigger":
            template = one.trigger.get("route") or one.name
            yield routes.route(
                one.name, template, one.trigger.get("methods") or (), prefix
            )


def _admitted(function: Function, request: Request) -> bool:
    if function.trigger.get("authLevel") == "ANONYMOUS":
        return True
    headers, query = request.joined_headers, request.joined_query
    return headers.get("x-functions-key", query.get("code")) == MASTER_KEY


def _setting(text: str) -> str:
    """Replace `%NAME%` by the app setting of that name."""
    return re.sub("%(.+?)%", lambda name: os.environ[name[1]], text)


@contextmanager
def _logged(function: Function, why: str) -> Iterator[None]:
    """Log a run's start, end and failure as Azure's host does."""
    run, began = uuid.uuid4(), time.monotonic()
    _log.info("Executing 'Functions.%s' (Reason='%s', Id=%s)", function.name, why, run)
    outcome = "Failed"
    try:
        yield
        outcome = "Succeeded"
    except FunctionFailed as failure:
        _log.error("'Functions.%s' failed: %s", function.name, failure)
        raise
    finally:
        took = (time.monotonic() - began) * 1000
        form = "Executed 'Functions.%s' (%s, Id=%s, Duration=%.0fms)"
        _log.info(form, function.name, outcome, run, took)
