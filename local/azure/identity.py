"""App Service's managed identity endpoint, with a user-assigned identity only."""

import secrets
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from local.azure.routing import Call, Kind, Route, route
from local.azure.tokens import Issuer, Token, object_id
from local.azure.wire import Reply, json_reply

PATH = "/msi/token"
_VERSION = "2019-08-01"


class Identity:
    """Knows its principals by client id; the names are those in the request log."""

    def __init__(self, issuer: Issuer, principals: Mapping[str, str]) -> None:
        self.secret = secrets.token_hex(16).upper()
        self.life = timedelta(hours=24)
        self._issuer = issuer
        self._principals = dict(principals)

    @property
    def routes(self) -> list[Route]:
        return [route(Kind.TOKEN, "GET", PATH, self._answer)]

    def client_id(self, caller: str) -> str:
        """The client id of a principal: app, vm or operator."""
        names = {name: client for client, name in self._principals.items()}
        return names[caller]

    def principal_id(self, caller: str) -> str:
        """The object id of a principal, as its tokens and its assignments name it."""
        return object_id(self.client_id(caller))

    def issue(self, caller: str, resource: str, life: timedelta | None = None) -> Token:
        """A token without the wire; a negative life has expired already."""
        client = self.client_id(caller)
        return self._issuer.issue(caller, client, resource, life or self.life)

    def _answer(self, call: Call) -> Reply:
        query = call.request.query
        if call.request.headers.get("x-identity-header") != self.secret:
            return refusal(401, "The X-IDENTITY-HEADER is missing or wrong.")
        if query.get("api-version") != _VERSION:
            return refusal(400, "Unsupported api-version.")
        caller = self._principals.get(query.get("client_id", ""))
        if caller is None:
            text = "No User Assigned or Delegated Managed Identity found for specified "
            return refusal(400, text + "ClientId/ResourceId/PrincipalId.")
        if not query.get("resource"):
            return refusal(400, "The resource is missing.")
        return json_reply(200, body_of(self.issue(caller, query["resource"]), query))


def body_of(token: Token, query: Mapping[str, str]) -> dict[str, Any]:
    """Show a token as both identity endpoints do."""
    not_before = datetime.now(UTC) - timedelta(minutes=5)
    return {
        "access_token": token.text,
        "client_id": query["client_id"],
        "expires_on": str(int(token.expires.timestamp())),
        "not_before": str(int(not_before.timestamp())),
        "resource": query["resource"],
        "token_type": "Bearer",
    }


def refusal(status: int, message: str) -> Reply:
    """Refuse in the shape of the identity endpoint."""
    body = {
        "StatusCode": status,
        "Message": message,
        "CorrelationId": str(uuid.uuid4()),
    }
    return json_reply(status, body)
