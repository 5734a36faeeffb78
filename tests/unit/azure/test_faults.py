"""Which code means what, and what the SDKs' errors become."""

import json
from pathlib import Path
from typing import Any

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

SHARED = Path(__file__).parents[3].parent / "shared" / "azure"
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
        (503, None, "", Fault.UNAVAILABLE),
        (504, "ResourceReadFailed", "", Fault.UNAVAILABLE),
        (500, "MultipleErrorsOccurred", "", Fault.UNAVAILABLE),
        (500, "Conflict", "", Fault.UNAVAILABLE),
        (408, None, "", Fault.UNAVAILABLE),
        (302, None, "", Fault.UNAVAILABLE),
        (401, "ExpiredAuthenticationToken", "", Fault.UNAVAILABLE),
        (401, "Unauthorized", "", Fault.UNAVAILABLE),
        (None, "OSProvisioningTimedOut", "", Fault.OTHER),
        (None, "VMStartTimedOut", "", Fault.OTHER),
        (None, None, "", Fault.OTHER),
        (400, "400", "", Fault.OTHER),
    ],
)
def test_a_code_has_one_meaning(
    status: int | None, code: str | None, message: str, fault: Fault
) -> None:
    """Status, code and, where the code alone does not tell, the text decide."""
    assert classify(status, code, message) is fault


def test_the_codes_inside_are_looked_at() -> None:
    """A deployment that failed for capacity is told from one that met a conflict."""
    inner = ("Conflict", "ResourceDeploymentFailure", "ZonalAllocationFailed")
    assert classify(409, "DeploymentFailed", "", inner) is Fault.CAPACITY
    assert classify(409, "DeploymentFailed", "", inner[:2]) is Fault.CONFLICT


def test_every_fault_has_its_error() -> None:
    """The class that is raised carries the fault that was found, and the wait."""
    body = {"code": "OperationNotAllowed", "message": "Slow down."}
    refusal = error(429, said(body), 1200.0)
    assert isinstance(refusal, Throttled)
    assert refusal.evidence.retry_after == 1200.0
    assert refusal.evidence.status == 429
    assert isinstance(error(404, said({"code": "ResourceNotFound"})), NotFound)


# Every known code of the evidence, so that a new entry there is noticed here.
KNOWN = {
    "AllocationFailed": {Fault.CAPACITY},
    "OverconstrainedAllocationRequest": {Fault.CAPACITY},
    "OverConstrainedAllocationRequest": {Fault.CAPACITY},
    "OverconstrainedZonalAllocationRequest": {Fault.CAPACITY},
    "ZonalAllocationFailed": {Fault.CAPACITY},
    "SkuNotAvailable": {Fault.SKU},
    "SkuNotAvailable (nested)": {Fault.SKU},
    "OperationNotAllowed": {Fault.QUOTA, Fault.CONFLICT, Fault.THROTTLED},
    "QuotaExceeded": {Fault.QUOTA},
    "Conflict": {Fault.CONFLICT},
    "AttachDiskWhileBeingDetached": {Fault.CONFLICT},
    "ResourceUpdateBlockedOnPlatformUpdate": {Fault.CONFLICT},
    "VMNotFound": {Fault.UNAVAILABLE},
    "VMAgentStatusCommunicationError": {Fault.OTHER},
    "VMExtensionProvisioningTimeout": {Fault.OTHER},
    "VMExtensionProvisioningError": {Fault.OTHER},
    "NoSubscriptionMatchedQuota": {Fault.QUOTA},
    "OutOfTimeBudgetException": {Fault.OTHER},
    "FabricInternalOperationError": {Fault.OTHER},
    "NetworkingInternalOperationError": {Fault.OTHER},
    "InternalDiskManagementError": {Fault.OTHER},
    "OperationPreempted": {Fault.PREEMPTED},
    "VMStartTimedOut": {Fault.OTHER},
    "OSProvisioningTimedOut": {Fault.OTHER},
    "SubscriptionRequestsThrottled": {Fault.THROTTLED},
    "TooManyRequests": {Fault.THROTTLED},
    "RetryableError": {Fault.CONFLICT},
    "ReferencedResourceNotProvisioned": {Fault.CONFLICT},
    "AuthorizationFailed": {Fault.PERMISSION},
    "ExpiredAuthenticationToken": {Fault.UNAVAILABLE},
    "ResourceNotFound": {Fault.NOT_FOUND},
    "SubscriptionNotFound": {Fault.UNAVAILABLE},
    "ReadOnlyDisabledSubscription": {Fault.DISABLED},
    "ScopeLocked": {Fault.SCOPE_LOCK},
    "MissingSubscriptionRegistration": {Fault.OTHER},
    "RequestDisallowedByAzure": {Fault.PERMISSION},
    "MultipleErrorsOccurred (ServerTimeout)": {Fault.UNAVAILABLE},
    "(empty body)": {Fault.UNAVAILABLE},
    "ResourceReadFailed": {Fault.UNAVAILABLE},
    "GatewayTimeout": {Fault.UNAVAILABLE},
    "400 (string)": {Fault.OTHER},
    "(older text)": {Fault.OTHER},
    "429 (string)": {Fault.THROTTLED},
    "BadRequest": {Fault.OTHER},
    "AKV10000": {Fault.UNAVAILABLE},
}


def _evidence(path: str) -> Any:
    file = SHARED / path
    if not file.exists():
        pytest.skip(f"evidence ../shared/azure/{path} is missing")
    return json.loads(file.read_text())


def test_every_error_that_was_ever_seen_has_a_sensible_class() -> None:
    """The collected bodies are classified as the list above says, each of them."""
    wrong = []
    for entry in _evidence("errors/real_error_bodies.json"):
        status = None if entry["http_status"] == 200 else entry["http_status"]
        codes = [entry["code"]]
        if entry["code"] not in KNOWN:
            codes = entry["code"].split(" / ")
        for named in codes:
            code = named if " " not in named and "(" not in named else None
            fault = classify(status, code, entry["message"])
            if fault not in KNOWN[named]:
                wrong.append((status, named, fault))
    assert wrong == []


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        ("04_simulate_eviction_409_non_spot", Fault.CONFLICT),
        ("08_vmss_conflict_concurrent_409", Fault.CONFLICT),
        ("09_authorization_failed_403", Fault.PERMISSION),
        ("11_quota_exceeded_preflight_400", Fault.QUOTA),
        ("12_network_429_retryable", Fault.CONFLICT),
        ("14_scope_locked_409", Fault.SCOPE_LOCK),
        ("20_arm_429_SubscriptionRequestsThrottled_media", Fault.THROTTLED),
        ("32_java_504_gateway_timeout_write", Fault.UNAVAILABLE),
        ("33_java_aks_quota_409", Fault.QUOTA),
        ("34_java_missing_subscription_registration_409", Fault.OTHER),
        ("44_vm_resource_not_found_404", Fault.NOT_FOUND),
        ("46_expired_token_401", Fault.UNAVAILABLE),
        ("48_resource_not_found_404_old_message", Fault.NOT_FOUND),
        ("54_arm_429_SubscriptionRequestsThrottled_compute", Fault.THROTTLED),
    ],
)
def test_recorded_answers_are_read(file: str, fault: Fault) -> None:
    """Recorded traffic, with its wrappers, comes out as the right error."""
    answer = _evidence(f"recorded/{file}.json")["interactions"][0]["response"]
    assert error(answer["status"], said(answer["body"])).fault is fault


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
