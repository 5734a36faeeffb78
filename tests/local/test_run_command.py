"""Run-command as the real SDK sees it: taken, under way, ended, refused."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest
from azure.core.exceptions import HttpResponseError
from azure.core.rest import HttpRequest
from azure.identity import ManagedIdentityCredential
from azure.mgmt.compute import ComputeManagementClient

from local.azure import Kind, LocalAzure
from local.clock import SharedClock

GROUP, NAME = "rg-kimi", "vm-kimi-01"
SCRIPT = ["uname -r", "uptime"]


@pytest.fixture
def operators(azure: LocalAzure) -> Iterator[ComputeManagementClient]:
    """The client of somebody who may run commands."""
    client_id = azure.identity.client_id("operator")
    with (
        ManagedIdentityCredential(client_id=client_id) as credential,
        ComputeManagementClient(
            credential,
            azure.subscription_id,
            base_url=azure.arm_url,
            credential_scopes=["https://management.azure.com/.default"],
            retry_total=0,
            polling_interval=0,
        ) as client,
    ):
        yield client


@pytest.fixture
def running(azure: LocalAzure, clock: SharedClock) -> LocalAzure:
    azure.vm.start_outside()
    clock.advance(timedelta(minutes=2))
    return azure


def begin(
    client: ComputeManagementClient, command: str = "RunShellScript", **options: Any
) -> Any:
    body = {"commandId": command, "script": SCRIPT}
    machines = client.virtual_machines
    return machines.begin_run_command(GROUP, NAME, body, **options)


def send(client: ComputeManagementClient) -> str:
    """Send one without waiting and give its operation's URL."""
    seen: list[Any] = []
    begin(client, polling=False, raw_response_hook=seen.append)
    url: str = seen[-1].http_response.headers["Azure-AsyncOperation"]
    return url


def code(caught: pytest.ExceptionInfo[HttpResponseError]) -> tuple[int | None, str]:
    assert caught.value.error is not None
    assert caught.value.error.code is not None
    return caught.value.status_code, caught.value.error.code


def hurry(azure: LocalAzure) -> None:
    """Let a command take no time: the SDK's poller looks at once, or after 10 s."""
    machine = azure.vm.machine
    machine.timings = replace(machine.timings, run_command=timedelta(0))


def test_it_ends_with_both_streams_in_one_message(
    running: LocalAzure, operators: ComputeManagementClient
) -> None:
    """The SDK's own poller reads the end at the operation's two addresses."""
    running.vm.machine.console.prints = lambda script: (f"{len(script)} lines", "oh")
    hurry(running)
    (status,) = begin(operators).result(10).value
    assert status.code == "ProvisioningState/succeeded"
    assert status.message == "Enable succeeded: \n[stdout]\n2 lines\n[stderr]\noh"
    assert running.vm.machine.console.ran == [tuple(SCRIPT)]
    (seen,) = running.log.of(Kind.VM_RUN_COMMAND, target=NAME, caller="operator")
    assert seen.status == 202


def test_a_machine_that_is_off_is_refused(
    azure: LocalAzure, operators: ComputeManagementClient
) -> None:
    """In the words that Azure has for extensions."""
    with pytest.raises(HttpResponseError, match="when the VM is not running") as caught:
        begin(operators)
    assert code(caught) == (409, "OperationNotAllowed")
    assert azure.vm.machine.console.ran == []


def test_one_runs_at_a_time(
    running: LocalAzure, clock: SharedClock, operators: ComputeManagementClient
) -> None:
    """A second waits for nobody: it is refused."""
    send(operators)
    with pytest.raises(HttpResponseError, match="is in progress") as caught:
        send(operators)
    assert code(caught) == (409, "Conflict")
    clock.advance(timedelta(minutes=1))
    send(operators)
    assert len(running.vm.machine.console.ran) == 2


def test_one_that_loses_its_machine_fails(
    running: LocalAzure, clock: SharedClock, operators: ComputeManagementClient
) -> None:
    """It was taken, and the machine went off under it: there is no output."""
    url = send(operators)
    running.vm.deallocate_outside()
    clock.advance(timedelta(minutes=2))
    body = operators.send_request(HttpRequest("GET", url)).json()
    assert body["error"]["code"] == "OperationPreempted"
    assert "properties" not in body


def test_only_an_operator_may(
    running: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """Neither the switch nor the machine has that right."""
    answer = arm.post(f"{vm_path}/runCommand", json={"commandId": "RunShellScript"})
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "AuthorizationFailed"
    assert running.vm.machine.console.ran == []


def test_an_unknown_command_is_refused(
    running: LocalAzure, operators: ComputeManagementClient
) -> None:
    """Linux machines know their shell."""
    with pytest.raises(HttpResponseError) as caught:
        begin(operators, "RunPowerShellScript")
    assert code(caught) == (404, "NotFound")
    assert running.vm.machine.console.ran == []
