"""From a request to its answer: methods, limits, tokens, the handler, and faults.

HEAD and OPTIONS of a guarded route run nothing. What a handler did not expect becomes
a 500 that says nothing, and a log line of our own words.
"""

import logging
import traceback
from http import HTTPMethod, HTTPStatus
from pathlib import Path

from control.errors import AzureError, LedgerError
from control.ports import Clock, Tokens
from control.said.problems import Detail
from control.web.auth import Gate, Trust
from control.web.bodies import LARGEST
from control.web.call import Call, Tools
from control.web.http import Request, Response, empty_response, headless
from control.web.last_tick import LastTick
from control.web.problems import (
    AZURE,
    INTERNAL,
    LEDGER,
    Problem,
    Refused,
    refuse,
)
from control.web.roster import Roster
from control.web.route import Route
from control.web.routes import BY_NAME, LOST
from control.web.site import DevicesLike, Place, SwitchLike

_LOG = logging.getLogger(__name__)


class App:
    """Answers every request of the contract; it holds no machine's state."""

    def __init__(
        self,
        *,
        switch: SwitchLike,
        devices: DevicesLike,
        tokens: Tokens,
        clock: Clock,
        place: Place,
    ) -> None:
        roster = Roster(tokens, clock)
        self._gate = Gate(roster, devices, clock)
        self._tools = Tools(
            switch=switch,
            devices=devices,
            tokens=tokens,
            roster=roster,
            clock=clock,
            place=place,
            last_tick=LastTick(switch, clock),
        )

    def answer(self, name: str, request: Request) -> Response:
        """Answer a request to the route of this name; never raises."""
        route = BY_NAME[name]
        if request.method != HTTPMethod.HEAD:
            return self._answer(route, request)
        if route.scope is not None and route.method is HTTPMethod.GET:
            return empty_response(HTTPStatus.OK)
        return headless(self._answer(route, request))

    def _answer(self, route: Route, request: Request) -> Response:
        try:
            return self._routed(route, request)
        except Refused as refused:
            problem = refused.problem
        except LedgerError as error:
            _report(route, error)
            problem = LEDGER
        except AzureError as error:
            _report(route, error)
            problem = AZURE
        except Exception as error:  # noqa: BLE001 - the caller gets our 500
            _report(route, error)
            problem = INTERNAL
        return problem.response(request)

    def _routed(self, route: Route, request: Request) -> Response:
        if route is LOST:
            return route.handler(Call(request=request, tools=self._tools))
        if request.method == HTTPMethod.OPTIONS:
            return empty_response(HTTPStatus.NO_CONTENT, {"Allow": route.allow})
        _check_method(route, request)
        if route.trust is not Trust.ENDING:
            _check_length(request)
        caller = None
        if route.scope is not None:
            caller = self._gate.admit(request, route.scope, route.trust)
        return route.handler(Call(request=request, tools=self._tools, caller=caller))


def _check_method(route: Route, request: Request) -> None:
    reads = route.method is HTTPMethod.GET and request.method == HTTPMethod.HEAD
    if request.method == route.method or reads:
        return
    raise Refused(
        Problem(
            told=Detail.WRONG_METHOD.of(path=route.path, method=route.method),
            headers={"Allow": route.allow},
        )
    )


def _check_length(request: Request) -> None:
    """The platform hands over a body without a length as an empty one.

    A stop reads no body, and none may keep it from its work.
    """
    length = request.headers.get("content-length")
    if length is None and "transfer-encoding" in request.headers:
        raise refuse(Detail.NO_LENGTH.of())
    claimed = int(length[:12]) if length and length.isdecimal() else 0
    if max(len(request.body), claimed) > LARGEST:
        raise refuse(Detail.TOO_LARGE.of())


def _report(route: Route, error: Exception) -> None:
    """Log the kind of a fault and where it came up, never its own words."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    kind = type(error).__name__
    _LOG.error("%s %s failed: %s in %s", route.method, route.path, kind, where)
