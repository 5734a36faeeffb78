"""What may happen to those who look at an operation's URL."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from local.azure import refusals, throttles
from local.azure.faults.kinds import Answer, Fault, StateFault, Undo, WireFault
from local.azure.faults.means import altered, always, refuse, slow, told
from local.azure.faults.refused import unavailable
from local.azure.routing import VM_WRITES, Call, Kind
from local.azure.wire import Reply, error_reply
from local.offer import Offer

if TYPE_CHECKING:
    from local.azure.estate import Estate

_POLL = frozenset({Kind.POLL})
_URLS = {"azure-asyncoperation", "location"}


def offset_times(hours: float = 8) -> Fault:
    def begin(azure: "Estate") -> Undo:
        before = azure.arm.operation_offset
        azure.arm.operation_offset = timedelta(hours=hours)

        def undo() -> None:
            azure.arm.operation_offset = before

        return undo

    return StateFault(begin=begin)


def other_api_version(version: str = "2019-03-01") -> Fault:
    def begin(azure: "Estate") -> Undo:
        before = azure.arm.operation_version
        azure.arm.operation_version = version

        def undo() -> None:
            azure.arm.operation_version = before

        return undo

    return StateFault(begin=begin)


def _headers(change: Callable[[str, str], tuple[str, str] | None]) -> Fault:
    """Let an accepted write carry other headers; None leaves one out."""

    def act(_: Call, answer: Answer) -> Reply:
        reply = answer()
        kept = [change(name, value) for name, value in reply.headers.items()]
        return replace(reply, headers=dict(each for each in kept if each))

    return WireFault(kinds=VM_WRITES, act=act)


def location_only() -> Fault:
    def change(name: str, value: str) -> tuple[str, str] | None:
        if name.lower() == "azure-asyncoperation":
            return None
        return (name.lower(), value) if name == "Location" else (name, value)

    return _headers(change)


def no_operation_url() -> Fault:
    return _headers(lambda n, value: None if n.lower() in _URLS else (n, value))


def long_wait(seconds: int = 600) -> Fault:
    """Say `Retry-After` on the 202, whatever the operation needs."""

    def act(_: Call, answer: Answer) -> Reply:
        return answer().with_headers({"Retry-After": str(seconds)})

    return WireFault(kinds=VM_WRITES | _POLL, act=act)


def long_url(length: int = 4096) -> Fault:
    """Let the operation's URLs be as long as Azure says that they may be."""

    def change(name: str, value: str) -> tuple[str, str]:
        fill = f"&t={'x' * (length - len(value) - 3)}"
        return (name, value + fill if name.lower() in _URLS else value)

    return _headers(change)


def done_at_once() -> Fault:
    """Take the write and answer 200: nothing to wait for."""

    def act(_: Call, answer: Answer) -> Reply:
        reply = answer()
        return Reply(status=200) if reply.status == HTTPStatus.ACCEPTED else reply

    return WireFault(kinds=VM_WRITES, act=act)


def other_status(status: str = "Updating") -> Fault:
    """Say another word than InProgress; it means the same."""

    def change(body: dict[str, Any]) -> None:
        if body["status"] == "InProgress":
            body["status"] = status

    return altered(_POLL, change)


def nested_error(code: str = "ResourceOperationFailure") -> Fault:
    """Tell what failed only in the details of another code."""

    def change(body: dict[str, Any]) -> None:
        if "error" in body:
            text = "The resource operation completed with terminal state 'Failed'."
            body["error"] = {"code": code, "message": text, "details": [body["error"]]}

    return altered(_POLL, change)


def throttled(retry_after: int | None = 60) -> Fault:
    reply = throttles.throttled_by_compute(retry_after, "GetOperation")
    return refuse(_POLL, lambda _: reply)


def _forbidden(call: Call) -> Reply:
    return refusals.not_authorized(call, "Microsoft.Compute/locations/operations/read")


def _error() -> Reply:
    text = "Multiple error occurred: ServerTimeout."
    cause = {"x-ms-failure-cause": "gateway"}
    return error_reply(500, "MultipleErrorsOccurred", text, cause)


def _not_found() -> Reply:
    return error_reply(404, "NotFound", "The entity was not found.")


OFFERS: Mapping[str, Offer[Fault]] = {
    "poll_not_found": Offer(
        does="404: the operation has vanished.", make=always(_POLL, _not_found)
    ),
    "poll_forbidden": Offer(
        does="403: the operation's URL is above the machine's scope.",
        make=told(_POLL, _forbidden),
    ),
    "poll_error": Offer(
        does="500 MultipleErrorsOccurred (ServerTimeout).", make=always(_POLL, _error)
    ),
    "poll_unavailable": Offer(
        does="503 with an empty body.", make=always(_POLL, unavailable)
    ),
    "poll_slow": Offer(
        does="The poll is answered after real seconds.",
        make=lambda seconds=6.0: slow(_POLL, seconds),
    ),
    "poll_throttled": Offer(
        does="429 of Compute for the operation's URL.", make=throttled
    ),
    "poll_other_status": Offer(
        does="The status is another word than InProgress, which means the same.",
        make=other_status,
    ),
    "poll_nested_error": Offer(
        does="What failed stands in the details of ResourceOperationFailure.",
        make=nested_error,
    ),
    "offset_times": Offer(
        does="Operations tell their times at +08:00.", make=offset_times
    ),
    "other_api_version": Offer(
        does="The operation's URL carries another api-version than the request.",
        make=other_api_version,
    ),
    "location_only": Offer(
        does="The 202 has a lower-case `location` and no other URL.",
        make=location_only,
    ),
    "no_operation_url": Offer(does="The 202 has no URL at all.", make=no_operation_url),
    "long_url": Offer(does="The operation's URLs are 4 KB long.", make=long_url),
    "done_at_once": Offer(
        does="The write is taken and answered 200, without an operation.",
        make=done_at_once,
    ),
    "long_wait": Offer(does="Every 202 and poll asks to wait 600 s.", make=long_wait),
}
