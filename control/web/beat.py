"""`POST /vm/heartbeat`: what a machine says of itself, and how long it may live."""

from http import HTTPStatus

from control.ports import Scope
from control.web.bodies import HeartbeatBody, read
from control.web.call import Call
from control.web.documents import instant, reply
from control.web.http import Response
from control.web.problems import refuse


def take(call: Call) -> Response:
    """Take a heartbeat; a machine's token speaks for that machine alone."""
    body = read(HeartbeatBody, call.request)
    by = call.by
    if by.scope is Scope.VM and by.machine != body.machine:
        raise refuse("not-allowed", "Not allowed: this is another machine's token.")
    call.known(body.machine)
    answer = call.tools.switch.heartbeat(body.heartbeat(call.now))
    until = instant(answer.expires_at) if answer.expires_at else "nothing"
    return call.answer(HTTPStatus.OK, reply(answer), f"Taken. Armed until {until}.")
