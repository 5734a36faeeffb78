"""Azure's several 429 bodies, word for word, each with the waits it carries."""

import json

from local.azure.routing import Call
from local.azure.wire import Reply, error_reply, json_reply

_GATEWAY = {"x-ms-failure-cause": "gateway"}
# One header in two lines: its name ignores case, a mapping's key does not.
_LEFT = "x-ms-ratelimit-remaining-resource"


def _waits(retry_after: int | None) -> dict[str, str]:
    return {} if retry_after is None else {"Retry-After": str(retry_after)}


def throttled_by_compute(retry_after: int | None, bucket: str = "UpdateVM") -> Reply:
    """Say what the documentation shows: two header lines, the second with 0 left."""
    window = f"{bucket}30Min"
    measured = {
        "operationGroup": window,
        "startTime": "2026-11-30T10:00:00+00:00",
        "endTime": "2026-11-30T10:30:00+00:00",
        "allowedRequestCount": 1200,
        "measuredRequestCount": 1201,
    }
    body = {
        "code": "OperationNotAllowed",
        "message": "The server rejected the request because too many requests have "
        "been received for this subscription.",
        "details": [
            {
                "code": "TooManyRequests",
                "target": window,
                "message": json.dumps(measured),
            }
        ],
    }
    left = {
        _LEFT: f"Microsoft.Compute/{bucket}3Min;46",
        _LEFT.upper(): f"Microsoft.Compute/{window};0",
    }
    return json_reply(429, body, {**_waits(retry_after), **left})


def throttled_lately(retry_after: int | None) -> Reply:
    error = {
        "code": "OperationNotAllowed",
        "message": "The server rejected the request because too many requests have "
        "been received for this subscription.",
        "innererror": {"internalErrorCode": "TooManyRequestsReceived"},
    }
    return json_reply(429, {"error": error}, _waits(retry_after))


def throttled_by_storage(call: Call, seconds: int) -> Reply:
    name = call.parts.get("subscription")
    verb = call.request.path.rpartition("/")[2].upper()
    return error_reply(
        429,
        "SubscriptionRequestsThrottled",
        f"Number of requests for subscription '{name}' and operation 'POST/"
        f"SUBSCRIPTIONS/RESOURCEGROUPS/PROVIDERS/MICROSOFT.COMPUTE/VIRTUALMACHINES/"
        f"{verb}' exceeded the backend storage limit. Please try again after "
        f"'{seconds}' seconds.",
    )


def throttled_resource() -> Reply:
    return error_reply(
        429,
        "ResourceRequestsThrottled",
        "Number of requests for the resource exceeded the limit. Please try again "
        "after '15' seconds.",
        _GATEWAY,
    )


def too_many_requests() -> Reply:
    return error_reply(429, "TooManyRequests", "The request is being throttled.")


def network_busy() -> Reply:
    inner = {
        "code": "ReferencedResourceNotProvisioned",
        "message": "Cannot proceed with operation because a resource that it uses is "
        "not in Succeeded state. Resource is in Updating state.",
    }
    error = {
        "code": "RetryableError",
        "message": "A retryable error occurred.",
        "details": [inner],
    }
    return json_reply(429, {"error": error})


def throttled_by_arm(call: Call, seconds: int) -> Reply:
    name = call.parts.get("subscription")
    return error_reply(
        429,
        "SubscriptionRequestsThrottled",
        f"Number of write requests for subscription '{name}' exceeded the limit of "
        f"'1200' for time interval '01:00:00'. Please try again after '{seconds}' "
        "seconds.",
        _GATEWAY,
    )
