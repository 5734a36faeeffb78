"""The machine's Key Vault, read with its identity.

https://learn.microsoft.com/rest/api/keyvault/secrets/get-secret/get-secret
"""

from dataclasses import dataclass
from urllib.parse import quote

from agent.command import Deadline
from agent.errors import AgentError, Passing
from agent.imds import Imds
from agent.patience import patiently
from agent.web import Reply, Request, ask, bearer

RESOURCE = "https://vault.azure.net"
_VERSION = "7.4"
_ONE = 15.0
_PATIENCE = 30.0
_OK, _MISSING = 200, 404


@dataclass
class Vault:
    """One vault, opened by one token for a few reads."""

    url: str
    imds: Imds
    _token: str = ""

    def open(self) -> None:
        """Get the token; the reads that follow do not wait for it any more.

        Raises:
            AgentError: there is none.
        """
        self._token = self.imds.token(RESOURCE)

    def secret(self, name: str) -> str | None:
        """Return the value of a secret; None where there is none of that name.

        Raises:
            AgentError: it can't be read, or has no value.
        """
        reply = patiently(lambda: self._ask(name), Deadline(_PATIENCE))
        if reply.status == _MISSING:
            return None
        if reply.status != _OK:
            raise AgentError(f"the vault does not give {name} ({_why(reply)}).")
        value = reply.json().get("value")
        if not isinstance(value, str) or not value:
            raise AgentError(f"the vault's answer has no value of {name}.")
        return value

    def _ask(self, name: str) -> Reply:
        url = f"{self.url.rstrip('/')}/secrets/{quote(name)}?api-version={_VERSION}"
        headers = bearer(self._token)
        reply = ask(Request(method="GET", url=url, headers=headers), _ONE)
        if reply.passing:
            raise Passing(f"the vault is busy ({_why(reply)}).", reply.after)
        return reply


def _why(reply: Reply) -> str:
    """Name the error by its code alone: messages carry ids, and once a value."""
    error = reply.json().get("error")
    if not isinstance(error, dict):
        return str(reply.status)
    inner = error.get("innererror")
    codes = [error.get("code"), inner.get("code") if isinstance(inner, dict) else None]
    return ", ".join([str(reply.status), *map(str, filter(None, codes))])
