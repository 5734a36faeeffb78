"""The several 429 of Azure and what an operation's URL may answer, over HTTP."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from local.azure import LocalAzure
from local.clock import SharedClock
from tests.local.faults_support import each, sees
from tests.local.faults_wire import GATEWAY, NOT_ALLOWED, READS, Caller, Row, refuses

LEFT = "x-ms-ratelimit-remaining-resource"


def throttled(name: str, *words: str, wait: str | None = None, **given: Any) -> Row:
    return Row(
        name=name,
        status=429,
        words=words,
        headers={"retry-after": wait},
        parameters=given,
    )


REFUSED = [
    throttled(
        "throttled_by_compute",
        NOT_ALLOWED,
        '{"code": "OperationNotAllowed"',
        '"code": "TooManyRequests", "target": "UpdateVM30Min"',
        "allowedRequestCount",
        wait="1200",
    ),
    throttled("throttled_by_compute", NOT_ALLOWED, retry_after=None),
    throttled(
        "throttled_by_compute_newer",
        NOT_ALLOWED,
        '"innererror": {"internalErrorCode": "TooManyRequestsReceived"}',
    ),
    throttled("throttled_by_compute_newer", wait="7", retry_after=7),
    throttled(
        "throttled_by_arm",
        "SubscriptionRequestsThrottled ",
        "exceeded the limit of '1200' for time interval '01:00:00'",
        "after '306' seconds",
    ),
    throttled("throttled_by_arm", "after '60' seconds", seconds=60),
    throttled(
        "throttled_by_storage",
        "SubscriptionRequestsThrottled ",
        "exceeded the backend storage limit",
        "after '6' seconds",
    ),
    throttled("throttled_by_storage", "after '0' seconds", seconds=0),
    throttled("throttled_resource", "ResourceRequestsThrottled ", "'15' seconds"),
    throttled("too_many_requests", "TooManyRequests The request is being throttled."),
    throttled(
        "network_busy",
        "RetryableError ",
        '"details": [{"code": "ReferencedResourceNotProvisioned"',
    ),
    Row(
        name="reads_throttled",
        calls=READS,
        status=429,
        words=(NOT_ALLOWED, '"target": "LowCostGet30Min"'),
        headers={"retry-after": "60"},
    ),
    Row(
        name="poll_not_found",
        calls=("poll",),
        status=404,
        words=("NotFound The entity was not found.",),
    ),
    Row(
        name="poll_forbidden",
        calls=("poll",),
        status=403,
        words=("AuthorizationFailed ", "Microsoft.Compute/locations/operations/read"),
    ),
    Row(
        name="poll_error",
        calls=("poll",),
        status=500,
        words=("MultipleErrorsOccurred ", "ServerTimeout"),
        headers=GATEWAY,
    ),
    Row(name="poll_unavailable", calls=("poll",), status=503),
    Row(
        name="poll_throttled",
        calls=("poll",),
        status=429,
        words=(NOT_ALLOWED, '"target": "GetOperation30Min"'),
        headers={"retry-after": "60"},
    ),
]


@each(REFUSED)
def test_a_fault_refuses_its_own_calls_and_no_others(
    azure: LocalAzure, arm: httpx.Client, vm_path: str, row: Row
) -> None:
    """Status, code, words, headers; what was taken; until cleared or used up."""
    refuses(azure, Caller(azure, arm, vm_path), row)


@sees("throttled_by_compute")
def test_compute_tells_what_is_left_in_two_lines_of_one_header(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """The long window has nothing left; its details are JSON in a text."""
    azure.faults.arm("throttled_by_compute")
    answer = arm.post(f"{vm_path}/start")
    assert answer.headers.get_list(LEFT) == [
        "Microsoft.Compute/UpdateVM3Min;46",
        "Microsoft.Compute/UpdateVM30Min;0",
    ]
    assert "error" not in answer.json()


@sees("bucket_empty")
@pytest.mark.parametrize(
    "bucket",
    [
        "DeleteVM deallocate 15",
        "UpdateVM start 15",
        "LowCostGet view 5",
        "GetOperation poll 4",
    ],
)
def test_an_empty_bucket_refills(
    azure: LocalAzure,
    arm: httpx.Client,
    vm_path: str,
    clock: SharedClock,
    bucket: str,
) -> None:
    """One token after the wait that was told, and all of them when it is cleared."""
    name, call, wait = bucket.split()
    caller = Caller(azure, arm, vm_path)
    azure.faults.arm("bucket_empty", bucket=name)
    refused = caller.ask(call)
    assert refused is not None
    assert refused.status_code == 429
    assert refused.json()["details"][0]["target"] == f"{name}30Min"
    assert refused.headers["retry-after"] == wait
    clock.advance(timedelta(seconds=int(wait)))
    statuses = [answer.status_code for _ in range(2) if (answer := caller.ask(call))]
    assert statuses[0] in (200, 202)
    assert statuses[1] == 429
    azure.faults.clear()
    statuses = [answer.status_code for _ in range(4) if (answer := caller.ask(call))]
    assert 429 not in statuses
    assert len(statuses) == 4
