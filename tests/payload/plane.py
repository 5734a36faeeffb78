"""A control plane that answers what it is told to, and keeps what it hears."""

from collections.abc import Iterator
from contextlib import contextmanager

from local.azure.server import Listener
from local.azure.wire import Reply, Request, json_reply

ANSWER = {"now": "2026-11-30T10:00:00Z", "expires_at": "2026-11-30T12:00:00Z"}


class Plane:
    """`url` is its address; `heard` has every request."""

    def __init__(self) -> None:
        self.status = 200
        self.heard: list[Request] = []
        self.url = ""

    @classmethod
    @contextmanager
    def running(cls) -> Iterator["Plane"]:
        """Listen on the loopback."""
        made = cls()
        listener = Listener(made.answer, None)
        made.url = listener.url
        try:
            yield made
        finally:
            listener.close()

    def answer(self, request: Request) -> Reply:
        self.heard.append(request)
        return json_reply(self.status, ANSWER if self.status == 200 else {})
