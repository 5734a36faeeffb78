"""The listener before Azurite: passes calls on, unless a fault is armed for them."""

import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Self
from urllib.parse import quote, urlencode, urlsplit

import httpx

from local.azure.server import Listener
from local.azure.wire import HANG_UP, Reply, Request
from local.azurite import ACCOUNT, KEY
from local.certificate import Certificate
from local.tables.calls import Call, Meets, everything, understood
from local.tables.faults import OFFERS, Fault, unmarked

_SECONDS = 30
# What belongs to one connection and not to the message.
_HOP = frozenset(
    {
        "connection",
        "content-encoding",
        "content-length",
        "date",
        "keep-alive",
        "server",
        "transfer-encoding",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Armed:
    """A fault that waits: for which calls, after how many, and how many times."""

    name: str
    fault: Fault
    on: Meets
    left: int | None
    skip: int


class Faults:
    """The armed faults, first armed first met; `met` counts them by name."""

    def __init__(self) -> None:
        self._armed: list[Armed] = []
        self._met: dict[str, int] = {}
        self._guard = threading.Condition()

    @property
    def met(self) -> Mapping[str, int]:
        """How often each fault was met so far."""
        with self._guard:
            return MappingProxyType(dict(self._met))

    @property
    def armed(self) -> list[Armed]:
        with self._guard:
            return list(self._armed)

    def arm(
        self,
        name: str,
        *,
        times: int | None = 1,
        on: Meets | None = None,
        skip: int = 0,
        **parameters: Any,
    ) -> None:
        """Arm a fault for the next `times` calls (None: until it is cleared).

        `on` says which calls, `skip` how many of those pass first; the rest shapes the
        fault itself.
        """
        if name not in OFFERS:
            raise KeyError(f"no fault {name!r}; known: {', '.join(sorted(OFFERS))}")
        fault = OFFERS[name].make(**parameters)
        waiting = Armed(
            name=name, fault=fault, on=on or everything(), left=times, skip=skip
        )
        with self._guard:
            self._armed.append(waiting)

    def clear(self) -> None:
        """Disarm them all."""
        with self._guard:
            self._armed.clear()

    def wait_for(self, name: str, seconds: float = 10) -> None:
        """Wait until a fault of this name was met."""
        with self._guard:
            if not self._guard.wait_for(lambda: self._met.get(name), seconds):
                raise TimeoutError(f"{name} was not met in {seconds} s")

    def take(self, call: Call) -> Fault | None:
        """Return the first fault that meets this call, and count it."""
        with self._guard:
            for index, each in enumerate(self._armed):
                if each.on(call) and self._used(index, each):
                    self._met[each.name] = self._met.get(each.name, 0) + 1
                    self._guard.notify_all()
                    return each.fault
        return None

    def _used(self, index: int, each: Armed) -> bool:
        if each.skip:
            self._armed[index] = replace(each, skip=each.skip - 1)
            return False
        if each.left is not None:
            self._armed[index] = replace(each, left=each.left - 1)
            if each.left == 1:
                del self._armed[index]
        return True


class TableProxy:
    """Table Storage with faults, inside its `with` block.

    `seen` has every call in order of arrival.
    """

    def __init__(
        self, endpoint: str, certificate: Certificate, *, port: int = 0
    ) -> None:
        self.faults = Faults()
        self._behind = endpoint
        self._busy = 0
        self._idle = threading.Condition()
        self._seen: list[Call] = []
        trust = ssl.create_default_context(cafile=certificate.authority)
        self._client = httpx.Client(verify=trust, timeout=_SECONDS, trust_env=False)
        self._listener = Listener(self._answer, certificate, port)
        self.endpoint = f"{self._listener.url}/{ACCOUNT}"
        self.connection_string = (
            f"DefaultEndpointsProtocol=https;AccountName={ACCOUNT};"
            f"AccountKey={KEY};TableEndpoint={self.endpoint};"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening, once every call that is under way was answered."""
        self._listener.close()
        self._client.close()

    def settle(self, seconds: float = 10) -> None:
        """Wait until no call is under way, those of callers that gave up too."""
        with self._idle:
            settled = self._idle.wait_for(lambda: not self._busy, seconds)
        if not settled:
            raise TimeoutError(f"calls are under way after {seconds} s")

    @property
    def seen(self) -> list[Call]:
        """Every call so far."""
        return list(self._seen)

    def _answer(self, request: Request) -> Reply:
        with self._idle:
            self._busy += 1
        try:
            return self._through(understood(request))
        finally:
            with self._idle:
                self._busy -= 1
                self._idle.notify_all()

    def _through(self, call: Call) -> Reply:
        self._seen.append(call)
        fault = self.faults.take(call)
        return fault(call, self._forward) if fault else self._forward(call.request)

    def _forward(self, request: Request) -> Reply:
        request = unmarked(request)
        try:
            answer = self._client.request(
                request.method,
                self._target(request),
                headers=_kept(request.headers),
                content=request.body,
            )
        except httpx.TransportError:
            return HANG_UP
        return Reply(
            status=answer.status_code,
            headers=_kept(answer.headers),
            body=answer.content,
        )

    def _target(self, request: Request) -> httpx.URL:
        """The path as it came: it is signed."""
        parts = urlsplit(self._behind)
        query = urlencode(request.query, quote_via=quote)
        path = f"{request.path}?{query}" if query else request.path
        return httpx.URL(
            scheme=parts.scheme,
            host=parts.hostname or "",
            port=parts.port,
            raw_path=path.encode(),
        )


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in _HOP}
