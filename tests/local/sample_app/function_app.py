"""An app that shows what the Functions host hands in, takes out and runs by time."""

# ruff: noqa: ARG001 (the worker insists on the name that the decorator gives)

import json
import logging
import os
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Protocol, cast

import azure.functions as func

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)


class Clock(Protocol):
    def now(self) -> datetime: ...


class RealClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


class Root:
    """Stands for the composition root of an app that tells the time."""

    def __init__(self, environ: Mapping[str, str], clock: Clock) -> None:
        self.environ = environ
        self.clock = clock


root = Root(os.environ, RealClock())
ticks: list[dict[str, Any]] = []
meeting = threading.Barrier(4)
release = threading.Event()


@app.route(route="echo/{id?}")
def echo(req: func.HttpRequest) -> func.HttpResponse:
    """Say what arrived."""
    seen = {
        "method": req.method,
        "url": req.url,
        "headers": dict(req.headers),
        "query": dict(req.params),
        "params": dict(req.route_params),
        "body": req.get_body().decode("latin-1"),
    }
    return func.HttpResponse(json.dumps(seen), mimetype="application/json")


@app.route(route="echo/fixed", methods=["GET"])
def fixed(req: func.HttpRequest) -> str:
    """Answer a plain string."""
    return "fixed"


@app.route(route="{ignored:maxlength(0)?}")
def front(req: func.HttpRequest) -> func.HttpResponse:
    """Answer at the root alone."""
    return func.HttpResponse("front", headers={"X-Seen": "yes"})


@app.route(route="meet")
def meet(req: func.HttpRequest) -> func.HttpResponse:
    """Answer only when four callers are here at once."""
    meeting.wait(5)
    return func.HttpResponse("met")


@app.route(route="cookies")
def cookies(req: func.HttpRequest) -> func.HttpResponse:
    """Set two cookies."""
    answer = func.HttpResponse(status_code=204)
    answer.headers.add("Set-Cookie", "a=1; Path=/; Secure; HttpOnly; SameSite=Strict")
    answer.headers.add("Set-Cookie", "b=2; Max-Age=60")
    return answer


@app.route(route="raise")
def fail(req: func.HttpRequest) -> func.HttpResponse:
    """Fail."""
    raise RuntimeError("the app's own failure")


@app.route(route="hang")
def hang(req: func.HttpRequest) -> func.HttpResponse:
    """Run longer than the host allows."""
    release.wait(30)
    return func.HttpResponse("late")


@app.route(route="nothing")
def nothing(req: func.HttpRequest) -> func.HttpResponse:
    """Forget to answer."""
    return cast("func.HttpResponse", None)


@app.route(route="guarded", auth_level=func.AuthLevel.FUNCTION)
def guarded(req: func.HttpRequest) -> func.HttpResponse:
    """Answer to who has a key."""
    return func.HttpResponse("in")


@app.route(route="time")
def tell(req: func.HttpRequest) -> func.HttpResponse:
    """Tell the root's time and one setting."""
    logging.getLogger("app").info("asked for the time")
    told = {
        "now": root.clock.now().isoformat(),
        "setting": root.environ.get("SETTING"),
        "ticks": ticks,
    }
    return func.HttpResponse(json.dumps(told))


@app.timer_trigger(schedule="0 * * * * *", arg_name="timer", run_on_startup=False)
def tick(timer: func.TimerRequest) -> None:
    """Keep when it ran; fail when told to."""
    ticks.append({"at": root.clock.now().isoformat(), "past_due": timer.past_due})
    if root.environ.get("TICK_FAILS"):
        raise RuntimeError("the tick's own failure")
