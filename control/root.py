"""What the triggers hold: the control plane, built by the first call that needs it."""

import logging
import threading
from collections.abc import Mapping
from http import HTTPMethod
from typing import TYPE_CHECKING

from control.errors import SettingsError
from control.patience import IN_A_CALL, patience
from control.ports import Clock
from control.records import Pass
from control.said.book import counted
from control.said.problems import Detail
from control.web.http import Request, Response, headless
from control.web.problems import INTERNAL, Problem

if TYPE_CHECKING:
    from control.composition import Control

_LOG = logging.getLogger(__name__)


class Root:
    """Builds the control plane once, whatever the threads; making it does nothing."""

    def __init__(self, environ: Mapping[str, str], clock: Clock) -> None:
        self._environ = environ
        self._clock = clock
        self._built: Control | None = None
        self._lock = threading.Lock()

    def control(self) -> "Control":
        """Return it; raises `SettingsError` each time until they are mended."""
        with self._lock:
            if self._built is None:
                from control.composition import (  # noqa: PLC0415 - slow: at first use
                    build,
                )

                self._built = build(self._environ, self._clock)
            return self._built

    def answer(self, name: str, request: Request) -> Response:
        """Answer a request to the route of this name; never raises."""
        try:
            app = self.control().app
        except SettingsError as error:
            _LOG.error("%s", error)
            return _refused(misconfigured(error), request)
        except Exception as error:  # noqa: BLE001 - the caller gets our 500
            _LOG.error("The app cannot be built: %s", type(error).__name__)
            return _refused(INTERNAL, request)
        with patience(IN_A_CALL):
            return app.answer(name, request)

    def tick(self) -> Pass:
        """Run the timer's pass; without usable settings it logs them and raises."""
        try:
            switch = self.control().switch
        except SettingsError as error:
            _LOG.error("%s", error)
            raise
        return switch.tick()


def _refused(problem: Problem, request: Request) -> Response:
    made = problem.response(request)
    return headless(made) if request.method == HTTPMethod.HEAD else made


def misconfigured(error: SettingsError) -> Problem:
    """Name the settings and no more: anybody may read this."""
    names = sorted({problem.partition(" ")[0] for problem in error.problems})
    count = counted(len(names), "setting")
    told = Detail.NOT_SET_UP.of(count=count, first=names[0])
    return Problem(told=told, fields={"settings": names})
