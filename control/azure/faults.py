"""The one place where Azure's codes and the SDKs' errors become ours.

No text of a lost connection goes on: a URL in it may carry a signature. For the same
reason ours are raised without the SDK's error behind them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPException
from typing import Any

from azure.core.exceptions import AzureError as SdkError
from azure.core.exceptions import HttpResponseError

from control.azure.answers import Said, retry_after, said
from control.errors import (
    BY_FAULT,
    AzureError,
    Evidence,
    LedgerConflict,
    LedgerError,
    LedgerUnavailable,
    TableMissing,
    Unavailable,
)
from control.words import Fault

_CODES: dict[Fault, tuple[str, ...]] = {
    Fault.CAPACITY: (
        "AllocationFailed",
        "ZonalAllocationFailed",
        "OverconstrainedAllocationRequest",
        "OverconstrainedZonalAllocationRequest",
        "InsufficientCapacity",
    ),
    Fault.SKU: ("SkuNotAvailable",),
    Fault.QUOTA: ("QuotaExceeded", "NoSubscriptionMatchedQuota"),
    Fault.DISABLED: ("ReadOnlyDisabledSubscription",),
    Fault.SCOPE_LOCK: ("ScopeLocked",),
    Fault.PREEMPTED: ("OperationPreempted",),
    Fault.PERMISSION: (
        "AuthorizationFailed",
        "LinkedAuthorizationFailed",
        "RequestDisallowedByAzure",
        "RequestDisallowedByPolicy",
        "RBACAccessDenied",
        "BillingAccessDenied",
    ),
    Fault.THROTTLED: (
        "SubscriptionRequestsThrottled",
        "ResourceRequestsThrottled",
        "TooManyRequests",
        "TooManyRequestsReceived",
        "TooManyVMRedeploymentRequests",
        "429",
    ),
    Fault.OTHER: ("MissingSubscriptionRegistration", "PropertyChangeNotAllowed"),
}
_CERTAIN = {code.lower(): fault for fault, codes in _CODES.items() for code in codes}
# The network provider says 429 for "what I refer to is still being made".
_BUSY_IN_429 = {"retryableerror", "referencedresourcenotprovisioned"}
_BUSY = _BUSY_IN_429 | {
    "conflict",
    "operationnotallowed",
    "attachdiskwhilebeingdetached",
    "resourceupdateblockedonplatformupdate",
}
_QUOTED = re.compile(r"'[^']*'")
# A word of its own: machines and groups have names like vm-quota.
_QUOTA = re.compile(r"(?<![\w./-])quota(?![\w/-])", re.IGNORECASE)
_SKU = re.compile(r"aka\.ms/azureskunotavailable", re.IGNORECASE)
# What no other operation's end mends, though Azure says it like a conflict.
_FOR_GOOD = re.compile(
    r"\bmarked for deletion\b|\bis generalized\b|\bextension\b.*\bin failed state\b",
    re.IGNORECASE,
)

# What the clients let through when an answer is not what they expect, or when one of
# them cannot be loaded: what it would ask is then as good as away.
_CLIENT_ERRORS = (
    SdkError,
    ImportError,
    OSError,
    HTTPException,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
)

_ROW_LOST = {(409, "EntityAlreadyExists"), (409, None)}
_ROW_GONE = {"ResourceNotFound", "EntityNotFound"}
_NO_TABLE = {(404, "TableNotFound"), (404, None), (409, "TableBeingDeleted")}


def classify(
    status: int | None,
    code: str | None,
    message: str = "",
    inner: Sequence[str] = (),
) -> Fault:
    """Say what a refusal or a failed operation means; `status` None for the latter.

    No code of a 5xx is believed: a start may have been taken all the same.
    """
    codes = [each.lower() for each in (code, *inner) if each]
    if status == HTTPStatus.NOT_FOUND:
        return Fault.NOT_FOUND if _is_absent(code) else Fault.UNAVAILABLE
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return Fault.THROTTLED if _BUSY_IN_429.isdisjoint(codes) else Fault.CONFLICT
    if status is not None and _no_answer(status):
        return Fault.UNAVAILABLE
    for each in codes:
        if each in _CERTAIN:
            return _CERTAIN[each]
    return _by_text(codes, message) or _by_status(status, codes)


def error(status: int | None, words: Said, wait: float | None = None) -> AzureError:
    """Make our error of a refusal's words."""
    fault = classify(status, words.code, words.whole, words.inner)
    return BY_FAULT[fault](
        Evidence(
            status=status, code=words.code, message=words.message, retry_after=wait
        )
    )


def unanswered(why: str) -> Unavailable:
    """Make our error of an answer that did not come or proves nothing."""
    return Unavailable(Evidence(message=why))


@contextmanager
def translated() -> Iterator[None]:
    """Turn whatever an SDK raises into an `AzureError`."""
    try:
        yield
    except HttpResponseError as refusal:
        raise _refused(refusal) from None
    except _CLIENT_ERRORS as lost:
        raise unanswered(f"({type(lost).__name__})") from None


@contextmanager
def translated_for_ledger() -> Iterator[None]:
    """Turn whatever the table's SDK raises into a `LedgerError`."""
    try:
        yield
    except HttpResponseError as refusal:
        raise _ledger_refused(refusal) from None
    except AzureError as ours:
        # Of the login: to whoever works without a ledger it is one that is away.
        raise LedgerUnavailable(ours.evidence.message or str(ours)) from None
    except _CLIENT_ERRORS as lost:
        why = f"The ledger gave no usable answer ({type(lost).__name__})."
        raise LedgerUnavailable(why) from None


def words_of(refusal: HttpResponseError) -> Said:
    """Read what a refused call's answer says."""
    if refusal.response is None:
        return Said()
    try:
        return said(refusal.response.text())
    except _CLIENT_ERRORS:
        return Said()


def table_code(refusal: HttpResponseError) -> str | None:
    """Return Table Storage's own code, whichever way the SDK hands it over."""
    code = getattr(refusal, "error_code", None) or _headers(refusal).get(
        "x-ms-error-code"
    )
    return getattr(code, "value", code) or words_of(refusal).code


def _is_absent(code: str | None) -> bool:
    return code is not None and code.lower() == "resourcenotfound"


def _by_text(codes: Sequence[str], message: str) -> Fault | None:
    if _SKU.search(message):
        return Fault.SKU
    if "operationnotallowed" not in codes:
        return None
    plain = _QUOTED.sub("", message)
    if _QUOTA.search(plain):
        return Fault.QUOTA
    return Fault.OTHER if _FOR_GOOD.search(plain) else None


def _by_status(status: int | None, codes: Sequence[str]) -> Fault:
    if status == HTTPStatus.FORBIDDEN:
        return Fault.PERMISSION
    if status is not None and _proves_nothing(status):
        return Fault.UNAVAILABLE
    if status == HTTPStatus.CONFLICT or not _BUSY.isdisjoint(codes):
        return Fault.CONFLICT
    return Fault.OTHER


def _no_answer(status: int) -> bool:
    gave_up = status == HTTPStatus.REQUEST_TIMEOUT
    return gave_up or status >= HTTPStatus.INTERNAL_SERVER_ERROR


def _proves_nothing(status: int) -> bool:
    redirect = HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST
    return redirect or status == HTTPStatus.UNAUTHORIZED


def _refused(refusal: HttpResponseError) -> AzureError:
    status = refusal.status_code
    if status is None or status < HTTPStatus.MULTIPLE_CHOICES:
        return unanswered(f"({type(refusal).__name__})")
    words = words_of(refusal)
    return error(status, words, retry_after(_headers(refusal), words.message))


def _headers(refusal: HttpResponseError) -> Mapping[str, str]:
    response: Any = refusal.response
    return response.headers if response is not None else {}


def _ledger_refused(refusal: HttpResponseError) -> LedgerError:
    status, code = refusal.status_code, table_code(refusal)
    why = f"The ledger answered {status or 'nothing'} {code or type(refusal).__name__}."
    if (status, code) in _NO_TABLE:
        return TableMissing(why)
    gone = status == HTTPStatus.NOT_FOUND and code in _ROW_GONE
    stale = status == HTTPStatus.PRECONDITION_FAILED
    if stale or gone or (status, code) in _ROW_LOST:
        return LedgerConflict(why)
    return LedgerUnavailable(why)
