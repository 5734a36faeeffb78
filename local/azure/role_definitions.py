"""Role definitions: what an assignment's role may do. Only the operator reads them."""

from collections.abc import Sequence
from dataclasses import dataclass

from local.azure.refusals import operators_only
from local.azure.role_assignments import RoleAssignments
from local.azure.routing import Call, Kind, Route, anywhere
from local.azure.wire import Reply, error_reply, json_reply

PROVIDER = "providers/Microsoft.Authorization/roleDefinitions"
_PATH = (
    r"(?P<scope>/subscriptions/(?P<subscription>[^/]+)(?:/.+)?)"
    rf"/{PROVIDER}/(?P<role>[^/]+)/?"
)
_ACTION = "Microsoft.Authorization/roleDefinitions"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleDefinition:
    """One role; `scope` is where it may be given."""

    name: str
    title: str
    scope: str
    actions: Sequence[str]


class RoleDefinitions:
    """All of one subscription, by their GUID: any scope of it finds them."""

    def __init__(self, assignments: RoleAssignments) -> None:
        self.kept: dict[str, RoleDefinition] = {}
        self._assignments = assignments

    @property
    def routes(self) -> list[Route]:
        """Read and delete; ARM guards them."""
        return [
            anywhere(Kind.ROLE_READ, "GET", _PATH, self._get),
            anywhere(Kind.ROLE_WRITE, "DELETE", _PATH, self._delete),
        ]

    def add(self, role: RoleDefinition) -> None:
        """Make one without the wire."""
        self.kept[role.name.lower()] = role

    @operators_only(f"{_ACTION}/read")
    def _get(self, call: Call) -> Reply:
        found = self.kept.get(call.parts["role"].lower())
        if found is None:
            text = f"The role definition '{call.parts['role']}' is not found."
            return error_reply(404, "RoleDefinitionDoesNotExist", text)
        properties = {
            "roleName": found.title,
            "type": "CustomRole",
            "assignableScopes": [found.scope],
            "permissions": [
                {
                    "actions": list(found.actions),
                    "notActions": [],
                    "dataActions": [],
                    "notDataActions": [],
                }
            ],
        }
        path = f"{found.scope}/{PROVIDER}/{found.name}"
        body = {"id": path, "name": found.name, "properties": properties}
        return json_reply(200, body)

    @operators_only(f"{_ACTION}/delete")
    def _delete(self, call: Call) -> Reply:
        role = call.parts["role"].lower()
        if any(each.triple[2] == role for each in self._assignments.all):
            text = "There are existing role assignments referencing role (code: "
            return error_reply(
                400, "RoleDefinitionHasAssignments", f"{text}RoleDefinition)."
            )
        found = self.kept.pop(role, None)
        return Reply(status=204) if found is None else Reply(status=200, body=b"{}")
