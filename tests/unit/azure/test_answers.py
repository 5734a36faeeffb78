"""Bodies of every shape, and waits in every place."""

import json

import pytest

from control.azure.answers import Said, harmless, retry_after, said

NESTED = {
    "status": "Failed",
    "error": {
        "code": "DeploymentFailed",
        "message": "At least one resource deployment operation failed.",
        "details": [
            {
                "code": "Conflict",
                "message": json.dumps(
                    {
                        "status": "Failed",
                        "error": {
                            "code": "ResourceDeploymentFailure",
                            "details": [
                                {"code": "ZonalAllocationFailed", "message": "None."}
                            ],
                        },
                    }
                ),
            }
        ],
    },
}


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ({"error": {"code": "Conflict", "message": "Busy."}}, "Conflict", "Busy."),
        ({"code": "QuotaExceeded", "message": "No."}, "QuotaExceeded", "No."),
        ({"status": "Failed", "error": {"code": "X"}}, "X", ""),
        ({"error": {"code": 429, "message": None}}, "429", ""),
        ({"error": "invalid_request"}, "invalid_request", ""),
        ({"odata.error": {"code": "T", "message": {"value": "Hm."}}}, "T", "Hm."),
        ('{"error": {"code": "Text"}}', "Text", ""),
        ("<html>Bad gateway</html>", None, ""),
        ("", None, ""),
        (None, None, ""),
        ([], None, ""),
        ({"error": ["x"]}, None, ""),
    ],
)
def test_a_body_of_any_shape_is_read(
    body: object, code: str | None, message: str
) -> None:
    """What has a code gives it, what is no refusal gives nothing."""
    words = said(body)
    assert (words.code, words.message) == (code, message)


def test_codes_are_found_however_deep_they_lie() -> None:
    """Details, inner errors and JSON inside a message are looked into, in order."""
    codes = ("Conflict", "ResourceDeploymentFailure", "ZonalAllocationFailed")
    assert said(NESTED).inner == codes
    told = json.dumps({"operationGroup": "30Min", "allowedRequestCount": 1200})
    detail = {"code": "TooManyRequests", "target": "30Min", "message": told}
    bare = {"code": "OperationNotAllowed", "message": "Too many.", "details": [detail]}
    assert said(bare).inner == ("TooManyRequests",)
    inner = {"innererror": {"internalErrorCode": "TooManyRequestsReceived"}}
    body = {"error": {"code": "OperationNotAllowed", **inner}}
    assert said(body).inner == ("TooManyRequestsReceived",)


def test_a_body_without_an_end_is_left_alone() -> None:
    """A body that nests for ever costs no more than a few levels."""
    body: dict[str, object] = {"code": "Deepest"}
    for _ in range(200):
        body = {"code": "Outer", "details": [body]}
    assert said({"error": body}) == Said(code="Outer")


@pytest.mark.parametrize(
    ("headers", "message", "seconds"),
    [
        ({}, "", None),
        ({"Retry-After": "1200"}, "", 1200.0),
        ({"retry-after": "0"}, "", 0.0),
        ({"Retry-After": "-5"}, "", 0.0),
        ({"Retry-After": "soon"}, "", None),
        ({"Retry-After": "nan"}, "", None),
        ({"Retry-After": "9" * 30}, "", 86_400.0),
        ({"Retry-After": "3, 17"}, "", 17.0),
        ({"x-ms-retry-after-ms": "1500"}, "", 1.5),
        ({"x-ms-ratelimit-retailprices-retry-after": "60"}, "", 60.0),
        (
            {
                "x-ms-ratelimit-microsoft.costmanagement-qpu-retry-after": "8",
                "x-ms-ratelimit-microsoft.costmanagement-entity-retry-after": "31",
            },
            "",
            31.0,
        ),
        ({}, "Please try again after '306' seconds.", 306.0),
        ({}, "Please try again after '0' seconds.", 0.0),
        ({"Retry-After": "10"}, "Try again in 30 seconds.", 30.0),
        ({}, "The limit of '1200' for time interval '01:00:00'.", None),
        (
            {
                "Date": "Mon, 30 Nov 2026 10:00:00 GMT",
                "Retry-After": "Mon, 30 Nov 2026 10:00:45 GMT",
            },
            "",
            45.0,
        ),
        (
            {
                "Date": "Mon, 30 Nov 2026 10:00:00 GMT",
                "Retry-After": "Mon, 30 Nov 2026 09:00:00 GMT",
            },
            "",
            0.0,
        ),
        ({"Retry-After": "Mon, 30 Nov 2026 10:00:45 GMT"}, "", None),
    ],
)
def test_the_longest_wait_is_taken(
    headers: dict[str, str], message: str, seconds: float | None
) -> None:
    """Headers, private headers, dates and texts; never negative, never endless."""
    assert retry_after(headers, message) == seconds


def test_a_text_loses_what_looks_like_a_secret() -> None:
    """A bearer, a JSON web token and a signature are not passed on."""
    text = harmless("Bearer abc.def-1 and eyJhbGciOi.J9.x at /t?sv=1&sig=a%2Bb%3D end")
    assert "abc.def" not in text
    assert "hbGciOi" not in text
    assert "a%2Bb" not in text
    assert text.endswith("end")
    assert len(harmless("x" * 9000)) == 500
