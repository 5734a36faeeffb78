"""A command on the machine through ARM's run-command, as root: for the operator alone.

It takes Azure half a minute at least, for its agent in the guest fetches the script. A
machine that does not run is refused by Azure itself.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from azure.core.rest import HttpRequest

from control.azure.answers import retry_after, said
from control.azure.arm import call_options, client_options, origin
from control.azure.deadline import Deadline, within
from control.azure.faults import error, translated, unanswered
from control.azure.lazy import Lazy
from control.azure.operations import operation
from control.azure.sentences import silence_named
from control.errors import BY_FAULT, AzureError, Evidence, Retryable, Unavailable
from control.model import Operation
from control.ports import Clock
from control.words import Fault, OperationState

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential

_SECONDS = 10.0
_OPTIONS = call_options(_SECONDS)
_WAITS = (1.0, 2.0, 4.0, 8.0)
_LONGEST_WAIT = 30.0
_AT_IT = Operation(state=OperationState.IN_PROGRESS)
_STREAMS = re.compile(r"\[stdout\]\n(.*?)\n?\[stderr\]\n?(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a command printed, as far as Azure keeps it: the last 4 KB."""

    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What one look at the operation brought; `wait` is what ARM asked for."""

    operation: Operation = _AT_IT
    body: Any = None
    wait: float | None = None


class RunCommand:
    """Run-command of one subscription."""

    def __init__(
        self,
        *,
        credential: "TokenCredential",
        endpoint: str,
        subscription: str,
        clock: Clock,
        minutes: float = 10.0,
    ) -> None:
        self._endpoint = endpoint
        self._clock = clock
        self._longest = timedelta(minutes=minutes)
        self._client = Lazy(partial(_client, credential, endpoint, subscription))

    def run(self, group: str, machine: str, lines: Sequence[str]) -> Output:
        """Run a script and wait for its end; raises `AzureError`."""
        with silence_named("Azure Resource Manager", "ARM_ENDPOINT"):
            url = self._send(group, machine, lines)
            if url is None or origin(url) != origin(self._endpoint):
                raise unanswered("ARM named no place where its end can be looked at.")
        return _output(self._end(url))

    def _send(self, group: str, machine: str, lines: Sequence[str]) -> str | None:
        """Send it once: a second time it would run twice."""
        body = {"commandId": "RunShellScript", "script": list(lines)}
        seen = list[Any]()

        def send(deadline: Deadline) -> None:
            self._client().virtual_machines.begin_run_command(
                group,
                machine,
                body,
                polling=False,
                raw_response_hook=seen.append,
                deadline=deadline,
                **_OPTIONS,
            )

        with translated():
            within(_SECONDS, send)
        headers = seen[-1].http_response.headers
        url: str | None = headers.get("Azure-AsyncOperation")
        return url

    def _end(self, url: str) -> Any:
        """Look until it has ended, and return what ARM says of its end."""
        give_up_at, wait = self._clock.now() + self._longest, 0.0
        for usual in chain(_WAITS, repeat(_WAITS[-1])):
            if self._clock.now() >= give_up_at:
                break
            self._clock.wait(min(max(wait, usual), _LONGEST_WAIT))
            look = self._look(url)
            match look.operation.state:
                case OperationState.SUCCEEDED:
                    return look.body
                case OperationState.FAILED:
                    raise _failed(look.operation)
            wait = look.wait or 0.0
        raise Unavailable(
            Evidence(
                message="the machine has not ended the command within "
                f"{self._longest.total_seconds() / 60:.0f} minutes; it may still be at "
                "it: look there."
            )
        )

    def _look(self, url: str) -> _Look:
        """Look once; one that failed for now is one more to make."""
        try:
            return self._asked(url)
        except Retryable as lost:
            return _Look(wait=lost.evidence.retry_after)

    def _asked(self, url: str) -> _Look:
        request = HttpRequest("GET", url)
        with translated():
            answer = within(
                _SECONDS,
                lambda deadline: self._client().send_request(
                    request, deadline=deadline, **_OPTIONS
                ),
            )
            text = answer.text()
        wait = retry_after(answer.headers)
        if answer.status_code >= HTTPStatus.MULTIPLE_CHOICES:
            raise error(answer.status_code, said(text), wait)
        with translated():
            body = json.loads(text)
        return _Look(
            operation=operation(answer.status_code, body), body=body, wait=wait
        )


def _failed(ended: Operation) -> AzureError:
    kind = BY_FAULT[ended.fault or Fault.OTHER]
    return kind(Evidence(code=ended.code, message=ended.message or ""))


def _output(body: Any) -> Output:
    """Read the operation's own properties: one message with both streams."""
    try:
        statuses = body["properties"]["output"]["value"]
        message = "\n".join(str(each["message"]) for each in statuses)
    except (KeyError, TypeError):
        raise unanswered("ARM did not say what the command printed.") from None
    found = _STREAMS.search(message)
    if found is None:
        return Output(stdout=message, stderr="")
    return Output(stdout=found[1].strip("\n"), stderr=found[2].strip("\n"))


def _client(credential: "TokenCredential", endpoint: str, subscription: str) -> Any:
    from azure.mgmt.compute import (  # noqa: PLC0415 - slow: made at first use
        ComputeManagementClient,
    )

    return ComputeManagementClient(
        credential, subscription, **client_options(credential, endpoint)
    )
