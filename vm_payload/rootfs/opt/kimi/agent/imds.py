"""The instance metadata service: who this machine is, and tokens of its identity.

https://learn.microsoft.com/azure/virtual-machines/instance-metadata-service: 404, 410,
429 and 5xx pass (410 lasts up to 70 s), 400 does not.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from agent.command import Deadline
from agent.errors import AgentError, Passing
from agent.patience import patiently
from agent.web import Request, ask

SECONDS = 120.0
_ONE = 10.0
_INSTANCE = "/metadata/instance/compute?api-version=2021-02-01"
_TOKEN = "/metadata/identity/oauth2/token?"  # noqa: S105 - a path, no secret
_NOT_YET = {404, 410}


@dataclass(frozen=True, kw_only=True)
class Instance:
    """This machine: its name, and its resource id in ARM."""

    name: str
    id: str


@dataclass(frozen=True, kw_only=True)
class Imds:
    """The service, asked for one user-assigned identity by its client id.

    Without an id it takes the only identity that the machine has.
    """

    endpoint: str
    identity: str
    patience: float = SECONDS

    def token(self, resource: str) -> str:
        """Return a token for a resource such as `https://vault.azure.net`.

        Raises:
            AgentError: there is none: the identity is missing, or the time is over.
        """
        asked = {
            "api-version": "2018-02-01",
            "resource": resource,
        }
        if self.identity:
            asked["client_id"] = self.identity
        said = self._asked(_TOKEN + urlencode(asked))
        token = said.get("access_token")
        if not isinstance(token, str) or not token:
            raise AgentError("the metadata service gave no token.")
        return token

    def instance(self) -> Instance:
        """Return which machine this is.

        Raises:
            AgentError: it is not told within the time.
        """
        said = self._asked(_INSTANCE)
        name, identity = said.get("name"), said.get("resourceId")
        if not name or not identity:
            raise AgentError("the metadata service does not say which machine this is.")
        return Instance(name=str(name), id=str(identity))

    def _asked(self, path: str) -> dict[str, Any]:
        return patiently(lambda: self._ask(path), Deadline(self.patience))

    def _ask(self, path: str) -> dict[str, Any]:
        headers = {"Metadata": "true"}
        asked = Request(method="GET", url=self.endpoint + path, headers=headers)
        reply = ask(asked, _ONE)
        if reply.status == 200:  # noqa: PLR2004 - HTTP's own number
            return reply.json()
        said = reply.json().get("error_description") or f"status {reply.status}"
        if reply.passing or reply.status in _NOT_YET:
            raise Passing(f"the metadata service is not there yet: {said}", reply.after)
        raise AgentError(
            f"the metadata service refuses: {said}; is the identity {self.identity} "
            "assigned to this machine?"
        )
