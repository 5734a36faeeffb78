"""The name of a role assignment: one formula, here and in the templates, for ever.

ARM takes a second assignment of the same triple under another name for a mistake, and
the same name for another principal too. So the name is made of the whole triple, as
`guid(scope, principalId, role)` of Bicep makes it: a UUID 5 of the parts, with a dash
between them. `scope` is the resource's id as ARM writes it, `role` the GUID of the
definition.
"""

import uuid

BLOB_DATA_CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
# The roles of `infra/modules/roles.bicep` and `observers.bicep`.
OWN_ROLES = ("vm-operator", "vm-self-deallocate", "switch-observer")
_BICEP = uuid.UUID("11fb06fb-712d-4ddd-98c7-e71bbd588830")


def assignment_name(scope: str, principal: str, role: str) -> str:
    """Return the one name of a role given to a principal at a scope."""
    return str(uuid.uuid5(_BICEP, f"{scope}-{principal}-{role}"))


def own_role(group_id: str, name: str) -> str:
    """Return the GUID of a role of the deployment in a group."""
    return str(uuid.uuid5(_BICEP, f"{group_id}-{name}"))


def definition_id(subscription: str, role: str) -> str:
    """Return a built-in role's id as an assignment names it."""
    provider = "providers/Microsoft.Authorization"
    return f"/subscriptions/{subscription}/{provider}/roleDefinitions/{role}"
