"""A gate before Azurite, which knows no roles: writing is allowed while it is open."""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from local.azure.server import Listener
from local.azure.wire import Reply, Request
from local.certificate import Certificate

_DROPPED = {"transfer-encoding", "content-length", "connection", "keep-alive", "date"}


class Relay:
    """Hands requests on; `open` is the role to write, `seen` has what came.

    Each answer takes `pause` seconds.
    """

    def __init__(self, behind: str, certificate: Certificate) -> None:
        self.open = True
        self.seen: list[Request] = []
        self.url = ""
        self.pause = 0.0
        self._behind = behind
        trust = ssl.create_default_context(cafile=certificate.authority)
        self._client = httpx.Client(verify=trust, timeout=30, trust_env=False)

    @property
    def written(self) -> list[str]:
        """The names of the blobs that were put whole, in order."""
        return [
            each.path.rpartition("/")[2]
            for each in self.seen
            if each.method == "PUT" and each.query.get("comp") != "block"
        ]

    def answer(self, request: Request) -> Reply:
        self.seen.append(request)
        threading.Event().wait(self.pause)
        if request.method in {"PUT", "DELETE"} and not self.open:
            code = "AuthorizationPermissionMismatch"
            return Reply(status=403, headers={"x-ms-error-code": code})
        headers = {k: v for k, v in request.headers.items() if k != "host"}
        reply = self._client.request(
            request.method,
            self._behind + request.path,
            params=dict(request.query),
            headers=headers,
            content=request.body,
        )
        kept = {k: v for k, v in reply.headers.items() if k not in _DROPPED}
        # The listener counts a body to tell its length, and sends none after HEAD.
        size = int(reply.headers.get("content-length", "0"))
        body = bytes(size) if request.method == "HEAD" else reply.content
        return Reply(status=reply.status_code, headers=kept, body=body)


@contextmanager
def relaying(behind: str, certificate: Certificate) -> Iterator[Relay]:
    """Listen before an address within the block."""
    relay = Relay(behind, certificate)
    listener = Listener(relay.answer, certificate)
    relay.url = listener.url
    try:
        yield relay
    finally:
        listener.close()
        relay._client.close()
