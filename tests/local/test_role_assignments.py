"""Role assignments on the wire: made once, listed by whom, removed, and refused."""

import uuid
from collections.abc import Iterator

import httpx
import pytest

from local.azure import LocalAzure
from tests.local.wire import wire

ROLE = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
PRINCIPAL, OTHER = str(uuid.UUID(int=7)), str(uuid.UUID(int=8))
NAME, SECOND = str(uuid.UUID(int=1)), str(uuid.UUID(int=2))
TYPE = "providers/Microsoft.Authorization/roleAssignments"


@pytest.fixture
def group(azure: LocalAzure) -> str:
    return f"/subscriptions/{azure.subscription_id}/resourceGroups/rg-kimi"


@pytest.fixture
def scope(group: str) -> str:
    account = f"{group}/providers/Microsoft.Storage/storageAccounts/stkimi"
    return f"{account}/blobServices/default/containers/models"


@pytest.fixture
def operators(azure: LocalAzure) -> Iterator[httpx.Client]:
    """A client of somebody who may give rights."""
    with wire(azure, "operator", "2022-04-01") as client:
        yield client


def put(
    client: httpx.Client, scope: str, name: str = NAME, principal: str = PRINCIPAL
) -> httpx.Response:
    subscription = scope.split("/")[2]
    definitions = "providers/Microsoft.Authorization/roleDefinitions"
    role = f"/subscriptions/{subscription}/{definitions}/{ROLE}"
    said = {
        "roleDefinitionId": role,
        "principalId": principal,
        "principalType": "ServicePrincipal",
    }
    return client.put(f"{scope}/{TYPE}/{name}", json={"properties": said})


def listed(client: httpx.Client, scope: str) -> list[str]:
    asked = {"$filter": f"principalId eq '{PRINCIPAL}'"}
    answer = client.get(f"{scope}/{TYPE}", params=asked)
    return [each["name"] for each in answer.json()["value"]]


def test_one_is_made_read_and_removed(operators: httpx.Client, scope: str) -> None:
    """Made is 201, made again 200; removed is 200, removed again 204."""
    assert [put(operators, scope).status_code for _ in range(2)] == [201, 200]
    read = operators.get(f"{scope}/{TYPE}/{NAME}").json()
    assert (read["name"], read["properties"]["scope"]) == (NAME, scope)
    path = f"{scope}/{TYPE}/{NAME}"
    assert [operators.delete(path).status_code for _ in range(2)] == [200, 204]
    gone = operators.get(path)
    assert gone.status_code == 404
    assert gone.json()["error"]["code"] == "RoleAssignmentNotFound"


def test_a_list_reaches_up_and_down(
    operators: httpx.Client, scope: str, group: str
) -> None:
    """By principal it shows what is at, above and below a scope."""
    put(operators, scope)
    put(operators, group, SECOND)
    put(operators, f"{group}2", str(uuid.UUID(int=3)))
    assert listed(operators, scope) == [NAME, SECOND]
    assert listed(operators, group) == [NAME, SECOND]
    assert len(operators.get(f"{group}/{TYPE}").json()["value"]) == 2
    odd = {"$filter": "role eq 1"}
    assert operators.get(f"{scope}/{TYPE}", params=odd).status_code == 400


def test_the_same_triple_is_refused_under_another_name(
    azure: LocalAzure, operators: httpx.Client, scope: str
) -> None:
    """In whatever case; and a name can't take another principal."""
    put(operators, scope)
    again = put(operators, scope.replace("rg-kimi", "RG-KIMI"), SECOND)
    assert again.status_code == 409
    assert again.json()["error"]["code"] == "RoleAssignmentExists"
    other = put(operators, scope, NAME, OTHER)
    assert other.status_code == 400
    assert other.json()["error"]["code"] == "RoleAssignmentUpdateNotPermitted"
    assert len(azure.role_assignments.all) == 1


@pytest.mark.parametrize("name", ["storage-writer", NAME])
def test_what_is_no_assignment_is_refused(
    operators: httpx.Client, scope: str, name: str
) -> None:
    """A name is a GUID, and so is a principal."""
    assert put(operators, scope, name, "somebody").status_code == 400


def test_only_an_operator_may(azure: LocalAzure, arm: httpx.Client, scope: str) -> None:
    """The switch's own identity gives nobody a right, and sees none."""
    path = f"{scope}/{TYPE}"
    answers = [
        put(arm, scope),
        arm.delete(f"{path}/{NAME}"),
        arm.get(f"{path}/{NAME}"),
        arm.get(path),
    ]
    assert {answer.status_code for answer in answers} == {403}
    codes = {answer.json()["error"]["code"] for answer in answers}
    assert codes == {"AuthorizationFailed"}
    assert azure.role_assignments.all == []
