"""How clients of Azure Resource Manager are made here: one request, nothing else.

The SDKs' own pipeline retries a POST, follows redirects with the bearer and, after
some refusals, registers resource providers. Ours does none of it.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from azure.core.pipeline import policies

from control.azure.deadline import DeadlinePolicy

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential

PUBLIC = "https://management.azure.com"
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
# The one cloud whose tokens are not for its endpoint's own name.
_AUDIENCES = {
    "management.usgovcloudapi.net": "https://management.core.usgovcloudapi.net"
}


def is_loopback(url: str) -> bool:
    """Say whether a URL's host is this machine, by its exact name."""
    return urlsplit(url).hostname in _LOOPBACK


def scope_of(endpoint: str) -> str:
    """Return the scope of tokens for an endpoint; a local Azure takes public ones."""
    host = urlsplit(endpoint).hostname or ""
    audience = PUBLIC if is_loopback(endpoint) else _AUDIENCES.get(host)
    return (audience or f"https://{host}") + "/.default"


def origin(url: str) -> tuple[str, str]:
    """Return scheme and authority of a URL, for exact comparison."""
    parts = urlsplit(url)
    return parts.scheme.lower(), parts.netloc.lower().removesuffix(":443")


def client_options(credential: "TokenCredential", endpoint: str) -> Mapping[str, Any]:
    """Return the keyword arguments of an ARM client."""
    scope = scope_of(endpoint)
    return {
        "base_url": endpoint.rstrip("/"),
        "credential_scopes": [scope],
        "policies": [
            policies.RequestIdPolicy(),
            policies.UserAgentPolicy(base_user_agent="kimi-switch"),
            policies.ContentDecodePolicy(),
            policies.BearerTokenCredentialPolicy(credential, scope),
            policies.CustomHookPolicy(),
            DeadlinePolicy(),
        ],
    }


def call_options(seconds: float) -> dict[str, Any]:
    """Return the keyword arguments of one call, for `within` as many seconds."""
    return {"connection_timeout": seconds, "read_timeout": seconds}
