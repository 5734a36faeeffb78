"""ARM as a port without a wire: the local Azure answers, our adapters' readers read."""

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from control.azure.answers import retry_after, said
from control.azure.faults import error, unanswered
from control.azure.instance_view import reading
from control.azure.operations import operation
from control.errors import NotFound
from control.model import Operation, Reading
from control.ports import Accepted, Clock
from control.words import Power
from local.azure.arm import AUDIENCE
from local.azure.estate import Estate
from local.azure.views import resource_id
from local.azure.wire import Reply, Request

_VERSION = "2026-04-01"
_WRITES = frozenset({"start", "deallocate"})

type Pass = Callable[[str, str, Callable[[], Reply]], Reply]


class FrontMachines:
    """`ports.Machines` on an estate's front; `through` lets hazards come between."""

    def __init__(self, azure: Estate, clock: Clock, through: Pass) -> None:
        self._azure = azure
        self._clock = clock
        self._through = through
        token = azure.identity.issue("app", AUDIENCE)
        self._headers = {"authorization": f"Bearer {token.text}"}

    def read(self, machine: str) -> Reading:
        """Read a machine; a 404 `ResourceNotFound` is a reading."""
        began_at = self._clock.now()
        query = {"$expand": "instanceView"}
        try:
            reply = self._send("read", machine, self._path(machine), query)
        except NotFound as absent:
            return Reading(
                began_at=began_at,
                power=Power.UNKNOWN,
                not_found=True,
                problem=absent.evidence.message,
            )
        return reading(_json(reply), began_at)

    def start(self, machine: str) -> Accepted:
        """Send one start."""
        return self._post("start", machine, {})

    def deallocate(self, machine: str, *, force: bool = False) -> Accepted:
        """Send one deallocate."""
        query = {"forceDeallocate": "true"} if force else {}
        return self._post("deallocate", machine, query)

    def operation(self, url: str) -> Operation:
        """Look at an operation."""
        parts = urlsplit(url)
        query = dict(pair.split("=", 1) for pair in parts.query.split("&"))
        reply = self._send("poll", "", parts.path, query)
        return operation(reply.status, _json(reply) if reply.body.strip() else None)

    def _post(self, verb: str, machine: str, query: dict[str, str]) -> Accepted:
        reply = self._send(verb, machine, f"{self._path(machine)}/{verb}", query)
        named = {name.lower(): value for name, value in reply.headers.items()}
        url = named.get("azure-asyncoperation") or named.get("location")
        return Accepted(at=self._clock.now(), operation_url=url)

    def _path(self, machine: str) -> str:
        vm = self._azure.machine(machine)
        return resource_id(vm.machine, self._azure.subscription_id)

    def _send(self, verb: str, machine: str, path: str, query: dict[str, str]) -> Reply:
        request = Request(
            method="POST" if verb in _WRITES else "GET",
            path=path,
            query={"api-version": _VERSION, **query},
            headers=self._headers,
            base=AUDIENCE,
        )
        front = self._azure.arm_front
        reply = self._through(verb, machine, lambda: front.handle(request))
        if reply.hang_up:
            raise unanswered("The connection was closed.")
        if reply.status >= HTTPStatus.MULTIPLE_CHOICES:
            words = said(reply.body.decode())
            wait = retry_after(reply.headers, words.message)
            raise error(reply.status, words, wait)
        return reply


def _json(reply: Reply) -> Any:
    body = json.loads(reply.body) if reply.body.strip() else None
    if not isinstance(body, dict):
        raise unanswered("ARM's answer is something else.")
    return body
