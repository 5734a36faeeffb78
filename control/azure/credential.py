"""The app's own identity, made explicitly: nothing is looked for in the environment."""

from functools import partial
from typing import TYPE_CHECKING, Any

from control.azure.lazy import Lazy

if TYPE_CHECKING:
    from azure.core.credentials import (
        AccessToken,
        AccessTokenInfo,
        TokenCredential,
        TokenRequestOptions,
    )
    from azure.identity import ManagedIdentityCredential


def managed_identity(client_id: str) -> "TokenCredential":
    """Return the credential of a user-assigned identity; make one for a process."""
    return _Identity(client_id)


class _Identity:
    """ManagedIdentityCredential, imported when the first token is asked for."""

    def __init__(self, client_id: str) -> None:
        self._credential = Lazy(partial(_make, client_id))

    def get_token(self, *scopes: str, **options: Any) -> "AccessToken":
        """Return a token for a scope, from memory while it lasts."""
        token: AccessToken = self._credential().get_token(*scopes, **options)
        return token

    def get_token_info(
        self, *scopes: str, options: "TokenRequestOptions | None" = None
    ) -> "AccessTokenInfo":
        """Return the same with what is known of its life."""
        made = self._credential()
        token: AccessTokenInfo = made.get_token_info(*scopes, options=options)
        return token


def _make(client_id: str) -> "ManagedIdentityCredential":
    from azure.identity import (  # noqa: PLC0415 - slow: made at first use
        ManagedIdentityCredential,
    )

    return ManagedIdentityCredential(
        client_id=client_id,
        retry_total=1,
        retry_backoff_factor=0.1,
        retry_backoff_max=1,
        connection_timeout=1,
        read_timeout=2,
    )
