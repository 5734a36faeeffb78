"""Start, stop, extend, lock, unlock and status: the routes about a machine."""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http import HTTPStatus

from control.errors import ControlError
from control.said.answers import Added
from control.said.problems import Detail
from control.views import Answer, View
from control.web import sentences
from control.web.bodies import ExtendBody, StartBody, ask, capped, hours, read
from control.web.call import Call
from control.web.documents import instant, status
from control.web.http import Response
from control.web.phrases import told
from control.web.problems import Problem, Refused, of_refusal
from control.web.shapes import StatusShape
from control.web.site import Place
from control.web.states import State, state
from control.web.summaries import summary

_LOG = logging.getLogger(__name__)

type Said = tuple[View, str]


def start(call: Call) -> Response:
    """`POST /start`: 202 for the call that opened the session, else 200."""
    machine, tools = call.machine, call.tools
    body = read(StartBody, call.request)
    policy = tools.place.policies[machine]
    wish = ask(body, call.by, policy, tools.place, call.now)
    answer = _granted(tools.switch.start(machine, wish), tools.place)
    code = HTTPStatus.ACCEPTED if answer.opened else HTTPStatus.OK
    return _one(call, code, answer.view, sentences.started(answer, tools.place))


def stop(call: Call) -> Response:
    """`POST /stop`: 202 while anything is being stopped, 200 when all is off."""
    tools, by = call.tools, call.by.device
    answers = _each(call.every, lambda name: tools.switch.stop(name, by))
    said = [(a.view, sentences.stopped(a, tools.place)) for a in answers]
    off = all(state(view) is State.OFF for view, _ in said)
    return _several(call, HTTPStatus.OK if off else HTTPStatus.ACCEPTED, said)


def extend(call: Call) -> Response:
    """`POST /extend`: 200 with the new and the furthest possible deadline."""
    machine, tools, by = call.machine, call.tools, call.by
    body = read(ExtendBody, call.request)
    most = hours(tools.place.policies[machine].max_runtime) * 60
    minutes = capped("minutes", body.minutes, most, "minutes")
    answer = tools.switch.extend(machine, minutes, by.device, by.max_hours)
    view = _granted(answer, tools.place).view
    return _one(call, HTTPStatus.OK, view, sentences.extended(view, tools.place))


def lock(call: Call) -> Response:
    """`POST /lock`: nothing starts, and what runs is taken away."""
    return _lock(call, locked=True)


def unlock(call: Call) -> Response:
    """`POST /unlock`."""
    return _lock(call, locked=False)


def _lock(call: Call, *, locked: bool) -> Response:
    tools, by = call.tools, call.by.device

    def turn(name: str) -> Answer:
        return _granted(tools.switch.lock(name, by, locked=locked), tools.place)

    answers = _each(call.every, turn)
    said = [(a.view, sentences.locked(a.view, tools.place, on=locked)) for a in answers]
    return _several(call, HTTPStatus.OK, said)


def show(call: Call) -> Response:
    """`GET /status`: the status document."""
    view = call.tools.switch.status(call.machine, call.by.max_hours)
    return _one(call, HTTPStatus.OK, view, summary(view, call.tools.place))


def _granted(answer: Answer, place: Place) -> Answer:
    if answer.refusal is None:
        return answer
    form = partial(told, now=answer.view.now, zone=place.zone)
    raise Refused(of_refusal(answer.refusal, form))


def _each(machines: Sequence[str], work: Callable[[str], Answer]) -> list[Answer]:
    """Do it for each machine, side by side: one's failure never spares another."""
    if len(machines) == 1:
        return [work(machines[0])]
    with ThreadPoolExecutor(len(machines)) as pool:
        running = {name: pool.submit(work, name) for name in machines}
    failed = {
        name: error
        for name, run in running.items()
        if (error := run.exception()) is not None
    }
    if not failed:
        return [run.result() for run in running.values()]
    for name, error in failed.items():
        _LOG.error("%s: the request failed: %s", name, type(error).__name__)
    raise _failed(failed, [name for name in machines if name not in failed])


def _failed(failed: dict[str, BaseException], done: list[str]) -> BaseException:
    """Return what to raise: a problem of ours as it is, when nothing else was done."""
    first = next(iter(failed.values()))
    if not done and isinstance(first, ControlError):
        return first
    also = Added.DONE_FOR.say(done=", ".join(done)) if done else ""
    return Refused(
        Problem(
            told=Detail.FAILED_FOR_SOME.of(failed=", ".join(failed), done=also),
            fields={"failed": list(failed), "done": done},
        )
    )


def _document(call: Call, view: View, said: str) -> StatusShape:
    return status(view, said, call.tools.place)


def _one(call: Call, code: int, view: View, said: str) -> Response:
    return call.answer(code, _document(call, view, said), said)


def _several(call: Call, code: int, said: Sequence[Said]) -> Response:
    """Answer for one machine as everywhere; for several with a list."""
    if len(said) == 1:
        return _one(call, code, *said[0])
    line = " ".join(sentence for _, sentence in said)
    document = {
        "now": instant(call.now),
        "summary": line,
        "machines": [_document(call, view, sentence) for view, sentence in said],
    }
    return call.answer(code, document, line)
