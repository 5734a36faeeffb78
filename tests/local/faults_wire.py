"""A refusal as a row, and what one looks at under it: all six calls of the app."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from local.azure import LocalAzure, Power
from tests.local.faults_support import ask, said

CALLS = ("get", "view", "poll", "start", "deallocate", "powerOff")
WRITES = ("start", "deallocate", "powerOff")
READS = ("get", "view")
GATEWAY = {"x-ms-failure-cause": "gateway"}
NOT_ALLOWED = "OperationNotAllowed "


@dataclass(frozen=True, kw_only=True)
class Row:
    """A fault; `taken` is a write that Azure took all the same."""

    name: str
    calls: tuple[str, ...] = WRITES
    status: int = 409
    words: tuple[str, ...] = ()
    headers: Mapping[str, str | None] = field(default_factory=dict)
    taken: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)


class Caller:
    """Asks each of the six calls of the app."""

    def __init__(self, azure: LocalAzure, arm: httpx.Client, path: str) -> None:
        azure.vm.deallocate_outside()
        operation = azure.arm.operations.all[0].id
        scope = f"/subscriptions/{azure.subscription_id}/providers/Microsoft.Compute"
        self._arm = arm
        self._paths = {
            "get": path,
            "view": f"{path}/instanceView",
            "poll": f"{scope}/locations/eastus2/operations/{operation}",
        } | {verb: f"{path}/{verb}" for verb in WRITES}

    def ask(self, call: str) -> httpx.Response | None:
        method = "POST" if call in WRITES else "GET"
        return ask(lambda: self._arm.request(method, self._paths[call]))


def check(row: Row, call: str, answer: httpx.Response | None) -> None:
    """An answer as its row has it; each call's own name stands in Azure's words."""
    if answer is None:
        assert row.status == 0
        return
    assert answer.status_code == row.status
    for words in row.words if call == row.calls[0] else row.words[:1]:
        assert words in said(answer)
    if row.status == 503:
        assert answer.content == b""
    for name, value in row.headers.items():
        assert answer.headers.get(name) == value


def verbs(azure: LocalAzure) -> list[str]:
    return [each.verb for each in azure.arm.operations.all if each.caller == "app"]


def ends_after_its_calls(azure: LocalAzure, caller: Caller, row: Row) -> None:
    """Armed for two calls, the third is answered as if nothing had been."""
    call = row.calls[0] if row.calls else "start"
    azure.faults.arm(row.name, times=2, **row.parameters)
    for _ in range(2):
        answer = caller.ask(call)
        if row.calls:
            check(row, call, answer)
    assert azure.faults.armed == []
    answer = caller.ask(call)
    assert answer is not None
    assert answer.status_code in (200, 202)


def refuses(azure: LocalAzure, caller: Caller, row: Row) -> None:
    """See what is refused and what is not, with the fault, without it and after it."""
    azure.faults.arm(row.name, times=None, **row.parameters)
    for call in CALLS:
        answer = caller.ask(call)
        if call in row.calls:
            check(row, call, answer)
        else:
            assert answer is not None
            assert answer.status_code in (200, 202)
    taken = [verb for verb in WRITES if row.taken or verb not in row.calls]
    assert verbs(azure) == taken
    if not taken:
        assert azure.vm.power is Power.DEALLOCATED
    azure.faults.clear()
    answers = [caller.ask(call) for call in CALLS]
    assert [each.status_code for each in answers if each] == [200] * 3 + [202] * 3
    ends_after_its_calls(azure, caller, row)
