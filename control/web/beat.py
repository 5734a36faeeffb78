"""`POST /vm/heartbeat`: what a machine says of itself, and how long it may live."""

from http import HTTPStatus

from control.ports import Scope
from control.said.answers import Answer
from control.said.problems import Detail
from control.web.bodies import HeartbeatBody, read
from control.web.call import Call
from control.web.documents import reply
from control.web.http import Response
from control.web.problems import refuse


def take(call: Call) -> Response:
    """Take a heartbeat; a machine's token speaks for that machine alone."""
    body = read(HeartbeatBody, call.request)
    by = call.by
    if by.scope is Scope.VM and by.machine != body.machine:
        raise refuse(Detail.OTHER_MACHINES_TOKEN.of())
    call.known(body.machine)
    answer = call.tools.switch.heartbeat(body.heartbeat(call.now))
    said = Answer.BEAT_UNARMED.say()
    if answer.expires_at is not None:
        said = Answer.BEAT.say(until=answer.expires_at)
    return call.answer(HTTPStatus.OK, reply(answer), said)
