"""The instance metadata service of one machine: who it is, and its tokens.

The real one listens at 169.254.169.254; it wants a header that no browser sends.
"""

from typing import Any

from local.azure.identity import Identity, body_of
from local.azure.machine import Machine
from local.azure.routing import Call, Kind, Route, route
from local.azure.views import resource_id
from local.azure.wire import Reply, json_reply

_TOKEN = "/metadata/identity/oauth2/token"  # noqa: S105 - a path, no secret
_INSTANCE = "/metadata/instance/compute"
_CALLER = "vm"


class Imds:
    """What one machine hears about itself."""

    def __init__(self, machine: Machine, identity: Identity, subscription: str) -> None:
        self._machine = machine
        self._identity = identity
        self._subscription = subscription

    @property
    def routes(self) -> list[Route]:
        return [
            route(Kind.IMDS_TOKEN, "GET", _TOKEN, self._token),
            route(Kind.IMDS_INSTANCE, "GET", _INSTANCE, self._instance),
        ]

    def _token(self, call: Call) -> Reply:
        query = call.request.query
        if (refused := _refused(call)) is not None:
            return refused
        if not query.get("resource"):
            return refusal(400, "invalid_request", "Required parameter 'resource'.")
        own = self._identity.client_id(_CALLER)
        # Where a machine has one identity, and this one has, none need be named.
        query = {"client_id": own, **query}
        if query["client_id"] != own:
            return refusal(400, "invalid_request", "Identity not found")
        token = self._identity.issue(_CALLER, query["resource"])
        life = str(int(self._identity.life.total_seconds()))
        lives = {"expires_in": life, "ext_expires_in": life}
        return json_reply(200, {**body_of(token, query), **lives})

    def _instance(self, call: Call) -> Reply:
        if (refused := _refused(call)) is not None:
            return refused
        spec = self._machine.spec
        body: dict[str, Any] = {
            "location": spec.location,
            "name": spec.name,
            "resourceGroupName": spec.resource_group,
            "resourceId": resource_id(self._machine, self._subscription),
            "subscriptionId": self._subscription,
            "vmSize": spec.size,
        }
        return json_reply(200, body)


def refusal(status: int, error: str, description: str) -> Reply:
    """Refuse in the shape of the metadata service."""
    return json_reply(status, {"error": error, "error_description": description})


def _refused(call: Call) -> Reply | None:
    headers = call.request.headers
    if headers.get("metadata", "").lower() != "true" or "x-forwarded-for" in headers:
        return refusal(400, "Bad request", "Required metadata header not specified")
    if not call.request.query.get("api-version"):
        return refusal(400, "Bad request", "Required api-version not specified")
    return None
