"""Any resource of Azure by its id: read it, or write it and see it at work.

What has no client of its own here needs no package of its own either: ARM's paths and
bodies are those of the templates.
"""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from http import HTTPStatus
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from azure.core.rest import HttpRequest

from control.azure.answers import retry_after, said
from control.azure.arm import call_options, client_options, origin
from control.azure.deadline import within
from control.azure.faults import error, translated, unanswered
from control.azure.lazy import Lazy
from control.azure.sentences import explained, silence_named
from control.errors import Evidence, Failed, Unavailable

if TYPE_CHECKING:
    from azure.core import PipelineClient
    from azure.core.credentials import TokenCredential

    from control.ports import Clock

_SECONDS = 20.0
_WAITS = (1.0, 2.0, 4.0)
_LOOKS, _LOOKS_FOR_GONE = 20, 150
_MAY_MISS = frozenset({"GET", "DELETE"})
_SUCCEEDED, _ENDED_BADLY = "Succeeded", {"Failed", "Canceled"}

type Body = Mapping[str, Any]


class Resources:
    """ARM, entered as the person at the command line; `words` explain its codes."""

    def __init__(
        self,
        *,
        credential: "TokenCredential",
        endpoint: str,
        clock: "Clock",
        words: Mapping[str, str],
    ) -> None:
        self._clock, self.endpoint = clock, endpoint
        self._words = words
        self._client = Lazy(partial(_client, credential, endpoint))

    def read(self, path: str, version: str, **query: str) -> Body | None:
        """Return a resource; None where there is none."""
        return self._send("GET", _at(path, version, query))

    def pages(self, path: str, version: str, most: int, **query: str) -> Iterator[Any]:
        """Yield what a list holds, page by page; so many pages at most."""
        found = self.read(path, version, **query) or {}
        for _ in range(most):
            held = found.get("value")
            if not isinstance(held, list):
                raise unanswered("ARM's answer is no list.")
            yield from held
            link = found.get("nextLink")
            if not link:
                return
            if origin(link) != origin(self.endpoint):
                raise unanswered("ARM's list goes on at another place.")
            found = self._send("GET", link) or {}
        raise unanswered("ARM's list has no end.")

    def write(self, path: str, version: str, body: Body) -> None:
        """Write a resource, and wait until it is at work.

        Raises:
            AzureError: it was refused, ended badly, or is not at work in some minutes.
        """
        self.put(path, version, body)
        for wait in chain(_WAITS, repeat(_WAITS[-1], _LOOKS)):
            found = self.read(path, version) or {}
            state = (found.get("properties") or {}).get("provisioningState")
            if state == _SUCCEEDED:
                return
            if state in _ENDED_BADLY:
                raise Failed(Evidence(message=f"Azure took it, and it ended {state}."))
            self._clock.wait(wait)
        raise Unavailable(
            Evidence(message="Azure took it, and it is not at work after a minute.")
        )

    def put(self, path: str, version: str, body: Body) -> None:
        """Write a resource, and do not wait for it."""
        self._send("PUT", _at(path, version), body)

    def post(self, path: str, version: str) -> Body:
        """Let a resource do something; return what it answers."""
        return self._send("POST", _at(path, version)) or {}

    def delete(self, path: str, version: str) -> None:
        """Delete a resource, and wait until it is gone; one that is none is no error.

        Raises:
            AzureError: it was refused, or it is there after ten minutes.
        """
        self.forget(path, version)
        for wait in chain(_WAITS, repeat(_WAITS[-1], _LOOKS_FOR_GONE)):
            if self.read(path, version) is None:
                return
            self._clock.wait(wait)
        raise Unavailable(
            Evidence(message="Azure took it, and it is there after ten minutes.")
        )

    def forget(self, path: str, version: str) -> None:
        """Delete a resource, and do not wait until it is gone."""
        self._send("DELETE", _at(path, version))

    def _send(self, method: str, url: str, body: Body | None = None) -> Body | None:
        request = HttpRequest(method, url, json=body)
        with silence_named("Azure Resource Manager", "ARM_ENDPOINT"):
            with translated():
                answer = within(_SECONDS, partial(self._sent, request))
                text = answer.text()
            if method in _MAY_MISS and answer.status_code == HTTPStatus.NOT_FOUND:
                return None
            if answer.status_code >= HTTPStatus.MULTIPLE_CHOICES:
                with explained(self._words):
                    wait = retry_after(answer.headers)
                    raise error(answer.status_code, said(text), wait)
        return _object(text) if text or method == "GET" else {}

    def _sent(self, request: HttpRequest, deadline: Any) -> Any:
        client, options = self._client(), call_options(_SECONDS)
        request.url = client.format_url(request.url)
        return client.send_request(request, deadline=deadline, **options)


def _at(path: str, version: str, query: Mapping[str, str] | None = None) -> str:
    """Return where it is; the names of a query come with a dollar, as ARM's do."""
    asked = {f"${name}": value for name, value in (query or {}).items()}
    return f"{path}?{urlencode({'api-version': version, **asked}, safe='$')}"


def _object(text: str) -> Body:
    try:
        read = json.loads(text)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise unanswered("ARM's answer is no resource.")
    return read


def _client(credential: "TokenCredential", endpoint: str) -> "PipelineClient[Any, Any]":
    from azure.core import PipelineClient  # noqa: PLC0415 - slow: made at first use

    options = client_options(credential, endpoint)
    return PipelineClient(options["base_url"], policies=options["policies"])
