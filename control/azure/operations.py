"""What the answer at a long-running operation's URL says, from plain JSON."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from control.azure.answers import said
from control.azure.faults import classify, unanswered
from control.azure.instance_view import instant
from control.model import Operation
from control.words import OperationState

_IN_PROGRESS = Operation(state=OperationState.IN_PROGRESS)
_SUCCEEDED = Operation(state=OperationState.SUCCEEDED)


def operation(status: int, body: object) -> Operation:
    """Read a good answer; a `Location` URL ends with 200 or 204 and no body."""
    if status == HTTPStatus.ACCEPTED:
        return _IN_PROGRESS
    if body is None:
        return _SUCCEEDED
    if not isinstance(body, dict) or not isinstance(body.get("status"), str):
        raise unanswered("The operation's URL answered something else.")
    match body["status"].lower():
        case "succeeded":
            ended_at = instant(body.get("endTime"))
            return Operation(state=OperationState.SUCCEEDED, ended_at=ended_at)
        case "failed" | "canceled" | "cancelled":
            return _failed(body)
        case _:
            return _IN_PROGRESS


def _failed(body: Mapping[str, Any]) -> Operation:
    words = said(body)
    return Operation(
        state=OperationState.FAILED,
        fault=classify(None, words.code, words.whole, words.inner),
        code=words.code or body["status"],
        message=words.message or None,
        ended_at=instant(body.get("endTime")),
    )
