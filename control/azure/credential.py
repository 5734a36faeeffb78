"""Who calls Azure: the app's own identity, or the person at the command line.

Both are made explicitly: nothing is looked for in the environment.
"""

import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from azure.core.exceptions import ClientAuthenticationError

from control.azure.lazy import Lazy
from control.errors import Evidence, Permission

if TYPE_CHECKING:
    from azure.core.credentials import (
        AccessToken,
        AccessTokenInfo,
        TokenCredential,
        TokenRequestOptions,
    )
    from azure.identity import ChainedTokenCredential, ManagedIdentityCredential

_LOGIN_SECONDS = 20
_NO_LOGIN = "there is no Azure login here: run `az login`."
_NO_PROGRAM = "the Azure CLI is not here: install it, then run `az login`."


def managed_identity(client_id: str) -> "TokenCredential":
    """Return the credential of a user-assigned identity; make one for a process."""
    return _Identity(client_id)


def persons_login() -> "TokenCredential":
    """Return the login of `az` or `azd`: asked anew each time, and never kept."""
    return _Login()


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


class _Login:
    """The person's own login; without one the error says what to do."""

    def __init__(self) -> None:
        self._credential = Lazy(_chain)

    def get_token(self, *scopes: str, **options: Any) -> "AccessToken":
        """Return a token for a scope."""
        with _logged_in():
            return self._credential().get_token(*scopes, **options)

    def get_token_info(
        self, *scopes: str, options: "TokenRequestOptions | None" = None
    ) -> "AccessTokenInfo":
        """Return the same with what is known of its life."""
        with _logged_in():
            return self._credential().get_token_info(*scopes, options=options)


@contextmanager
def _logged_in() -> Iterator[None]:
    try:
        yield
    except ClientAuthenticationError:
        here = shutil.which("az") or shutil.which("azd")
        message = _NO_LOGIN if here else _NO_PROGRAM
        raise Permission(Evidence(message=message)) from None


def _chain() -> "ChainedTokenCredential":
    from azure.identity import (  # noqa: PLC0415 - slow: for commands alone
        AzureCliCredential,
        AzureDeveloperCliCredential,
        ChainedTokenCredential,
    )

    # It logs what it tried; without a handler that goes to a person's terminal.
    logging.getLogger("azure.identity").addHandler(logging.NullHandler())
    return ChainedTokenCredential(
        AzureCliCredential(process_timeout=_LOGIN_SECONDS),
        AzureDeveloperCliCredential(process_timeout=_LOGIN_SECONDS),
    )


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
