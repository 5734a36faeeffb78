"""Asynchronous operations: their identity, their course and their poll bodies."""

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from local.azure.plan import Failure, Verb
from local.azure.wire import stamp


@dataclass(slots=True, kw_only=True)
class Operation:
    """One start, deallocate, powerOff or runCommand that was accepted.

    `output` is what a run-command brought, told once the operation has ended well.
    """

    verb: Verb
    machine: str
    started: datetime
    caller: str
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    ended: datetime | None = None
    failure: Failure | None = None
    polls: int = 0
    output: dict[str, Any] | None = None

    @property
    def status(self) -> str:
        if self.ended is None:
            return "InProgress"
        return self.failure.status if self.failure else "Succeeded"

    def end(self, at: datetime, failure: Failure | None) -> None:
        """End it; what ended once stays as it ended."""
        if self.ended is None:
            self.ended, self.failure = at, failure

    def body(self, offset: timedelta) -> dict[str, Any]:
        """The poll's body; Azure's offset here need not be UTC."""
        zone = timezone(offset) if offset else UTC
        body: dict[str, Any] = {"startTime": stamp(self.started.astimezone(zone))}
        if self.ended is not None:
            body["endTime"] = stamp(self.ended.astimezone(zone))
        body["status"] = self.status
        if self.failure is not None:
            body["error"] = {
                "code": self.failure.code,
                "message": self.failure.message,
            }
        if self.output is not None and self.status == "Succeeded":
            body["properties"] = {"output": self.output}
        return {**body, "name": self.id}


class Operations:
    """All operations of one subscription by their id."""

    def __init__(self) -> None:
        self._by_id: dict[str, Operation] = {}

    @property
    def all(self) -> list[Operation]:
        """In the order they were accepted."""
        return list(self._by_id.values())

    def add(self, operation: Operation) -> None:
        self._by_id[operation.id] = operation

    def find(self, identity: str) -> Operation | None:
        return self._by_id.get(identity.lower())
