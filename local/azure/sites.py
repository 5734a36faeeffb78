"""The function app as ARM and its publishing endpoint know it. Only the operator may.

`settings` are what the template gave it; a package that was published brings its
functions with it.
"""

import uuid

from local.azure.identity import Identity
from local.azure.refusals import OPERATOR, operators_only
from local.azure.routing import Call, Kind, Route, route
from local.azure.wire import Reply, json_reply

_SITE = (
    "/subscriptions/{subscription}/resourceGroups/{group}/providers/"
    "Microsoft.Web/sites/{site}"
)
_ACTION = "Microsoft.Web/sites"


class Sites:
    """One app, by whatever name."""

    def __init__(self, identity: Identity) -> None:
        self.settings: dict[str, str] = {}
        self.published: list[bytes] = []
        self.brings: list[str] = []
        self.functions: list[str] = []
        self.roles_spread = 0
        self._deployments: dict[str, int] = {}
        self._identity = identity

    @property
    def routes(self) -> list[Route]:
        """What ARM guards."""
        return [
            route(Kind.SITE, "GET", _SITE, self._get),
            route(
                Kind.SITE, "POST", f"{_SITE}/config/appsettings/list", self._settings
            ),
            route(Kind.SITE, "GET", f"{_SITE}/functions", self._functions),
        ]

    @property
    def publishing(self) -> list[Route]:
        """The publishing endpoint, which looks at the bearer itself."""
        return [
            route(Kind.SITE, "POST", "/api/publish", self._publish),
            route(Kind.SITE, "GET", "/api/deployments/{deployment}", self._progress),
        ]

    @operators_only(f"{_ACTION}/read")
    def _get(self, call: Call) -> Reply:
        host = call.request.headers["host"]
        identity = {
            "principalId": self._identity.principal_id("app"),
            "clientId": self._identity.client_id("app"),
        }
        body = {
            "id": call.request.path,
            "name": call.parts["site"],
            "identity": {
                "type": "UserAssigned",
                "userAssignedIdentities": {"/the/identity/of/the/app": identity},
            },
            "properties": {
                "state": "Running",
                "hostNameSslStates": [
                    {"name": "app.example", "hostType": "Standard"},
                    {"name": host, "hostType": "Repository"},
                ],
            },
        }
        return json_reply(200, body)

    @operators_only(f"{_ACTION}/config/list/action")
    def _settings(self, _: Call) -> Reply:
        return json_reply(200, {"name": "appsettings", "properties": self.settings})

    @operators_only(f"{_ACTION}/functions/read")
    def _functions(self, call: Call) -> Reply:
        named = [
            {"name": f"{call.parts['site']}/{name}", "properties": {"name": name}}
            for name in self.functions
        ]
        return json_reply(200, {"value": named})

    def _publish(self, call: Call) -> Reply:
        """Take a package; before the roles have spread the storage says no."""
        if call.caller != OPERATOR:
            return json_reply(401, {})
        if self.roles_spread > 0:
            self.roles_spread -= 1
            return json_reply(403, _FORBIDDEN)
        self.published.append(call.request.body)
        identity = str(uuid.uuid4())
        self._deployments[identity] = 0
        return json_reply(202, identity)

    def _progress(self, call: Call) -> Reply:
        """Show some progress, and forget the deployment once it has ended."""
        if call.caller != OPERATOR:
            return json_reply(401, {})
        identity = call.parts["deployment"]
        seen = self._deployments.get(identity)
        if seen is None:
            return json_reply(404, {"Message": "no such deployment"})
        self._deployments[identity] = seen + 1
        if seen < 1:
            body = {"id": identity, "status": 1, "complete": False}
            return json_reply(200, body)
        del self._deployments[identity]
        self.functions = self.brings
        return json_reply(200, {"id": identity, "status": 4, "complete": True})


_FORBIDDEN = {
    "code": "BlobUploadFailedException",
    "message": "InaccessibleStorageException: Failed to access storage account for "
    "deployment: BlobUploadFailedException: Failed to upload blob to storage account: "
    "Response status code does not indicate success: 403 (This request is not "
    "authorized to perform this operation using this permission.).",
}
