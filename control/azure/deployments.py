"""Deployments at a subscription: begin one, look how it goes, and cancel it."""

import json
from collections.abc import Iterator
from typing import Any

from control.azure.answers import harmless
from control.azure.resources import Body, Resources
from control.deployment.course import Course, Fault, State

_VERSION = "2024-11-01"
_ENDS = {
    "succeeded": State.SUCCEEDED,
    "failed": State.FAILED,
    "canceled": State.CANCELED,
}
_DEPTH = 24


class Deployments:
    """The deployments of one subscription, as the person at the command line."""

    def __init__(self, resources: Resources, subscription: str) -> None:
        self._resources = resources
        self._at = f"/subscriptions/{subscription}/providers/Microsoft.Resources"

    def begin(self, name: str, body: Body) -> None:
        """Send one; what fails later its course tells."""
        self._resources.put(self._path(name), _VERSION, body)

    def course(self, name: str) -> Course | None:
        """Return how it goes; None where there is none of that name."""
        found = self._resources.read(self._path(name), _VERSION)
        if found is None:
            return None
        properties = found.get("properties") or {}
        state = str(properties.get("provisioningState")).lower()
        return Course(
            state=_ENDS.get(state, State.RUNNING),
            faults=tuple(_faults(properties.get("error"))),
        )

    def cancel(self, name: str) -> None:
        """End it; what it has begun goes on all the same."""
        self._resources.post(f"{self._path(name)}/cancel", _VERSION)

    def _path(self, name: str) -> str:
        return f"{self._at}/deployments/{name}"


def _faults(node: object, depth: int = _DEPTH) -> Iterator[Fault]:
    """Yield what has failed: a module's failure has its resource's inside."""
    if not isinstance(node, dict) or depth == 0:
        return
    inner = [node.get("error"), *_listed(node.get("details"))]
    inner.append(_decoded(node.get("message")))
    found = [fault for each in inner for fault in _faults(each, depth - 1)]
    code, text = node.get("code"), node.get("message")
    if found:
        yield from dict.fromkeys(found)
    elif code and isinstance(text, str):
        yield Fault(code=str(code), text=harmless(text))


def _listed(details: object) -> list[Any]:
    return details if isinstance(details, list) else []


def _decoded(text: object) -> object:
    """Return the error that stands in a message as text; None where none does."""
    if not isinstance(text, str) or not text.lstrip().startswith("{"):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None
