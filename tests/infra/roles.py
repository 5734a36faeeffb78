"""Who may do what where, read from a snapshot: each assignment with its three parts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from control.roles import assignment_name
from tests.infra.compiler import Document
from tests.infra.reading import Resource, of

ASSIGNMENT = "Microsoft.Authorization/roleAssignments"
DEFINITION = "Microsoft.Authorization/roleDefinitions"
BUILT_IN = {
    "ba92f5b4-2d11-453d-a403-e96b0029c9fe": "Storage Blob Data Contributor",
    "b7e6dc6d-f1e8-4753-8033-0f276bb0955b": "Storage Blob Data Owner",
    "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1": "Storage Blob Data Reader",
    "b86a8fe4-44ce-4948-aee5-eccb2c155cd7": "Key Vault Secrets Officer",
    "4633458b-17de-408a-b874-0445c86b69e6": "Key Vault Secrets User",
    "3913510d-42f4-4e42-8a64-420c390055eb": "Monitoring Metrics Publisher",
    "0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3": "Storage Table Data Contributor",
}
# An id that holds what only Azure knows stays an expression, with the scope in front.
_AT = re.compile(r"\[extensionResourceId\('([^']+)', 'M")
_AT_SUBSCRIPTION = re.compile(r"\[subscriptionResourceId\('([^']+)', 'M")
_NAME = re.compile(r"\[guid\('([^']+)', (.+), '([^']+)'\)\]")
_IDENTITY = re.compile(r"userAssignedIdentities/id-[a-z0-9]+-([\w-]+)")


@dataclass(frozen=True)
class Assignment:
    """One: `principal` and `name` may be expressions of what only Azure knows."""

    name: str
    scope: str
    principal: str
    kind: str
    role: str

    @property
    def is_named_by_the_formula(self) -> bool:
        """Whether the name is guid(scope, principal, role), and of these very three."""
        if found := _NAME.fullmatch(self.name):
            return found.groups() == (self.scope, self.principal, self.role)
        return self.name == assignment_name(self.scope, self.principal, self.role)


def assignments(snapshot: Document) -> Iterator[Assignment]:
    """Read all of them."""
    for each in of(snapshot, ASSIGNMENT):
        said = each["properties"]
        yield Assignment(
            name=each["name"],
            scope=_scope(each),
            principal=said["principalId"].removeprefix("[").removesuffix("]"),
            kind=said["principalType"],
            role=said["roleDefinitionId"].rpartition("/")[2],
        )


def _scope(assignment: Resource) -> str:
    if found := _AT.match(assignment["id"]):
        return found[1]
    if found := _AT_SUBSCRIPTION.match(assignment["id"]):
        return f"/subscriptions/{found[1]}"
    return str(assignment["id"]).partition(f"/providers/{ASSIGNMENT}")[0]


def who(assignment: Assignment, people: dict[str, str]) -> str:
    """Name the identity as the docs do."""
    found = _IDENTITY.search(assignment.principal)
    if found is None:
        return people[assignment.principal]
    return "switch" if found[1] == "switch" else "machine"


def role_names(snapshot: Document) -> dict[str, str]:
    """Return every role's name by its GUID, ours without their suffix."""
    ours = {
        each["name"]: each["properties"]["roleName"].partition(" (")[0]
        for each in of(snapshot, DEFINITION)
    }
    return BUILT_IN | ours
