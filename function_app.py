"""The triggers of the Functions app: wiring, and nothing of the domain.

Importing this file reads no setting and calls nobody; the first call builds what it
needs through `control.root`. Every route is anonymous to the host: the tokens are ours.
"""

import logging
import os
from collections.abc import Callable

import azure.functions as func

from control.clock import SystemClock
from control.root import Root
from control.web.http import Request
from control.web.routes import ROUTES

EVERY_MINUTE = "0 * * * * *"
_LOG = logging.getLogger(__name__)

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)
root = Root(os.environ, SystemClock())


def _trigger(name: str) -> Callable[[func.HttpRequest], func.HttpResponse]:
    def answer(req: func.HttpRequest) -> func.HttpResponse:
        made = root.answer(name, _request(req))
        return func.HttpResponse(
            made.body, status_code=made.status, headers=dict(made.headers)
        )

    answer.__name__ = answer.__qualname__ = name
    return answer


def _request(req: func.HttpRequest) -> Request:
    return Request(
        method=req.method.upper(),
        query=dict(req.params),
        headers={name.lower(): value for name, value in req.headers.items()},
        params=dict(req.route_params),
        body=req.get_body(),
    )


for _route in ROUTES:
    _make = app.route(route=_route.template, auth_level=func.AuthLevel.ANONYMOUS)
    app.function_name(name=_route.name)(_make(_trigger(_route.name)))


@app.function_name(name="tick")
@app.timer_trigger(
    schedule=EVERY_MINUTE, arg_name="timer", run_on_startup=False, use_monitor=True
)
def tick(timer: func.TimerRequest) -> None:
    """Enforce, every minute; whether this tick is late changes nothing."""
    del timer
    made = root.tick()
    if made.failed:
        _LOG.error("The run failed for %s", ", ".join(made.failed))
