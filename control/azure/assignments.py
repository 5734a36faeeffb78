"""Role assignments through azure-mgmt-authorization: give, take away, and look.

A right counts whatever the name of its assignment, so taking it away takes all of them
that the principal has at the scope; one from higher up is only told of.
"""

from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from azure.core.exceptions import HttpResponseError

from control.azure.arm import call_options, client_options
from control.azure.deadline import Deadline, within
from control.azure.faults import translated, words_of
from control.azure.lazy import Lazy
from control.azure.sentences import explained, needs, silence_named
from control.roles import assignment_name, definition_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from azure.core.credentials import TokenCredential

_SECONDS = 20.0
_OPTIONS = call_options(_SECONDS)
_EXISTS = "roleassignmentexists"
_WORDS = {
    "authorizationfailed": "Your login needs the role Owner, User Access Administrator "
    "or Role Based Access Control Administrator there.",
    "principalnotfound": "MACHINE_PRINCIPAL_ID is the identity's object id (`az "
    "identity show --query principalId`), not its client id.",
    "invalidauthenticationtokentenant": "The login is of another tenant: `az login "
    "--tenant ID`.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One assignment of the role to the principal, here or higher up."""

    name: str
    scope: str


class Assignments:
    """The assignments of one subscription, as the person at the command line."""

    def __init__(
        self, *, credential: "TokenCredential", endpoint: str, subscription: str
    ) -> None:
        self._subscription = subscription
        self._client = Lazy(partial(_client, credential, endpoint, subscription))

    def give(self, scope: str, principal: str, role: str) -> bool:
        """Give an identity a role; False where it had it already."""
        name = assignment_name(scope, principal, role)
        body = {
            "principal_id": principal,
            "role_definition_id": definition_id(self._subscription, role),
            "principal_type": "ServicePrincipal",
        }

        def create(assignments: Any, deadline: Deadline) -> bool:
            seen = list[Any]()
            try:
                assignments.create(
                    scope,
                    name,
                    _parameters(body),
                    raw_response_hook=seen.append,
                    deadline=deadline,
                    **_OPTIONS,
                )
            except HttpResponseError as refusal:
                if (words_of(refusal).code or "").lower() == _EXISTS:
                    return False
                raise
            status: int = seen[-1].http_response.status_code
            return status == HTTPStatus.CREATED

        return self._call(create)

    def found(self, scope: str, principal: str, role: str) -> tuple[Assignment, ...]:
        """Return where the principal has the role, at the scope or above it."""

        def read(assignments: Any, deadline: Deadline) -> tuple[Assignment, ...]:
            listed = assignments.list_for_scope(
                scope,
                filter=f"principalId eq '{principal}'",
                deadline=deadline,
                **_OPTIONS,
            )
            return tuple(
                Assignment(name=each.name, scope=each.scope)
                for each in listed
                if _is_of(each, principal, role) and _reaches(each.scope, scope)
            )

        return self._call(read)

    def take(self, assignment: Assignment) -> None:
        """Take one assignment away; one that is gone already is no error."""

        def delete(assignments: Any, deadline: Deadline) -> None:
            try:
                assignments.delete(
                    assignment.scope, assignment.name, deadline=deadline, **_OPTIONS
                )
            except HttpResponseError as refusal:
                if refusal.status_code != HTTPStatus.NOT_FOUND:
                    raise

        self._call(delete)

    def _call[T](self, call: "Callable[[Any, Deadline], T]") -> T:
        with (
            silence_named("Azure Resource Manager", "ARM_ENDPOINT"),
            explained(_WORDS),
            translated(),
        ):
            assignments = self._client().role_assignments
            return within(_SECONDS, partial(call, assignments))


def _is_of(listed: Any, principal: str, role: str) -> bool:
    theirs: str = listed.role_definition_id
    named = theirs.rpartition("/")[2].lower()
    whose: str = listed.principal_id
    return named == role.lower() and whose.lower() == principal.lower()


def _reaches(theirs: str, scope: str) -> bool:
    """Say whether an assignment at one scope holds at another."""
    above = theirs.rstrip("/").lower()
    return f"{scope.lower()}/".startswith(f"{above}/")


def _parameters(body: dict[str, str]) -> Any:
    from azure.mgmt.authorization.v2022_04_01.models import (  # noqa: PLC0415 - slow
        RoleAssignmentCreateParameters,
    )

    return RoleAssignmentCreateParameters(**body)


def _client(credential: "TokenCredential", endpoint: str, subscription: str) -> Any:
    with needs("azure-mgmt-authorization"):
        from azure.mgmt.authorization.v2022_04_01 import (  # noqa: PLC0415 - slow
            AuthorizationManagementClient,
        )

    return AuthorizationManagementClient(
        credential, subscription, **client_options(credential, endpoint)
    )
