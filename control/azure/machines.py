"""The machines through azure-mgmt-compute: read, start, deallocate, look; no more."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from azure.core.rest import HttpRequest

from control.azure.answers import retry_after, said
from control.azure.arm import call_options, client_options, origin
from control.azure.deadline import Deadline, within
from control.azure.faults import error, translated, unanswered
from control.azure.instance_view import reading
from control.azure.lazy import Lazy
from control.azure.operations import operation
from control.errors import NotFound
from control.model import Operation, Reading
from control.ports import Accepted, Clock
from control.words import Power

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential

_SECONDS = 5.0
_OPTIONS = call_options(_SECONDS)


class AzureMachines:
    """`ports.Machines` on ARM; `resource_groups` names each machine's group."""

    def __init__(
        self,
        *,
        credential: "TokenCredential",
        endpoint: str,
        subscription: str,
        resource_groups: Mapping[str, str],
        clock: Clock,
    ) -> None:
        self._endpoint = endpoint
        self._groups = resource_groups
        self._clock = clock
        self._client = Lazy(partial(_client, credential, endpoint, subscription))

    def read(self, machine: str) -> Reading:
        """Read a machine; a 404 `ResourceNotFound` is a reading, not an error."""
        group, vms = self._groups[machine], self._compute().virtual_machines
        began_at = self._clock.now()
        try:
            vm = self._call(
                lambda deadline: vms.get(
                    group,
                    machine,
                    expand="instanceView",
                    cls=_json,
                    deadline=deadline,
                    **_OPTIONS,
                )
            )
        except NotFound as absent:
            return Reading(
                began_at=began_at,
                power=Power.UNKNOWN,
                not_found=True,
                problem=absent.evidence.message or "ARM does not know the machine.",
            )
        if not isinstance(vm, dict):
            raise unanswered("ARM's answer is no machine.")
        return reading(vm, began_at)

    def start(self, machine: str) -> Accepted:
        """Send one start."""
        return self._send(machine, self._compute().virtual_machines.begin_start)

    def deallocate(self, machine: str, *, force: bool = False) -> Accepted:
        """Send one deallocate, with `forceDeallocate` when `force`."""
        send = self._compute().virtual_machines.begin_deallocate
        return self._send(machine, partial(send, force_deallocate=force or None))

    def operation(self, url: str) -> Operation:
        """Look at an operation; the bearer goes to ARM's own host alone."""
        if origin(url) != origin(self._endpoint):
            raise unanswered("The operation's URL is not on ARM's host.")
        send = self._compute().send_request
        request = HttpRequest("GET", url)
        answer = self._call(
            lambda deadline: send(request, deadline=deadline, **_OPTIONS)
        )
        with translated():
            text = answer.text()
        if answer.status_code >= HTTPStatus.MULTIPLE_CHOICES:
            words = said(text)
            wait = retry_after(answer.headers, words.message)
            raise error(answer.status_code, words, wait)
        with translated():
            body = json.loads(text) if text.strip() else None
        return operation(answer.status_code, body)

    def _send(self, machine: str, send: Callable[..., Any]) -> Accepted:
        """Send one POST without polling; the hook sees the answer's headers."""
        group, seen = self._groups[machine], list[Any]()
        self._call(
            lambda deadline: send(
                group,
                machine,
                polling=False,
                raw_response_hook=seen.append,
                deadline=deadline,
                **_OPTIONS,
            )
        )
        headers = seen[-1].http_response.headers
        url = headers.get("Azure-AsyncOperation") or headers.get("Location")
        return Accepted(at=self._clock.now(), operation_url=url)

    def _compute(self) -> Any:
        """Make the client; an SDK that can't be loaded is as good as no answer."""
        with translated():
            return self._client()

    @staticmethod
    def _call[T](call: Callable[[Deadline], T]) -> T:
        with translated():
            return within(_SECONDS, call)


def _json(response: Any, *_: Any) -> Any:
    """Take the body itself: the SDK's models bring enumerations of their own."""
    return response.http_response.json()


def _client(credential: "TokenCredential", endpoint: str, subscription: str) -> Any:
    from azure.mgmt.compute import (  # noqa: PLC0415 - slow: made at first use
        ComputeManagementClient,
    )

    return ComputeManagementClient(
        credential, subscription, **client_options(credential, endpoint)
    )
