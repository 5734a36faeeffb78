"""The endpoint that takes the app's package, by a person's own token."""

from http import HTTPStatus
from typing import TYPE_CHECKING

import httpx

from control.azure.answers import harmless
from control.azure.arm import scope_of
from control.azure.faults import unanswered
from control.deployment.publishing import Refused, State
from control.errors import Evidence, Unavailable

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential

_SECONDS = 300.0
_ENDS = {3: State.FAILED, 4: State.DONE}


class PublishingEndpoint:
    """`publishing.Endpoint` of one app, by its host; it takes the tokens of `arm`."""

    def __init__(self, credential: "TokenCredential", host: str, arm: str) -> None:
        self._credential, self._host = credential, host
        self._scope = scope_of(arm)

    def put(self, package: bytes) -> str:
        """Send a package; Azure builds nothing of it."""
        answer = self._send("POST", "/api/publish?RemoteBuild=false", package)
        if answer.is_error:
            raise Refused(answer.status_code, harmless(answer.text))
        return answer.text.strip().strip('"')

    def state(self, identity: str) -> State:
        """Return how it goes; one that has ended may be forgotten."""
        answer = self._send("GET", f"/api/deployments/{identity}")
        if answer.status_code == HTTPStatus.NOT_FOUND:
            return State.FORGOTTEN
        if answer.is_error:
            return State.GOES_ON
        try:
            return _ENDS.get(answer.json()["status"], State.GOES_ON)
        except (ValueError, KeyError, TypeError):
            raise unanswered("the publishing endpoint can't be understood.") from None

    def _send(
        self, method: str, path: str, content: bytes | None = None
    ) -> httpx.Response:
        token = self._credential.get_token(self._scope).token
        headers = {"Authorization": f"Bearer {token}"}
        if content is not None:
            headers["Content-Type"] = "application/zip"
        try:
            return httpx.request(
                method,
                f"https://{self._host}{path}",
                content=content,
                headers=headers,
                timeout=_SECONDS,
                follow_redirects=False,
            )
        except httpx.HTTPError as lost:
            kind = type(lost).__name__
            message = f"{self._host} does not answer ({kind}): look at the network."
            raise Unavailable(Evidence(message=message)) from None
