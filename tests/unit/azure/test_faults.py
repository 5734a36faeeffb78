"""Which code means what, and what the SDKs' errors become."""

import json

import pytest
from azure.core.exceptions import HttpResponseError, ServiceRequestError

from control.azure.answers import said
from control.azure.faults import classify, error, translated, translated_for_ledger
from control.errors import (
    AzureError,
    LedgerUnavailable,
    NotFound,
    Throttled,
    Unavailable,
)
from control.words import Fault

QUOTA = (
    "Operation could not be completed as it results in exceeding approved "
    "standardNDISRH200V5Family Cores quota. (Minimum) New Limit Required: 96."
)
BUSY = "Operation 'start' is not allowed on VM 'vm-quota' since another is in progress."
SKU = "is currently not available. See https://aka.ms/azureskunotavailable for details."


@pytest.mark.parametrize(
    ("status", "code", "message", "fault"),
    [
        (None, "AllocationFailed", "", Fault.CAPACITY),
        (None, "ZonalAllocationFailed", "", Fault.CAPACITY),
        (None, "OverconstrainedAllocationRequest", "", Fault.CAPACITY),
        (None, "OverConstrainedAllocationRequest", "", Fault.CAPACITY),
        (None, "OverconstrainedZonalAllocationRequest", "", Fault.CAPACITY),
        (409, "SkuNotAvailable", "", Fault.SKU),
        (400, "InvalidTemplateDeployment", SKU, Fault.SKU),
        (409, "OperationNotAllowed", QUOTA, Fault.QUOTA),
        (409, "OperationNotAllowed", BUSY, Fault.CONFLICT),
        (429, "OperationNotAllowed", "", Fault.THROTTLED),
        (400, "QuotaExceeded", "", Fault.QUOTA),
        (409, "QuotaExceeded", "", Fault.QUOTA),
        (None, "NoSubscriptionMatchedQuota", "", Fault.QUOTA),
        (409, "Conflict", "", Fault.CONFLICT),
        (409, "SomethingNew", "", Fault.CONFLICT),
        (409, None, "", Fault.CONFLICT),
        (409, "MissingSubscriptionRegistration", "", Fault.OTHER),
        (None, "OperationPreempted", "", Fault.PREEMPTED),
        (409, "OperationPreempted", "", Fault.PREEMPTED),
        (403, "AuthorizationFailed", "", Fault.PERMISSION),
        (403, None, "", Fault.PERMISSION),
        (403, "RequestDisallowedByPolicy", "", Fault.PERMISSION),
        (404, "ResourceNotFound", "", Fault.NOT_FOUND),
        (404, "SubscriptionNotFound", "", Fault.UNAVAILABLE),
        (404, "ResourceGroupNotFound", "", Fault.UNAVAILABLE),
        (404, None, "", Fault.UNAVAILABLE),
        (None, "ResourceNotFound", "", Fault.OTHER),
        (409, "ReadOnlyDisabledSubscription", "", Fault.DISABLED),
        (403, "ReadOnlyDisabledSubscription", "", Fault.DISABLED),
        (409, "ScopeLocked", "", Fault.SCOPE_LOCK),
        (429, "SubscriptionRequestsThrottled", "", Fault.THROTTLED),
        (429, "TooManyRequests", "", Fault.THROTTLED),
        (429, "429", "", Fault.THROTTLED),
        (429, None, "", Fault.THROTTLED),
        (429, "RetryableError", "", Fault.CONFLICT),
        (400, "RetryableError", "", Fault.CONFLICT),
        (None, "ReferencedResourceNotProvisioned", "", Fault.CONFLICT),
        (503, None, "", Fault.UNAVAILABLE),
        (504, "ResourceReadFailed", "", Fault.UNAVAILABLE),
        (500, "MultipleErrorsOccurred", "", Fault.UNAVAILABLE),
        (500, "Conflict", "", Fault.UNAVAILABLE),
        (408, None, "", Fault.UNAVAILABLE),
        (408, "AllocationFailed", "", Fault.UNAVAILABLE),
        (302, None, "", Fault.UNAVAILABLE),
        (401, "ExpiredAuthenticationToken", "", Fault.UNAVAILABLE),
        (401, "Unauthorized", "", Fault.UNAVAILABLE),
        (None, "OSProvisioningTimedOut", "", Fault.OTHER),
        (None, "VMStartTimedOut", "", Fault.OTHER),
        (None, "VMExtensionProvisioningError", "", Fault.OTHER),
        (None, None, "", Fault.OTHER),
        (400, "400", "", Fault.OTHER),
    ],
)
def test_a_code_has_one_meaning(
    status: int | None, code: str | None, message: str, fault: Fault
) -> None:
    """Status, code and, where the code alone does not tell, the text decide."""
    assert classify(status, code, message) is fault


@pytest.mark.parametrize(
    ("why", "fault"),
    [
        ("since another operation is in progress.", Fault.CONFLICT),
        ("since it is marked to be deallocated.", Fault.CONFLICT),
        ("since it is marked for deletion. Retry only Delete.", Fault.OTHER),
        ("since the VM is generalized.", Fault.OTHER),
        ("since VM has extension 'monitor' in failed state.", Fault.OTHER),
        ("since the VM's quota is used up.", Fault.QUOTA),
    ],
)
@pytest.mark.parametrize("name", ["vm", "is generalized", "quota"])
def test_a_state_that_no_wait_mends_is_no_conflict(
    why: str, fault: Fault, name: str
) -> None:
    """Asking for half an hour would not help; a machine's name decides nothing."""
    message = f"Operation 'start' is not allowed on VM '{name}' {why}"
    assert classify(409, "OperationNotAllowed", message) is fault


def test_a_name_with_quota_in_it_is_no_quota() -> None:
    """Azure names the machine without quotes here."""
    message = "An ongoing operation is changing power state of Virtual Machine {}."
    for name in ("vm-quota", "quota-vm", "/groups/quota/vm"):
        said = message.format(name)
        assert classify(409, "OperationNotAllowed", said) is Fault.CONFLICT


@pytest.mark.parametrize(
    "code", ["AllocationFailed", "QuotaExceeded", "ScopeLocked", "TooManyRequests"]
)
@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_no_code_of_a_server_error_is_believed(status: int, code: str) -> None:
    """Azure may have taken the start: it must count as one that may still come."""
    assert classify(status, code) is Fault.UNAVAILABLE
    assert classify(status, "MultipleErrorsOccurred", "", [code]) is Fault.UNAVAILABLE


def test_the_codes_inside_are_looked_at() -> None:
    """A deployment that failed for capacity is told from one that met a conflict."""
    inner = ("Conflict", "ResourceDeploymentFailure", "ZonalAllocationFailed")
    assert classify(409, "DeploymentFailed", "", inner) is Fault.CAPACITY
    assert classify(409, "DeploymentFailed", "", inner[:2]) is Fault.CONFLICT
    quota = ("QuotaExceeded",)
    assert classify(400, "InvalidTemplateDeployment", "", quota) is Fault.QUOTA


def test_the_texts_inside_are_looked_at() -> None:
    """Where the code alone does not tell, its own text does, however deep it lies."""
    detail = {"code": "OperationNotAllowed", "message": QUOTA}
    deep = json.dumps({"error": {"code": "Conflict", "details": [detail]}})
    for details in ([detail], [{"code": "Conflict", "message": deep}]):
        outer = {"code": "DeploymentFailed", "message": "See inner errors."}
        assert error(409, said({"error": outer | {"details": details}})).fault is (
            Fault.QUOTA
        )


def test_every_fault_has_its_error() -> None:
    """The class that is raised carries the fault that was found, and the wait."""
    body = {"code": "OperationNotAllowed", "message": "Slow down."}
    refusal = error(429, said(body), 1200.0)
    assert isinstance(refusal, Throttled)
    assert refusal.evidence.retry_after == 1200.0
    assert refusal.evidence.status == 429
    assert isinstance(error(404, said({"code": "ResourceNotFound"})), NotFound)


@pytest.mark.parametrize(
    "raised",
    [
        ServiceRequestError("https://x.example/?sig=SECRET refused"),
        HttpResponseError("SECRET half a body"),
        ValueError("SECRET"),
        ConnectionResetError("SECRET"),
        TimeoutError("SECRET"),
        KeyError("SECRET"),
    ],
)
def test_whatever_a_client_raises_is_ours_and_silent(raised: Exception) -> None:
    """A lost call is `Unavailable`; neither it nor what is behind it can be logged."""
    with pytest.raises(Unavailable) as caught, translated():
        raise raised
    assert "SECRET" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    with pytest.raises(LedgerUnavailable) as lost, translated_for_ledger():
        raise raised
    assert "SECRET" not in str(lost.value)


def test_our_own_errors_pass_unchanged() -> None:
    """What is ours already is not translated again."""
    ours: AzureError = error(409, said({"code": "Conflict"}))
    with pytest.raises(AzureError) as caught, translated():
        raise ours
    assert caught.value is ours
