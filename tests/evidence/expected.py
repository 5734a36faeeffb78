"""What may come out of an adapter that met a recorded answer."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

import pytest

from control.azure.answers import harmless
from control.errors import BY_FAULT, AzureError, Unavailable
from control.model import Operation, Provisioning, Reading, Report
from control.words import Fault, OperationState, Power
from tests.evidence.replay import AT, Replay
from tests.evidence.shared import Response


@dataclass(frozen=True, slots=True)
class Met:
    """A recorded answer that waits on the wire, and the call that will meet it."""

    replay: Replay
    response: Response
    call: Callable[[], Any]


class Expected(Protocol):
    """One outcome; `check` makes the call and compares."""

    def check(self, met: Met) -> None: ...


@dataclass(frozen=True, slots=True)
class Refused:
    """Our error of this class, with Azure's code and words and the wait asked for."""

    fault: Fault
    code: str
    wait: float | None = None

    def check(self, met: Met) -> None:
        with pytest.raises(AzureError) as caught:
            met.call()
        body = met.response["body"]
        evidence = caught.value.evidence
        assert type(caught.value) is BY_FAULT[self.fault]
        assert evidence.status == met.response["status"]
        assert (evidence.code, evidence.retry_after) == (self.code, self.wait)
        assert evidence.message == harmless(body.get("error", body)["message"])


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """An answer that proves nothing: no code of it is believed."""

    def check(self, met: Met) -> None:
        with pytest.raises(AzureError) as caught:
            met.call()
        assert type(caught.value) is Unavailable
        assert caught.value.evidence.code is None


@dataclass(frozen=True, slots=True)
class Taken:
    """Accepted, with the URL that the answer gave, wherever it is now served."""

    def check(self, met: Met) -> None:
        accepted = met.call()
        url = met.response["headers"].get("azure-asyncoperation")
        assert accepted.at == AT
        assert accepted.operation_url == (url and met.replay.here(url))


@dataclass(frozen=True, slots=True)
class Looked:
    """What an operation's URL said; the words of a failure are Azure's own."""

    state: OperationState
    ended_at: datetime | None = None
    fault: Fault | None = None
    code: str | None = None

    def check(self, met: Met) -> None:
        looked = met.call()
        expected = Operation(
            state=self.state, ended_at=self.ended_at, fault=self.fault, code=self.code
        )
        assert replace(looked, message=None) == expected
        if self.code:
            assert looked.message == harmless(met.response["body"]["error"]["message"])


@dataclass(frozen=True, slots=True)
class Seen:
    """A reading; without a power state it says what is wrong."""

    power: Power
    provisioning: Provisioning | None = None

    def check(self, met: Met) -> None:
        read: Reading = met.call()
        assert (read.problem is not None) == (self.power is Power.UNKNOWN)
        assert replace(read, problem=None) == Reading(
            began_at=AT, power=self.power, provisioning=self.provisioning
        )


@dataclass(frozen=True, slots=True)
class Absent:
    """A reading that the machine is not there, in Azure's words."""

    def check(self, met: Met) -> None:
        message = met.response["body"]["error"]["message"]
        assert met.call() == Reading(
            began_at=AT,
            power=Power.UNKNOWN,
            not_found=True,
            problem=harmless(message),
        )


@dataclass(frozen=True, slots=True)
class Figure:
    """A budget's figure, or none."""

    report: Report | None

    def check(self, met: Met) -> None:
        assert met.call() == self.report


@dataclass(frozen=True, slots=True)
class Valued:
    """The secret's own value."""

    def check(self, met: Met) -> None:
        assert met.call() == met.response["body"]["value"]
