"""Deployments on the wire: what they make, whatever Azure refuses, and their course."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import httpx
import pytest

from local.azure import Budget, LocalAzure, Power, Spec, Timings
from local.certificate import Certificate
from local.clock import SharedClock
from tests.local.wire import wire

FULL = "vm-kimi-01-eastus2"
NAMES = ("prefix", "createMachine", "mendMachine", "machineLocation", "customData")
MORE = ("osDiskId", "budgetsFrom")
TIMINGS = Timings(start=timedelta(seconds=10))


@pytest.fixture
def azure(clock: SharedClock, certificate: Certificate) -> Iterator[LocalAzure]:
    """One whose machine was never made."""
    spec = Spec(name=FULL, timings=TIMINGS)
    with LocalAzure(clock, certificate, machines=(spec,)) as running:
        running.vm.remove()
        yield running
        assert running.unknown_routes == []


@pytest.fixture
def client(azure: LocalAzure) -> Iterator[httpx.Client]:
    with wire(azure, "operator", "2024-11-01") as client:
        yield client


def template(*, only_where_none: bool = True) -> dict[str, Any]:
    vm: dict[str, Any] = {"type": "Microsoft.Compute/virtualMachines"}
    if only_where_none:
        vm["@options"] = {"onlyIfNotExists": True}
    parameters = {name: {"type": "string"} for name in (*NAMES, *MORE)}
    nested = {"properties": {"template": {"resources": {"vm": vm}}}}
    return {"parameters": parameters, "resources": {"vms": nested}}


def send(
    azure: LocalAzure,
    client: httpx.Client,
    *,
    location: str = "eastus2",
    mode: str = "Incremental",
    of: dict[str, Any] | None = None,
    **changed: str,
) -> httpx.Response:
    given = {
        "prefix": "kimi",
        "createMachine": "vm-kimi-01",
        "mendMachine": "",
        "machineLocation": "eastus2",
        "customData": "#cloud-config",
        "osDiskId": "",
        "budgetsFrom": "2026-11-01",
        **changed,
    }
    parameters = {name: {"value": value} for name, value in given.items()}
    properties = {"mode": mode, "template": of or template(), "parameters": parameters}
    body = {"location": location, "properties": properties}
    return client.put(path(azure), json=body)


def power(azure: LocalAzure) -> Power:
    return azure.vm.power


def path(azure: LocalAzure) -> str:
    at = f"/subscriptions/{azure.subscription_id}/providers/Microsoft.Resources"
    return f"{at}/deployments/one"


def course(azure: LocalAzure, client: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = client.get(path(azure)).json()["properties"]
    return found


def failure(azure: LocalAzure, client: httpx.Client) -> str:
    """Return the error as it stands there, wrapped and all."""
    said = course(azure, client)
    assert said["provisioningState"] == "Failed"
    return str(said["error"])


def test_making_a_machine_starts_it(
    azure: LocalAzure, client: httpx.Client, clock: SharedClock
) -> None:
    """It bills from then on; its roles come last."""
    assert send(azure, client).status_code == 201
    assert power(azure) is Power.STARTING
    assert course(azure, client)["provisioningState"] == "Running"
    clock.advance(timedelta(seconds=11))
    assert power(azure) is Power.RUNNING
    assert azure.role_assignments.all == []
    clock.advance(timedelta(seconds=4))
    assert course(azure, client)["provisioningState"] == "Succeeded"
    assert len(azure.role_assignments.all) == 2
    assert azure.vm.machine.disk.startswith(f"{FULL}_OsDisk_1_")


@pytest.mark.parametrize("starts", [True, False])
def test_one_that_is_there_is_met_either_way(
    azure: LocalAzure, client: httpx.Client, starts: object
) -> None:
    """No source says which is right."""
    azure.vm.restore()
    azure.deployments.put_starts = bool(starts)
    send(azure, client)
    expected = Power.STARTING if starts else Power.DEALLOCATED
    assert power(azure) is expected


def test_g04_custom_data_never_changes(
    azure: LocalAzure, client: httpx.Client, clock: SharedClock
) -> None:
    """G04: without `onlyIfNotExists` the machine would be written over: 409."""
    send(azure, client)
    clock.advance(timedelta(seconds=20))
    over = template(only_where_none=False)
    send(azure, client, of=over, customData="#other")
    assert "PropertyChangeNotAllowed" in failure(azure, client)
    send(azure, client, customData="#other")
    clock.advance(timedelta(seconds=20))
    assert course(azure, client)["provisioningState"] == "Succeeded"


def test_g14_a_name_stays_at_its_place(azure: LocalAzure, client: httpx.Client) -> None:
    """G14: so the region is in ours."""
    send(azure, client)
    again = send(azure, client, location="westus3")
    assert again.status_code == 409
    assert again.json()["error"]["code"] == "InvalidDeploymentLocation"
    active = send(azure, client)
    assert active.json()["error"]["code"] == "DeploymentActive"


def test_g20_only_incremental_is_taken(azure: LocalAzure, client: httpx.Client) -> None:
    """G20: and one without the machine keeps it."""
    assert send(azure, client, mode="Complete").status_code == 400
    azure.vm.restore()
    send(azure, client, createMachine="")
    assert azure.vm.machine.exists


def test_what_azure_refuses_before_it_begins(
    azure: LocalAzure, client: httpx.Client
) -> None:
    """A parameter that the template has not, or that nobody gave."""
    unknown = send(azure, client, nobodys="x")
    assert unknown.json()["error"]["code"] == "InvalidTemplate"
    bare = {"location": "eastus2", "properties": {"mode": "Incremental"}}
    assert client.put(path(azure), json=bare).status_code == 400


def test_a_deleted_vault_has_its_name(azure: LocalAzure, client: httpx.Client) -> None:
    """ConflictError, until it is purged."""
    azure.subscription.deleted["kva-kimix"] = azure.now()
    send(azure, client)
    assert "ConflictError" in failure(azure, client)
    assert not azure.vm.machine.exists


def test_a_budgets_first_day_never_changes(
    azure: LocalAzure, client: httpx.Client
) -> None:
    """Another one is refused; its own is taken."""
    start = datetime(2026, 10, 1, tzinfo=UTC)
    end = start + timedelta(days=200)
    budget = Budget(name="kimi-credit", amount=Decimal(1), start=start, end=end)
    azure.budgets.put(budget)
    send(azure, client)
    assert "Start date of budgets cannot be updated" in failure(azure, client)
    send(azure, client, budgetsFrom="2026-10-01")
    assert power(azure) is Power.STARTING


def test_a_card_is_kept_for_three_minutes(
    azure: LocalAzure, client: httpx.Client, clock: SharedClock
) -> None:
    """After its machine was deleted; the disk lies there by itself."""
    azure.deployments.keeps_card = True
    send(azure, client)
    clock.advance(timedelta(seconds=20))
    at = f"/subscriptions/{azure.subscription_id}/resourceGroups/rg-kimi/providers"
    vm = f"{at}/Microsoft.Compute/virtualMachines/{FULL}"
    disk = f"{at}/Microsoft.Compute/disks/{azure.vm.machine.disk}"
    assert client.delete(disk).json()["error"]["code"] == "OperationNotAllowed"
    assert client.delete(vm).status_code == 202
    assert client.delete(vm).status_code == 204
    assert client.get(disk).json()["properties"]["diskState"] == "Unattached"
    send(azure, client)
    assert "NicReservedForAnotherVm" in failure(azure, client)
    clock.advance(timedelta(seconds=181))
    send(azure, client)
    assert power(azure) is Power.STARTING
    assert client.delete(disk).status_code == 202
    assert client.get(disk).status_code == 404
    assert client.delete(disk).status_code == 204


def test_cancelling_does_not_stop_the_machine(
    azure: LocalAzure, client: httpx.Client, clock: SharedClock
) -> None:
    """What was begun comes on all the same."""
    send(azure, client)
    assert client.post(f"{path(azure)}/cancel").status_code == 204
    assert client.post(f"{path(azure)}/cancel").status_code == 409
    assert course(azure, client)["provisioningState"] == "Canceled"
    clock.advance(timedelta(seconds=20))
    assert power(azure) is Power.RUNNING


def test_only_the_operator_deploys(azure: LocalAzure) -> None:
    """Neither the app nor the machine."""
    for caller in ("app", "vm"):
        with wire(azure, caller, "2024-11-01") as client:
            assert send(azure, client).status_code == 403
            assert client.get(path(azure)).status_code == 403
            at = f"/subscriptions/{azure.subscription_id}/resourceGroups/rg-kimi"
            vm = f"{at}/providers/Microsoft.Compute/virtualMachines/{FULL}"
            assert client.delete(vm).status_code == 403
            assert client.delete(at).status_code == 403


def test_another_machine_is_none_of_this_azure(
    azure: LocalAzure, client: httpx.Client
) -> None:
    """It fails, and mending what is not there does too."""
    send(azure, client, createMachine="vm-other")
    assert "none of this Azure" in failure(azure, client)
    send(azure, client, createMachine="", mendMachine="vm-kimi-01")
    assert "was not found" in failure(azure, client)
