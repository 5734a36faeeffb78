"""A whole vault's secrets, as the person at the command line reads and writes them."""

from functools import partial
from typing import TYPE_CHECKING

from control.azure.deadline import within
from control.azure.faults import translated
from control.azure.lazy import Lazy
from control.azure.registrar import said_plainly
from control.azure.sentences import explained, silence_named
from control.azure.vault import VaultTokens, ensure_page, secret_client
from control.deployment.keyring import Held, Place

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential
    from azure.keyvault.secrets import SecretClient

_SECONDS = 30.0
_WORDS = {
    "forbidden": "Your login needs the role Key Vault Secrets Officer there; one that "
    "was given minutes ago may not work yet: `--wait 10` waits for it.",
}


class VaultSecrets:
    """One Key Vault; `setting` is the name of the setting that leads to it."""

    def __init__(
        self, *, credential: "TokenCredential", url: str, setting: str
    ) -> None:
        self._setting = setting
        self._values = VaultTokens(credential=credential, url=url)
        self._client = Lazy(partial(secret_client, credential, url))

    def enabled(self) -> dict[str, bool]:
        """Return every secret's name in small letters, and whether it is enabled."""
        with silence_named("Key Vault", self._setting), explained(_WORDS), translated():
            client = self._client()
            return within(_SECONDS, lambda _: _listed(client))

    def held(self, place: Place, names: dict[str, bool]) -> Held | None:
        """Return what is there by a list read before; None where nothing is."""
        enabled = names.get(place.name.lower())
        if enabled is None:
            return None
        with silence_named("Key Vault", self._setting), explained(_WORDS):
            value = self._values.secret(place.name) if enabled else None
        return Held(value=value, enabled=value is not None)

    def write(self, place: Place, value: str) -> None:
        """Write a new version, enabled; nothing reads the ones before it again."""
        with (
            silence_named("Key Vault", self._setting),
            explained(_WORDS),
            said_plainly(),
        ):
            self._client().set_secret(place.name, value, tags=dict(place.tags))


def _listed(client: "SecretClient") -> dict[str, bool]:
    listed = client.list_properties_of_secrets(raw_response_hook=ensure_page)
    return {each.name.lower(): bool(each.enabled) for each in listed if each.name}
