"""Role assignments at any scope: who may do what, as ARM keeps it.

Only the operator may write or read them; they grant nothing here.
"""

import re
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from local.azure.refusals import operators_only
from local.azure.routing import Call, Kind, Route, anywhere
from local.azure.wire import Reply, error_reply, json_reply, zulu

_PATH = (
    r"(?P<scope>/subscriptions/(?P<subscription>[^/]+)(?:/.+)?)"
    r"/providers/Microsoft\.Authorization/roleAssignments"
)
_ACTION = "Microsoft.Authorization/roleAssignments"
_FILTER = re.compile(r"principalId eq '?([0-9a-f-]{36})'?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleAssignment:
    """One assignment; its triple may exist once."""

    name: str
    scope: str
    principal: str
    role: str
    principal_type: str
    at: datetime

    @property
    def triple(self) -> tuple[str, str, str]:
        role = self.role.rpartition("/")[2]
        return self.scope.lower(), self.principal.lower(), role.lower()

    def body(self) -> dict[str, Any]:
        at = zulu(self.at)
        path = "providers/Microsoft.Authorization/roleAssignments"
        return {
            "properties": {
                "roleDefinitionId": self.role,
                "principalId": self.principal,
                "principalType": self.principal_type,
                "scope": self.scope,
                "condition": None,
                "conditionVersion": None,
                "createdOn": at,
                "updatedOn": at,
                "description": None,
            },
            "id": f"{self.scope}/{path}/{self.name}",
            "type": "Microsoft.Authorization/roleAssignments",
            "name": self.name,
        }


class RoleAssignments:
    """All of one subscription, by their scope and name."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], RoleAssignment] = {}

    @property
    def all(self) -> list[RoleAssignment]:
        """In the order they were made."""
        return list(self._kept.values())

    def add(self, assignment: RoleAssignment) -> None:
        """Make one without the wire."""
        self._kept[_key(assignment.scope, assignment.name)] = assignment

    def listed(self) -> list[RoleAssignment]:
        """What lists show: ARM's may be older than what it has just taken."""
        return self.all

    @property
    def routes(self) -> list[Route]:
        """List, read, make and remove."""
        one = _PATH + r"/(?P<assignment>[^/]+)/?"
        return [
            anywhere(Kind.ROLE_READ, "GET", _PATH + "/?", self._list),
            anywhere(Kind.ROLE_READ, "GET", one, self._get),
            anywhere(Kind.ROLE_WRITE, "PUT", one, self._put),
            anywhere(Kind.ROLE_WRITE, "DELETE", one, self._delete),
        ]

    @operators_only(f"{_ACTION}/read")
    def _list(self, call: Call) -> Reply:
        asked = call.request.query.get("$filter", "")
        found = _FILTER.fullmatch(asked)
        if asked and found is None:
            text = f"The filter '{asked}' is not supported."
            return error_reply(400, "UnsupportedQuery", text)
        scope, principal = call.parts["scope"], found[1].lower() if found else None
        listed = [
            each.body()
            for each in self.listed()
            if principal in {None, each.principal.lower()}
            and _related(each.scope, scope)
        ]
        return json_reply(200, {"value": listed})

    @operators_only(f"{_ACTION}/read")
    def _get(self, call: Call) -> Reply:
        kept = self._kept.get(_asked(call))
        return _absent(call) if kept is None else json_reply(200, kept.body())

    @operators_only(f"{_ACTION}/write")
    def _put(self, call: Call) -> Reply:
        made = _made(call)
        if made is None:
            text = "The role assignment is not valid."
            return error_reply(400, "InvalidCreateRoleAssignmentRequest", text)
        kept = self._kept.get(_asked(call))
        if kept is not None:
            same = kept.triple == made.triple
            return json_reply(200, kept.body()) if same else _not_updatable()
        for each in self.all:
            if each.triple == made.triple:
                return _exists(each)
        self.add(made)
        return json_reply(201, made.body())

    @operators_only(f"{_ACTION}/delete")
    def _delete(self, call: Call) -> Reply:
        kept = self._kept.pop(_asked(call), None)
        return Reply(status=204) if kept is None else json_reply(200, kept.body())


def _key(scope: str, name: str) -> tuple[str, str]:
    return scope.lower(), name.lower()


def _asked(call: Call) -> tuple[str, str]:
    return _key(call.parts["scope"], call.parts["assignment"])


def _related(theirs: str, asked: str) -> bool:
    """Whether a scope is at, above or below another."""
    one, other = f"{theirs.lower()}/", f"{asked.lower()}/"
    return one.startswith(other) or other.startswith(one)


def _made(call: Call) -> RoleAssignment | None:
    """Read the body; the name must be a GUID."""
    said = call.request.json().get("properties") or {}
    try:
        name = str(uuid.UUID(call.parts["assignment"]))
        principal = str(uuid.UUID(said["principalId"]))
        role = said["roleDefinitionId"]
    except (KeyError, ValueError, TypeError, AttributeError):
        return None
    return RoleAssignment(
        name=name,
        scope=call.parts["scope"],
        principal=principal,
        role=role,
        principal_type=said.get("principalType", "User"),
        at=call.at,
    )


def _exists(there: RoleAssignment) -> Reply:
    bare = there.name.replace("-", "")
    text = (
        "The role assignment already exists. The ID of the existing role assignment is "
        f"{bare}."
    )
    return error_reply(409, "RoleAssignmentExists", text)


def _not_updatable() -> Reply:
    text = (
        "Tenant ID, application ID, principal ID, and scope are not allowed to be "
        "updated."
    )
    return error_reply(400, "RoleAssignmentUpdateNotPermitted", text)


def _absent(call: Call) -> Reply:
    name = call.parts["assignment"]
    text = f"The role assignment '{name}' is not found."
    return error_reply(404, "RoleAssignmentNotFound", text)
