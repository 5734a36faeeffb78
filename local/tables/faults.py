"""What Table Storage was seen or reported to do wrong, by name.

A fault stands between a call and its answer: `forward()` lets the service take the
call. Each offer says in a sentence what the service does then.
"""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus

from local.azure.wire import HANG_UP, Reply, Request
from local.offer import Offer
from local.tables.calls import Call, Kind

type Forward = Callable[[Request], Reply]
type Fault = Callable[[Call, Forward], Reply]

MARK = "empty-page"
_JSON = "application/json;odata=minimalmetadata;streaming=true;charset=utf-8"
_ID = "00000000-0002-0000-0000-000000000000"
_PARTITION, _ROW = "NextPartitionKey", "NextRowKey"
_CONTINUATION = "x-ms-continuation-"


def _answer_lost() -> Fault:
    def act(call: Call, forward: Forward) -> Reply:
        forward(call.request)
        return HANG_UP

    return act


def _reset() -> Fault:
    return lambda _call, _forward: HANG_UP


def _answer_empty() -> Fault:
    def act(call: Call, forward: Forward) -> Reply:
        return replace(forward(call.request), body=b"")

    return act


def _delayed(seconds: float = 1.0) -> Fault:
    def act(call: Call, forward: Forward) -> Reply:
        reply = forward(call.request)
        threading.Event().wait(seconds)
        return reply

    return act


def _held_back(seconds: float = 1.0) -> Fault:
    def act(call: Call, forward: Forward) -> Reply:
        threading.Event().wait(seconds)
        return forward(call.request)

    return act


def _error(status: int, code: str, message: str) -> Callable[..., Fault]:
    """Refuse; `taken` is for a write that was made, `inside` for a transaction's."""

    def make(*, taken: bool = False, inside: bool = False) -> Fault:
        def act(call: Call, forward: Forward) -> Reply:
            if taken:
                forward(call.request)
            reply = _refusal(status, code, message)
            return _wrapped(reply) if inside and call.kind is Kind.BATCH else reply

        return act

    return make


def _empty(status: int) -> Callable[..., Fault]:
    def make(*, taken: bool = False) -> Fault:
        def act(call: Call, forward: Forward) -> Reply:
            if taken:
                forward(call.request)
            return Reply(status=status)

        return act

    return make


def _refusal(status: int, code: str, message: str) -> Reply:
    text = f"{message}\nRequestId:{_ID}\nTime:2026-11-30T10:00:00.0000000Z"
    words = {"code": code, "message": {"lang": "en-US", "value": text}}
    return Reply(
        status=status,
        headers={"Content-Type": _JSON, "x-ms-error-code": code},
        body=json.dumps({"odata.error": words}).encode(),
    )


def _wrapped(refusal: Reply) -> Reply:
    """Put a refusal into a transaction's answer, as the service does."""
    reason = HTTPStatus(refusal.status).phrase
    lines = [
        "--batchresponse_1",
        "Content-Type: multipart/mixed; boundary=changesetresponse_1",
        "",
        "--changesetresponse_1",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        "",
        f"HTTP/1.1 {refusal.status} {reason}",
        "X-Content-Type-Options: nosniff",
        "DataServiceVersion: 3.0;",
        f"Content-Type: {_JSON}",
        "",
        refusal.body.decode(),
        "--changesetresponse_1--",
        "--batchresponse_1--",
        "",
    ]
    kind = "multipart/mixed; boundary=batchresponse_1"
    return Reply(
        status=202, headers={"Content-Type": kind}, body="\r\n".join(lines).encode()
    )


def _empty_page(pages: int = 1, rows: int = 1000) -> Fault:
    def act(call: Call, forward: Forward) -> Reply:
        request = call.request
        if call.kind is not Kind.SCAN:
            return forward(request)
        count, partition, row = _position(request)
        if count >= pages:
            return forward(_of_so_many(request, rows))
        headers = {
            "Content-Type": _JSON,
            _CONTINUATION + _PARTITION: f"{MARK}.{count + 1}.{partition}",
            _CONTINUATION + _ROW: row or MARK,
        }
        return Reply(status=200, headers=headers, body=b'{"value":[]}')

    return act


def _of_so_many(request: Request, rows: int) -> Request:
    asked = int(request.query.get("$top", "1000"))
    return replace(request, query={**request.query, "$top": str(min(rows, asked))})


def _position(request: Request) -> tuple[int, str, str]:
    """Return how many empty pages came before, and the real continuation."""
    partition = request.query.get(_PARTITION, "")
    row = request.query.get(_ROW, "")
    if not partition.startswith(f"{MARK}."):
        return 0, partition, row
    _, count, real = partition.split(".", 2)
    return int(count), real, "" if row == MARK else row


def unmarked(request: Request) -> Request:
    """Return a request as the service knows it: without our empty pages."""
    _, partition, row = _position(request)
    query = {k: v for k, v in request.query.items() if k not in {_PARTITION, _ROW}}
    if partition:
        query |= {_PARTITION: partition, _ROW: row}
    return replace(request, query=query)


OFFERS: Mapping[str, Offer[Fault]] = {
    "answer_lost": Offer(
        does="The write is made and the connection is reset before the answer.",
        make=_answer_lost,
    ),
    "answer_empty": Offer(
        does="The write is made and its answer comes without a body.",
        make=_answer_empty,
    ),
    "reset": Offer(
        does="The connection is reset and nothing reaches the service.", make=_reset
    ),
    "delayed": Offer(
        does="The call is taken and answered after real seconds.", make=_delayed
    ),
    "held_back": Offer(
        does="The call is on its way for real seconds before it is taken.",
        make=_held_back,
    ),
    "internal_error": Offer(
        does="500 InternalError.",
        make=_error(
            500,
            "InternalError",
            "The server encountered an internal error. Please retry the request.",
        ),
    ),
    "operation_timed_out": Offer(
        does="500 OperationTimedOut: the write may have been made.",
        make=_error(
            500,
            "OperationTimedOut",
            "Operation could not be completed within the specified time.",
        ),
    ),
    "server_busy": Offer(
        does="503 ServerBusy: the partition is throttled or moves.",
        make=_error(503, "ServerBusy", "The server is busy."),
    ),
    "unavailable": Offer(does="503 with an empty body.", make=_empty(503)),
    "too_many_requests": Offer(
        does="429 TooManyRequests: the account is throttled.",
        make=_error(429, "TooManyRequests", "The request is being throttled."),
    ),
    "table_being_deleted": Offer(
        does="409 TableBeingDeleted, for 40 s and more after a deletion.",
        make=_error(
            409,
            "TableBeingDeleted",
            "The specified table is being deleted. Try operation later.",
        ),
    ),
    "table_not_found": Offer(
        does="404 TableNotFound.",
        make=_error(404, "TableNotFound", "The table specified does not exist."),
    ),
    "not_found": Offer(
        does="404 with an empty body, as a gateway gives.",
        make=_empty(404),
    ),
    "empty_page": Offer(
        does="Empty pages with a continuation stand before each page; pages are short.",
        make=_empty_page,
    ),
}
