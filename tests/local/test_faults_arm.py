"""Refusals, throttling and lost answers, over HTTP: which calls, what words, what else.

Each row says which calls a fault refuses; all others have to pass, and a refused call
has to leave no operation behind unless the row says that Azure took it.
"""

import httpx
import pytest

from local.azure import Kind, LocalAzure, Power
from tests.local.faults_support import each, said, sees, soon
from tests.local.faults_wire import (
    CALLS,
    GATEWAY,
    NOT_ALLOWED,
    READS,
    WRITES,
    Caller,
    Row,
    refuses,
    verbs,
)


def not_allowed(why: str, words: str) -> Row:
    text = f"'deallocate' is not allowed on VM 'vm-kimi-01' since {words}"
    return Row(
        name="not_allowed",
        calls=("deallocate", "start", "powerOff"),
        words=(NOT_ALLOWED, text),
        parameters={"why": why},
    )


REFUSED = [
    Row(name="conflict", words=("Conflict ", "conflict with a concurrent request")),
    Row(
        name="power_is_changing",
        words=(NOT_ALLOWED, "changing power state of Virtual Machine vm-kimi-01 to"),
    ),
    Row(
        name="another_operation",
        words=(NOT_ALLOWED, "since another operation is in progress."),
    ),
    Row(
        name="marked_deallocated",
        words=(NOT_ALLOWED, "either deallocated or marked to be deallocated."),
    ),
    Row(name="marked_for_deletion", words=(NOT_ALLOWED, "is marked for deletion.")),
    Row(
        name="platform_update",
        words=("ResourceUpdateBlockedOnPlatformUpdate ", "ongoing platform update"),
    ),
    not_allowed("extension", "VM has extension 'AzureMonitorLinuxAgent' in failed"),
    not_allowed("running", "the VM is running. Please power off explicitly"),
    not_allowed("not_deallocated", "the VM is not deallocated."),
    not_allowed("generalized", "the VM is generalized."),
    Row(
        name="quota",
        calls=("start",),
        words=(NOT_ALLOWED, '"error"', "exceeding approved", "Cores quota"),
    ),
    Row(
        name="quota",
        calls=("start",),
        words=("QuotaExceeded ", '{"code"', "Cores quota"),
        parameters={"wording": "unwrapped"},
    ),
    Row(
        name="quota",
        calls=("start",),
        status=400,
        words=("InvalidTemplateDeployment ", '"details": [{"code": "QuotaExceeded"'),
        headers=GATEWAY,
        parameters={"wording": "preflight"},
    ),
    Row(
        name="sku_not_available",
        calls=("start",),
        words=("SkuNotAvailable ", "currently not available in location 'eastus2'"),
    ),
    Row(
        name="permission",
        status=403,
        words=("AuthorizationFailed ", "virtualMachines/start/action' over scope"),
        headers=GATEWAY,
    ),
    Row(
        name="group_missing",
        calls=(*READS, *WRITES),
        status=403,
        words=("AuthorizationFailed ", "or the scope is invalid"),
        headers=GATEWAY,
    ),
    Row(
        name="disabled_subscription",
        words=("ReadOnlyDisabledSubscription ", "until it is re-enabled."),
    ),
    Row(name="warned_subscription", words=("ReadOnlyDisabledSubscription ",)),
    Row(name="warned_subscription", calls=(), parameters={"blocks": False}),
    Row(
        name="region_policy",
        calls=("start",),
        status=403,
        words=("RequestDisallowedByAzure ", "best available regions"),
    ),
    Row(
        name="not_registered",
        words=("MissingSubscriptionRegistration ", "'Microsoft.Compute'"),
    ),
    Row(
        name="scope_lock",
        words=("ScopeLocked ", "locked: '/subscriptions/", "Please remove the lock"),
        headers=GATEWAY,
    ),
    Row(name="scope_lock_on_stop", calls=("deallocate",), words=("ScopeLocked ",)),
    Row(name="unavailable", calls=CALLS, status=503),
    Row(name="unreachable", calls=CALLS, status=0),
    Row(
        name="gateway_timeout",
        status=504,
        words=("ResourceReadFailed ", "GatewayTimeout"),
        taken=True,
    ),
    Row(
        name="gateway_timeout",
        status=504,
        words=("ResourceReadFailed ",),
        parameters={"takes": False},
    ),
    Row(name="answer_lost", status=0, taken=True),
    Row(
        name="token_expired",
        calls=CALLS,
        status=401,
        words=("ExpiredAuthenticationToken ", "is earlier than current UTC time"),
        headers={
            "www-authenticate": 'Bearer authorization_uri="https://login.windows.net/"'
            ', error="invalid_token", error_description="The access token has expired."'
        },
    ),
    Row(
        name="vm_not_found",
        calls=(*READS, *WRITES),
        status=404,
        words=("ResourceNotFound ", "'rg-kimi' was not found. For more", "NotFoundFix"),
        headers=GATEWAY,
    ),
    Row(
        name="vm_not_found",
        calls=(*READS, *WRITES),
        status=404,
        words=("ResourceNotFound ", "group 'rg-kimi' was not found.\"}"),
        parameters={"wording": "old"},
    ),
    Row(
        name="vm_not_found",
        calls=(*READS, *WRITES),
        status=404,
        words=("VMNotFound The VM 'vm-kimi-01' cannot be found.",),
        parameters={"wording": "compute"},
    ),
    Row(
        name="subscription_not_found",
        calls=CALLS,
        status=404,
        words=("SubscriptionNotFound ", "could not be found."),
    ),
]


@each(REFUSED)
def test_a_fault_refuses_its_own_calls_and_no_others(
    azure: LocalAzure, arm: httpx.Client, vm_path: str, row: Row
) -> None:
    """Status, code, words, headers; what was taken; until cleared or used up."""
    refuses(azure, Caller(azure, arm, vm_path), row)


@sees("force_refused")
def test_force_alone_is_refused(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """400 for a deallocate with `forceDeallocate`; a plain one is taken."""
    azure.vm.come_on()
    azure.faults.arm("force_refused", times=None)
    forced = arm.post(f"{vm_path}/deallocate", params={"forceDeallocate": "true"})
    assert (forced.status_code, azure.vm.power) == (400, Power.RUNNING)
    assert "InvalidParameter The query parameter 'forceDeallocate'" in said(forced)
    assert arm.post(f"{vm_path}/deallocate").status_code == 202
    azure.faults.clear()
    forced = arm.post(f"{vm_path}/deallocate", params={"forceDeallocate": "true"})
    assert forced.status_code == 202


@sees("slow", "accepted_slowly", "poll_slow")
@pytest.mark.parametrize(
    ("name", "call"),
    [("slow", "get"), ("accepted_slowly", "start"), ("poll_slow", "poll")],
)
def test_a_slow_answer_takes_real_seconds(
    azure: LocalAzure, arm: httpx.Client, vm_path: str, name: str, call: str
) -> None:
    """A client with less patience gives up; the call was taken, others are quick."""
    caller = Caller(azure, arm, vm_path)
    assert caller.ask("get") is not None
    azure.faults.arm(name, seconds=0.3)
    arm.timeout = httpx.Timeout(0.1)
    assert caller.ask(call) is None
    arm.timeout = httpx.Timeout(5)
    assert soon(lambda: azure.faults.armed == [])
    assert caller.ask("get") is not None
    assert soon(lambda: verbs(azure) == (["start"] if call == "start" else []))


def test_a_fault_meets_whom_it_is_meant_for(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """By caller, by target, by kind; all others pass."""
    azure.faults.arm("conflict", times=None, caller="vm")
    azure.faults.arm("conflict", times=None, target="vm-other")
    azure.faults.arm("conflict", times=None, kinds=frozenset({Kind.VM_DEALLOCATE}))
    assert arm.post(f"{vm_path}/start").status_code == 202
    assert arm.post(f"{vm_path}/deallocate").status_code == 409
    assert [each.left for each in azure.faults.armed] == [None] * 3


def test_the_first_armed_is_met_first(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """Two faults for one call are met one after the other."""
    azure.faults.arm("conflict")
    azure.faults.arm("too_many_requests")
    statuses = [arm.post(f"{vm_path}/start").status_code for _ in range(3)]
    assert statuses == [409, 429, 202]


def test_a_cleared_name_or_target_leaves_the_others(azure: LocalAzure) -> None:
    """Only what is named goes."""
    for name, target in (("conflict", "a"), ("conflict", "b"), ("quota", "a")):
        azure.faults.arm(name, target=target)
    azure.faults.clear("conflict", "a")
    left = [(each.name, each.target) for each in azure.faults.armed]
    assert left == [("conflict", "b"), ("quota", "a")]
    azure.faults.clear(target="a")
    assert [each.name for each in azure.faults.armed] == ["conflict"]
