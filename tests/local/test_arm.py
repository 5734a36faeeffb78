"""ARM as the real SDK sees it: reads, operations, refusals, and what is billed."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.core.rest import HttpRequest
from azure.mgmt.compute import ComputeManagementClient

from local.azure import Kind, LocalAzure, Power
from local.clock import SharedClock

GROUP, NAME = "rg-kimi", "vm-kimi-01"


def seconds(count: float) -> timedelta:
    return timedelta(seconds=count)


def codes(compute: ComputeManagementClient) -> list[str]:
    view = compute.virtual_machines.instance_view(GROUP, NAME)
    return [status.code for status in view.statuses]


def send(compute: ComputeManagementClient, verb: str, **query: Any) -> str:
    """Send an operation without waiting and give its URL."""
    kept: dict[str, str] = {}

    def keep(reply: Any) -> None:
        kept.update(reply.http_response.headers)

    begin = getattr(compute.virtual_machines, f"begin_{verb}")
    begin(GROUP, NAME, polling=False, raw_response_hook=keep, **query)
    return kept["Azure-AsyncOperation"]


def code(error: HttpResponseError) -> str:
    assert error.error is not None
    assert error.error.code is not None
    return error.error.code


def poll(compute: ComputeManagementClient, url: str) -> dict[str, Any]:
    body: dict[str, Any] = compute.send_request(HttpRequest("GET", url)).json()
    return body


def test_a_start_runs_its_course(
    azure: LocalAzure, clock: SharedClock, compute: ComputeManagementClient
) -> None:
    """Nothing, then starting, then running; the operation ends with a time."""
    url = send(compute, "start")
    clock.advance(seconds(4))
    assert codes(compute) == ["ProvisioningState/updating"]
    clock.advance(seconds(6))
    assert codes(compute) == ["ProvisioningState/updating", "PowerState/starting"]
    assert poll(compute, url)["status"] == "InProgress"
    clock.advance(seconds(30))
    assert codes(compute) == ["ProvisioningState/succeeded", "PowerState/running"]
    assert poll(compute, url)["endTime"] == "2026-11-30T10:00:40.0000000+00:00"
    assert len(azure.log.of(Kind.VM_START, target=NAME, caller="app")) == 1


def test_only_an_expanded_read_tells_the_power(
    compute: ComputeManagementClient,
) -> None:
    """A plain GET has no instance view; an expanded one brings the tags as well."""
    assert compute.virtual_machines.get(GROUP, NAME).instance_view is None
    expanded = compute.virtual_machines.get(GROUP, NAME, expand="instanceView")
    assert expanded.instance_view.statuses[1].code == "PowerState/deallocated"
    assert expanded.hardware_profile.vm_size == "Standard_ND96isr_H200_v5"
    assert expanded.tags == {}


def test_a_deallocate_ends_the_billing_at_once(
    azure: LocalAzure, clock: SharedClock, compute: ComputeManagementClient
) -> None:
    """Starting and running are billed, deallocating is not."""
    send(compute, "start")
    clock.advance(seconds(100))
    url = send(compute, "deallocate", hibernate=False)
    clock.advance(seconds(20))
    assert codes(compute)[1] == "PowerState/deallocating"
    clock.advance(seconds(600))
    assert codes(compute)[1] == "PowerState/deallocated"
    assert poll(compute, url)["endTime"].startswith("2026-11-30T10:02:25")
    assert azure.vm.billed_seconds() == 100


def test_a_second_deallocate_ends_with_the_first(
    clock: SharedClock, compute: ComputeManagementClient
) -> None:
    """Pressing again neither prolongs the stop nor fails the first operation."""
    send(compute, "start")
    clock.advance(seconds(60))
    urls = [send(compute, "deallocate")]
    clock.advance(seconds(40))
    urls.append(send(compute, "deallocate"))
    clock.advance(seconds(5))
    assert [poll(compute, url)["status"] for url in urls] == ["Succeeded"] * 2


def test_a_deallocate_preempts_a_start(
    azure: LocalAzure, clock: SharedClock, compute: ComputeManagementClient
) -> None:
    """The start fails as OperationPreempted and the machine never runs."""
    url = send(compute, "start")
    clock.advance(seconds(10))
    send(compute, "deallocate")
    clock.advance(seconds(300))
    assert poll(compute, url)["error"]["code"] == "OperationPreempted"
    assert azure.vm.power is Power.DEALLOCATED
    assert azure.vm.billed_seconds() == 10


def test_a_start_while_deallocating(
    azure: LocalAzure, clock: SharedClock, compute: ComputeManagementClient
) -> None:
    """It is refused; Azure's other neighbour, preemption, can be chosen."""
    send(compute, "start")
    clock.advance(seconds(60))
    send(compute, "deallocate")
    with pytest.raises(HttpResponseError) as caught:
        send(compute, "start")
    assert code(caught.value) == "OperationNotAllowed"
    azure.faults.arm("while_busy", answer="preempts")
    send(compute, "start")
    clock.advance(seconds(60))
    assert azure.vm.power is Power.RUNNING


def test_power_off_makes_a_free_machine_a_billed_one(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """As Azure does it; the log counts it, and its 202 has no Retry-After."""
    answer = arm.post(f"{vm_path}/powerOff", params={"skipShutdown": "false"})
    assert answer.status_code == 202
    assert "retry-after" not in answer.headers
    clock.advance(seconds(3608))
    assert azure.vm.power is Power.STOPPED
    assert azure.vm.billed_seconds() == 3608
    assert len(azure.log.of(Kind.VM_POWER_OFF)) == 1


def test_a_shutdown_inside_is_still_billed(
    azure: LocalAzure, clock: SharedClock, compute: ComputeManagementClient
) -> None:
    """`poweroff` in the guest leaves the machine stopped and allocated."""
    send(compute, "start")
    clock.advance(seconds(60))
    azure.vm.shut_down_inside()
    clock.advance(seconds(60))
    assert codes(compute)[1] == "PowerState/stopped"
    assert azure.vm.billed_seconds() == 120


def test_operations_need_no_utc(
    azure: LocalAzure, compute: ComputeManagementClient
) -> None:
    """An operation's times may carry another offset than Azure's own."""
    azure.arm.operation_offset = timedelta(hours=8)
    body = poll(compute, send(compute, "start"))
    assert body["startTime"] == "2026-11-30T18:00:00.0000000+08:00"


def test_the_monitor_url_is_empty_at_the_end(
    clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """`Location` answers 202 while the operation works and an empty 200 after."""
    location = arm.post(f"{vm_path}/start").headers["location"]
    path = location.partition("?")[0]
    query = {"monitor": "true", "api-version": "2025-04-01"}
    assert arm.get(path, params=query).status_code == 202
    clock.advance(seconds(60))
    ended = arm.get(path, params=query)
    assert (ended.status_code, ended.content) == (200, b"")


@pytest.mark.parametrize(
    ("name", "group", "status", "answer"),
    [
        ("vm-other", GROUP, 404, "ResourceNotFound"),
        (NAME, "rg-other", 403, "AuthorizationFailed"),
    ],
)
def test_strangers(
    compute: ComputeManagementClient, name: str, group: str, status: int, answer: str
) -> None:
    """An unknown machine is 404; a group that is not there is 403."""
    with pytest.raises(HttpResponseError) as caught:
        compute.virtual_machines.get(group, name)
    assert (caught.value.status_code, code(caught.value)) == (status, answer)


def test_a_removed_machine_is_not_found(
    azure: LocalAzure, compute: ComputeManagementClient
) -> None:
    """Deleted is 404 until it is there again, deallocated."""
    azure.vm.remove()
    with pytest.raises(ResourceNotFoundError):
        compute.virtual_machines.get(GROUP, NAME)
    azure.vm.restore()
    assert codes(compute)[1] == "PowerState/deallocated"


def test_tokens_are_checked(azure: LocalAzure, arm: httpx.Client, vm_path: str) -> None:
    """None, a stranger's, an expired one and one for another service are 401."""
    storage = azure.identity.issue("app", "https://storage.azure.com").text
    old = azure.identity.issue(
        "app", "https://management.azure.com", timedelta(seconds=-1)
    ).text
    found = []
    for token in ("", "stranger", old, storage):
        answer = arm.get(vm_path, headers={"Authorization": f"Bearer {token}".strip()})
        assert answer.status_code == 401
        found.append(answer.json()["error"]["code"])
    assert found == [
        "AuthenticationFailed",
        "InvalidAuthenticationToken",
        "ExpiredAuthenticationToken",
        "InvalidAuthenticationTokenAudience",
    ]


def test_no_token_stands_in_the_log(
    azure: LocalAzure, compute: ComputeManagementClient
) -> None:
    """The log says who asked, and shows neither token nor identity secret."""
    codes(compute)
    assert {entry.caller for entry in azure.log.of(Kind.VM_VIEW)} == {"app"}
    shown = repr(azure.log.seen)
    assert "Bearer" not in shown
    assert azure.identity_secret not in shown


def test_an_unknown_route_is_remembered(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """501, and the name of the route stays for the fixture to fail on."""
    assert arm.post(f"{vm_path}/restart").status_code == 501
    assert azure.unknown_routes == [f"arm: POST {vm_path}/restart"]
    azure.log.clear()


def test_a_second_machine_lives_its_own_life(
    azure: LocalAzure, compute: ComputeManagementClient
) -> None:
    """What is asked of one is asked of one; names ignore case, as in Azure."""
    compute.virtual_machines.begin_start("RG-KIMI", "VM-Kimi-01", polling=False)
    assert azure.vm.power is Power.STARTING
    assert azure.machine(NAME) is azure.vm
