"""Least privilege: who may do what, as deployed and as docs/roles.md tells it."""

from pathlib import Path

import pytest

from tests.infra.compiler import Document
from tests.infra.reading import Resource, of, one, resources
from tests.infra.roles import ASSIGNMENT, DEFINITION, assignments, role_names, who
from tests.infra.sets import (
    ELSEWHERE,
    GOLDEN,
    OPERATOR,
    PERSON,
    SUBSCRIPTION,
    Snapshots,
)

DOCS = Path(__file__).parents[2] / "docs/roles.md"
PEOPLE = {PERSON: "deployer", OPERATOR: "operator"}
READS = {
    "Microsoft.Compute/virtualMachines/read",
    "Microsoft.Compute/virtualMachines/instanceView/read",
}
DEALLOCATE = "Microsoft.Compute/virtualMachines/deallocate/action"
START = "Microsoft.Compute/virtualMachines/start/action"


@pytest.mark.parametrize("name", GOLDEN)
def test_g01_g02_a_name_is_made_of_scope_principal_and_role(
    snapshots: Snapshots, name: str
) -> None:
    """G01, G02: by one formula; an identity made anew has a name that is free."""
    found = list(assignments(snapshots[name]))
    assert len(found) >= 8
    for each in found:
        assert each.is_named_by_the_formula, each
    assert len({each.name for each in found}) == len(found)


def test_no_scope_was_forgotten(template: Document) -> None:
    """The compiler takes that for the whole group."""
    for within, each in resources(template):
        if each["type"] == ASSIGNMENT:
            at_subscription = "subscriptionDeploymentTemplate" in within["$schema"]
            assert ("scope" in each) is not at_subscription


def test_the_docs_tell_who_may_do_what(snapshots: Snapshots) -> None:
    """Each row of the table, and no other."""
    told = {
        tuple(cell.strip(" `") for cell in line.strip("|\n").split("|")[:3])
        for line in DOCS.read_text().splitlines()
        if line.startswith("| `")
    }
    names = {**role_names(snapshots["on"])}
    found = {
        (who(each, PEOPLE), names[each.role], _place(each.scope))
        for name in ("off", "on")
        for each in assignments(snapshots[name])
    }
    assert found == told


def _place(scope: str) -> str:
    """Say where, without what differs between deployments."""
    if scope.count("/") == 2:
        return "subscription"
    kind, *names = scope.split("/providers/")[1].split("/")[1:]
    first = names[0]
    if kind == "storageAccounts":
        account = {"w": "weights", "l": "ledger", "a": "app"}[first[6]]
        return f"storage {account} {names[-1] if len(names) > 1 else ''}".strip()
    if kind == "vaults":
        return {"kva": "vault of the app", "kvm": "vault of the machine"}[first[:3]]
    return {"virtualMachines": "machine", "components": "telemetry"}[kind]


def test_nobody_holds_a_group_or_a_subscription(snapshots: Snapshots) -> None:
    """But for reading operations and the budget, which stand nowhere else."""
    broad = [e for e in assignments(snapshots["on"]) if "/providers/" not in e.scope]
    assert [each.scope for each in broad] == [f"/subscriptions/{SUBSCRIPTION}"] * 2
    names = role_names(snapshots["on"])
    assert {names[each.role] for each in broad} == {"Switch Observer"}
    assert {who(each, PEOPLE) for each in broad} == {"switch", "operator"}


def test_a_machine_has_nothing_of_another_one(snapshots: Snapshots) -> None:
    """Not its keys; and it deallocates itself alone."""
    mine: dict[str, set[str]] = {}
    for each in assignments(snapshots["second"]):
        if "id-kimi-vm-" in each.principal:
            mine.setdefault(each.principal, set()).add(each.scope)
    first, second = mine.values()
    shared = {scope.rpartition("/")[2] for scope in first & second}
    assert shared == {"models", "payload"}


def definitions(snapshots: Snapshots, name: str = "on") -> dict[str, Resource]:
    found = of(snapshots[name], DEFINITION)
    return {each["properties"]["roleName"].partition(" (")[0]: each for each in found}


def actions(definition: Resource) -> set[str]:
    (permission,) = definition["properties"]["permissions"]
    assert set(permission) == {"actions"}
    return set(permission["actions"])


def test_roles_of_our_own_are_narrow(snapshots: Snapshots) -> None:
    """No star, no power-off: a stop by any of them is a deallocation."""
    said = definitions(snapshots)
    assert actions(said["VM Operator"]) == {*READS, START, DEALLOCATE}
    assert actions(said["VM Self Deallocate"]) == {*READS, DEALLOCATE}
    assert actions(said["Switch Observer"]) == {
        "Microsoft.Compute/locations/operations/read",
        "Microsoft.Consumption/budgets/read",
    }
    group = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg-kimi"
    for name in ("VM Operator", "VM Self Deallocate"):
        assert said[name]["properties"]["assignableScopes"] == [group]


@pytest.mark.parametrize("other", ["mi300x", ELSEWHERE])
def test_g13_a_second_deployment_finds_its_names_free(
    snapshots: Snapshots, other: str
) -> None:
    """G13: a role's name is taken once in a tenant."""
    first, second = (of(snapshots[name], DEFINITION) for name in ("off", other))
    assert not {each["name"] for each in first} & {each["name"] for each in second}
    names = [each["properties"]["roleName"] for each in (*first, *second)]
    assert len(set(names)) == len(names) == 6
    assert max(map(len, names)) <= 128


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("off", {"User"}),
        ("a group deploys", {"Group"}),
        ("a pipeline deploys", {"ServicePrincipal"}),
        ("edge C", set()),
    ],
)
def test_g23_who_deploys_is_told_by_its_kind(
    snapshots: Snapshots, name: str, kinds: set[str]
) -> None:
    """G23: a pipeline is no user; an empty id gets nothing."""
    found = [e for e in assignments(snapshots[name]) if e.principal == PERSON]
    assert {each.kind for each in found} == kinds
    assert len(found) == (4 if kinds else 0)


def test_the_operator_is_a_group_where_it_is_one(snapshots: Snapshots) -> None:
    """The break-glass stop needs none of our code, and is seen to work."""
    made = snapshots["on"]
    found = [each for each in assignments(made) if each.principal == OPERATOR]
    assert {each.kind for each in found} == {"Group"}
    machine = one(made, "Microsoft.Compute/virtualMachines")["id"]
    assert [each.scope for each in found] == [f"/subscriptions/{SUBSCRIPTION}", machine]


def test_the_app_writes_no_payload(snapshots: Snapshots) -> None:
    """The machine runs it as root, and the app is open to the world."""
    owner = "b7e6dc6d-f1e8-4753-8033-0f276bb0955b"
    (said,) = (
        each["properties"]
        for each in of(snapshots["off"], ASSIGNMENT)
        if each["properties"].get("condition")
    )
    assert said["roleDefinitionId"].endswith(owner)
    assert said["conditionVersion"] == "2.0"
    for action in ("write", "add/action", "delete", "move/action"):
        assert f"blobs/{action}'}})" in said["condition"]
    end = "blobServices/containers:name] StringNotEquals 'payload'))"
    assert said["condition"].endswith(end)


def test_an_identity_of_ours_is_found_at_once(snapshots: Snapshots) -> None:
    """One that was just made is looked for, unless its kind is said."""
    for each in assignments(snapshots["on"]):
        if each.principal not in PEOPLE:
            assert each.kind == "ServicePrincipal"
