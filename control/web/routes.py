"""Every route in one table: the triggers and the contract are made from it."""

from http import HTTPMethod, HTTPStatus

from control.ports import Scope
from control.said.problems import Detail
from control.web import bodies, devices, health, machines, pages, records, shapes
from control.web.auth import Trust
from control.web.beat import take
from control.web.call import Call
from control.web.http import Media, Response, json_response
from control.web.openapi import contract
from control.web.problems import refuse
from control.web.route import Route

GET, POST = HTTPMethod.GET, HTTPMethod.POST
MACHINE = ("machine",)


def _not_found(call: Call) -> Response:
    del call
    raise refuse(Detail.NOT_FOUND.of())


def _contract(call: Call) -> Response:
    del call
    return json_response(HTTPStatus.OK, contract(CONTRACT))


LOST = Route(
    name="lost",
    template="{*path}",
    method=GET,
    handler=_not_found,
    about="Everything else.",
)

_STATUS = shapes.StatusShape
_EACH = shapes.StatusShape | shapes.FleetShape
CONTRACT: tuple[Route, ...] = (
    Route(
        name="start",
        template="start",
        method=POST,
        handler=machines.start,
        about="Ask for a lease: 202 for the call that opened the session.",
        scope=Scope.PHONE,
        body=bodies.StartBody,
        query=MACHINE,
        answers=((200, _STATUS), (202, _STATUS)),
        slugs=(
            *("azure-unavailable", "bad-body", "budget-exhausted"),
            *("budget-period-over", "ledger-unverified", "locked", "no-machine"),
            *("other-controller", "start-failed", "stopping", "too-many-starts"),
        ),
    ),
    Route(
        name="stop",
        template="stop",
        method=POST,
        handler=machines.stop,
        about="Take the machine away: 202 stopping, 200 already off. Never refused.",
        scope=Scope.PHONE,
        trust=Trust.ENDING,
        query=MACHINE,
        answers=((200, _EACH), (202, _EACH)),
    ),
    Route(
        name="deallocate",
        template="deallocate",
        method=POST,
        handler=machines.stop,
        about="The same as /stop.",
        scope=Scope.PHONE,
        trust=Trust.ENDING,
        query=MACHINE,
        answers=((200, _EACH), (202, _EACH)),
    ),
    Route(
        name="extend",
        template="extend",
        method=POST,
        handler=machines.extend,
        about="Add minutes to the deadline.",
        scope=Scope.PHONE,
        body=bodies.ExtendBody,
        query=MACHINE,
        answers=((200, _STATUS),),
        slugs=("bad-body", "beyond-limit", "ledger-unverified", "not-running"),
    ),
    Route(
        name="status",
        template="status",
        method=GET,
        handler=machines.show,
        about="Everything about a machine.",
        scope=Scope.PHONE,
        trust=Trust.ENDING,
        query=MACHINE,
        answers=((200, _STATUS),),
    ),
    Route(
        name="sessions",
        template="sessions",
        method=GET,
        handler=records.listed,
        about="Sessions, newest first, as JSON or `Accept: text/csv`. A phone gets "
        "JSON, at most 20, without a cursor.",
        scope=Scope.PHONE,
        query=("machine", "from", "to", "device", "reason", "limit", "cursor"),
        answers=((200, shapes.SessionsShape),),
        slugs=("bad-query", "ledger-unverified"),
    ),
    Route(
        name="session",
        template="sessions/{id}",
        method=GET,
        handler=records.one,
        about="One session and its journal.",
        scope=Scope.OPERATOR,
        query=MACHINE,
        answers=((200, shapes.SessionDetailShape),),
        slugs=("ledger-unverified", "unknown-session"),
    ),
    Route(
        name="devices",
        template="devices",
        method=GET,
        handler=devices.listed,
        about="Who may call; never a token.",
        scope=Scope.OPERATOR,
        answers=((200, shapes.DevicesShape),),
    ),
    Route(
        name="device_code",
        template="devices/{name}/code",
        method=POST,
        handler=devices.code,
        about="A pairing code for an existing, enabled token.",
        scope=Scope.OPERATOR,
        answers=((201, shapes.CodeShape),),
        slugs=("ledger-unverified", "unknown-device"),
    ),
    Route(
        name="pair",
        template="pair",
        method=POST,
        handler=devices.pair,
        about="Exchange a pairing code for the device's token.",
        body=bodies.PairBody,
        answers=((200, shapes.PairedShape),),
        slugs=("bad-body", "code-spent", "ledger-unverified", "vault-unavailable"),
    ),
    Route(
        name="lock",
        template="lock",
        method=POST,
        handler=machines.lock,
        about="The kill switch: nothing starts, and what runs is taken away.",
        scope=Scope.OPERATOR,
        query=MACHINE,
        answers=((200, _EACH),),
        slugs=("ledger-unverified",),
    ),
    Route(
        name="unlock",
        template="unlock",
        method=POST,
        handler=machines.unlock,
        about="Lift the kill switch.",
        scope=Scope.OPERATOR,
        query=MACHINE,
        answers=((200, _EACH),),
        slugs=("ledger-unverified",),
    ),
    Route(
        name="heartbeat",
        template="vm/heartbeat",
        method=POST,
        handler=take,
        about="What a machine says of itself, and how long it may live.",
        scope=Scope.VM,
        trust=Trust.BEATING,
        body=bodies.HeartbeatBody,
        answers=((200, shapes.ReplyShape),),
        slugs=("bad-body", "ledger-unverified"),
    ),
    Route(
        name="healthz",
        template="healthz",
        method=GET,
        handler=health.show,
        about="Whether the timer runs: 503 when its last tick is 3 minutes old.",
        answers=((200, shapes.HealthShape),),
        slugs=("timer-stale",),
    ),
    Route(
        name="openapi",
        template="openapi.json",
        method=GET,
        handler=_contract,
        about="This contract.",
        answers=((200, None),),
    ),
    Route(
        name="phone_page",
        template="{ignored:maxlength(0)?}",
        method=GET,
        handler=pages.phone,
        about="The phone page.",
        answers=((200, Media.HTML),),
    ),
    Route(
        name="ledger_page",
        template="ledger",
        method=GET,
        handler=pages.ledger,
        about="The operator's page.",
        answers=((200, Media.HTML),),
    ),
    Route(
        name="worker",
        template="sw.js",
        method=GET,
        handler=pages.worker,
        about="The pages' service worker; it keeps their files, and no answer.",
        answers=((200, Media.SCRIPT),),
    ),
    Route(
        name="manifest",
        template="manifest.webmanifest",
        method=GET,
        handler=pages.manifest,
        about="What makes an app of the pages.",
        answers=((200, Media.MANIFEST),),
    ),
    Route(
        name="icon",
        template="icons/{file}",
        method=GET,
        handler=pages.icon,
        about="An icon of the app.",
        answers=((200, Media.PNG),),
        slugs=("not-found",),
    ),
    Route(
        name="shell_part",
        template="shell/{version}/{file}",
        method=GET,
        handler=pages.part,
        about="A script or the style of the pages, of this version alone.",
        answers=((200, Media.SCRIPT),),
        slugs=("not-found",),
    ),
)
ROUTES = (*CONTRACT, LOST)
BY_NAME = {route.name: route for route in ROUTES}
