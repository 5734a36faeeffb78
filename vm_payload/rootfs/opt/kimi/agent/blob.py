"""The weights' container in Azure Blob, with this machine's identity.

https://learn.microsoft.com/rest/api/storageservices/blob-service-rest-api
"""

import threading
from dataclasses import replace
from urllib.parse import quote

from agent.command import Deadline
from agent.errors import AgentError, Passing
from agent.imds import Imds
from agent.patience import patiently
from agent.ranges import MissingError, Place
from agent.web import Reply, Request, ask, bearer

RESOURCE = "https://storage.azure.com"
_VERSION = "2021-08-06"
_ONE = 60.0
_PATIENCE = 120.0
_REFUSED = {401, 403}
_MISSING = 404
_BAD = 400


class ForbiddenError(AgentError):
    """The identity may not do it, or not yet."""


class Container:
    """One folder of the container: the files of one revision."""

    name = "Azure Blob"

    def __init__(self, url: str, folder: str, imds: Imds) -> None:
        self._made_of = (url, folder, imds)
        self._base = f"{url.rstrip('/')}/{quote(folder)}"
        self._imds = imds
        self._token = ""
        self._guard = threading.Lock()

    @property
    def identity(self) -> str:
        """The client id of the identity that reads."""
        return self._imds.identity

    def __reduce__(self) -> tuple[object, ...]:
        """Go to another process without token and lock."""
        return Container, self._made_of

    def place(self, path: str, *, fresh: bool = False) -> Place:
        """Return a blob's URL, and what to send along."""
        return Place(f"{self._base}/{quote(path)}", self._headers(fresh=fresh))

    def get(self, path: str) -> bytes:
        """Return a small blob.

        Raises:
            MissingError: there is none.
            AgentError: it can't be had.
        """
        return self.send(Request(method="GET", url=self.place(path).url)).body

    def put(self, path: str, content: bytes) -> None:
        """Write a small blob whole.

        Raises:
            AgentError: it was not taken.
        """
        headers = {"x-ms-blob-type": "BlockBlob"}
        url = self.place(path).url
        self.send(Request(method="PUT", url=url, headers=headers, body=content))

    def send(self, request: Request) -> Reply:
        """Send one request until it is answered well.

        Raises:
            MissingError: 404.
            ForbiddenError: the identity may not do it.
            AgentError: it is refused otherwise, or there is no answer.
        """
        deadline = Deadline(_PATIENCE)
        reply = patiently(lambda: self._send(request, fresh=False), deadline)
        if reply.status in _REFUSED:
            reply = patiently(lambda: self._send(request, fresh=True), deadline)
        if reply.status in _REFUSED:
            raise ForbiddenError(f"{self.name} refuses this machine ({_code(reply)}).")
        if reply.status == _MISSING:
            raise MissingError(f"{self.name} has no such thing ({_code(reply)}).")
        if reply.status >= _BAD:
            raise AgentError(f"{self.name} says no ({_code(reply)}).")
        return reply

    def _send(self, request: Request, *, fresh: bool) -> Reply:
        headers = {**request.headers, **self._headers(fresh=fresh)}
        reply = ask(replace(request, headers=headers), _ONE)
        if reply.passing:
            raise Passing(f"{self.name} is busy ({_code(reply)}).", reply.after)
        return reply

    def _headers(self, *, fresh: bool) -> dict[str, str]:
        with self._guard:
            if fresh or not self._token:
                self._token = self._imds.token(RESOURCE)
            return {**bearer(self._token), "x-ms-version": _VERSION}


def _code(reply: Reply) -> str:
    return reply.headers.get("x-ms-error-code") or f"status {reply.status}"
