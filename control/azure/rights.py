"""Whether an identity may do something to a resource, by the roles that ARM lists."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from control.azure.faults import unanswered
from control.azure.resources import Resources

_VERSION = "2022-04-01"
_MOST_PAGES = 10


def may(resources: Resources, scope: str, principal: str, action: str) -> bool:
    """Return whether some role of it, there or above, allows an action there.

    A role takes minutes to work after it is listed: this is needed, and not enough.
    """
    return any(
        _allows(role, action) for role in _roles(resources, scope, principal) if role
    )


def _roles(resources: Resources, scope: str, principal: str) -> Iterator[Any]:
    listed = resources.pages(
        f"{scope}/providers/Microsoft.Authorization/roleAssignments",
        _VERSION,
        _MOST_PAGES,
        filter=f"principalId eq '{principal}'",
    )
    try:
        for each in listed:
            said = each["properties"]
            if f"{scope.lower()}/".startswith(f"{said['scope'].lower()}/"):
                yield resources.read(said["roleDefinitionId"], _VERSION)
    except (KeyError, TypeError):
        raise unanswered("ARM's role assignments can't be read.") from None


def _allows(role: Any, action: str) -> bool:
    wanted = action.lower()
    for each in (role.get("properties") or {}).get("permissions") or ():
        allowed = any(fnmatchcase(wanted, one.lower()) for one in each["actions"])
        denied = any(fnmatchcase(wanted, one.lower()) for one in each["notActions"])
        if allowed and not denied:
            return True
    return False
