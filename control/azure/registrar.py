"""Devices' tokens made and disabled in Key Vault, as the person at the command line."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from azure.core.exceptions import HttpResponseError

from control.azure.faults import translated, words_of
from control.azure.lazy import Lazy
from control.azure.vault import PREFIX, VaultTokens, secret_client
from control.errors import Evidence, Failed
from control.ports import Token

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential

_IN_THE_BIN = "ObjectIsDeletedButRecoverable"
_RECOVERABLE = (
    "the vault holds a deleted secret of this name: recover or purge it, or take "
    "another name."
)


class VaultRegistrar:
    """`ports.Registrar` on one Key Vault."""

    def __init__(self, *, credential: "TokenCredential", url: str) -> None:
        self._tokens = VaultTokens(credential=credential, url=url)
        self._client = Lazy(partial(secret_client, credential, url))

    def find(self, device: str) -> Token | None:
        """Look through the list: the value of a disabled secret is sealed."""
        found = (each for each in self._tokens.read() if each.device == device)
        return next(found, None)

    def value(self, device: str) -> str | None:
        """Return one token itself."""
        return self._tokens.value(device)

    def make(self, token: Token, value: str) -> None:
        """Write a new version; the ones before it are never read again."""
        tags = {"scope": token.scope.value}
        if token.max_hours is not None:
            tags["max_hours"] = f"{token.max_hours:f}"
        with said_plainly():
            self._client().set_secret(PREFIX + token.device, value, tags=tags)

    def disable(self, device: str) -> bool:
        """Disable the newest version, which is the one that counts."""
        found = self.find(device)
        if found is None or not found.enabled:
            return found is not None
        name = PREFIX + device
        with said_plainly():
            version = self._client().get_secret(name).properties.version
            self._client().update_secret_properties(name, version, enabled=False)
        return True


@contextmanager
def said_plainly() -> Iterator[None]:
    """Turn what the SDK raises into our errors; a deleted name has its way out."""
    with translated():
        try:
            yield
        except HttpResponseError as refusal:
            words = words_of(refusal)
            if _IN_THE_BIN not in {words.code, *words.inner}:
                raise
            raise Failed(Evidence(message=_RECOVERABLE)) from None
