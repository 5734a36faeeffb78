"""`GET /healthz`: whether the timer runs; any uptime monitor is a dead man's switch."""

from datetime import timedelta
from http import HTTPStatus

from control.said.answers import Answer
from control.said.book import Told, counted
from control.said.problems import Detail
from control.version import VERSION
from control.web.call import Call
from control.web.http import Response
from control.web.problems import Problem
from control.web.states import STALE_TICK


def show(call: Call) -> Response:
    """Answer 200, or 503 when the last tick is older than 3 minutes."""
    at, now = call.tools.last_tick.at(), call.now
    age = max(now - at, timedelta(0)) if at is not None else None
    ok = age is not None and age <= STALE_TICK
    seconds = int(age.total_seconds()) if age is not None else None
    document = {"ok": ok, "version": VERSION, "last_tick_age_s": seconds}
    if ok:
        said = Answer.HEALTHY.say(ago=counted(seconds or 0, "second"))
        return call.answer(HTTPStatus.OK, document, said)
    problem = Problem(told=_stale(age), retry_after=60, fields=document)
    return problem.response(call.request)


def _stale(age: timedelta | None) -> Told:
    if age is None:
        return Detail.TIMER_UNKNOWN.of()
    return Detail.TIMER_STALE.of(ago=counted(age // timedelta(minutes=1), "minute"))
