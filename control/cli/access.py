"""How a command reaches the switch: its address, its token, and the devices' vault.

`CONTROL_URL` (else `PUBLIC_URL`) and `CONTROL_TOKEN`; without a token `token-operator`
is read from the vault at `KEY_VAULT_URL` by the person's own Azure login, each time.
Nothing is stored.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from control.cli.console import note
from control.cli.remote import Remote
from control.clock import SystemClock
from control.errors import CommandError
from control.ports import Registrar

OPERATOR = "operator"
_TOKEN = re.compile(r"[\x21-\x7e]+")
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What the environment says; `token` and `vault` may be missing, not both."""

    url: str
    token: str | None = field(repr=False)
    vault: str | None

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> "Access":
        """Read the environment, and name all that is missing at once."""
        url = environ.get("CONTROL_URL") or environ.get("PUBLIC_URL")
        token = environ.get("CONTROL_TOKEN") or None
        vault = environ.get("KEY_VAULT_URL") or None
        missing = [
            *([] if url else ["CONTROL_URL (the switch's address)"]),
            *([] if token or vault else ["CONTROL_TOKEN or KEY_VAULT_URL"]),
        ]
        if missing or url is None:
            raise CommandError(f"the environment lacks {' and '.join(missing)}.")
        return cls(url=_address(url), token=_token(token), vault=_vault(vault))

    def registrar(self) -> Registrar:
        """Return the vault as this person may change it."""
        if self.vault is None:
            raise CommandError(
                "the environment lacks KEY_VAULT_URL, the app's vault, where tokens "
                "are made and revoked; `code` and `devices` do without it."
            )
        from control.azure.credential import (  # noqa: PLC0415 - slow: the SDKs
            persons_login,
        )
        from control.azure.registrar import VaultRegistrar  # noqa: PLC0415 - the same

        return VaultRegistrar(credential=persons_login(), url=self.vault)

    def operators_token(self) -> str:
        """Return the operator's token: the given one, or the vault's."""
        if self.token is not None:
            return self.token
        found = self.registrar().value(OPERATOR)
        if found is None:
            raise CommandError(
                "the vault has no enabled token-operator: run `python -m control pair "
                "operator --scope operator`."
            )
        return found


@contextmanager
def reached(environ: Mapping[str, str]) -> "Iterator[tuple[Access, Remote]]":
    """Return the way to the switch, and the switch at its end."""
    import httpx  # noqa: PLC0415 - slow: for these commands alone

    access = Access.read(environ)
    with httpx.Client() as client:
        yield access, Remote(client, access.url, SystemClock(), note)


def _token(text: str | None) -> str | None:
    """Return a token that can stand in a header."""
    if text is not None and not _TOKEN.fullmatch(text):
        raise CommandError(
            "CONTROL_TOKEN is no token: it has signs that none has. Copy it anew."
        )
    return text


def _vault(url: str | None) -> str | None:
    parts = urlsplit(url or "")
    if url is not None and (parts.scheme != "https" or not parts.hostname):
        raise CommandError(
            f"KEY_VAULT_URL={url} is no address like https://<vault>.vault.azure.net."
        )
    return url


def _address(url: str) -> str:
    """Return the switch's address without anything behind its host."""
    parts = urlsplit(url)
    safe = parts.scheme == "https" or (
        parts.scheme == "http" and parts.hostname in _LOOPBACK
    )
    bare = parts.path in {"", "/"} and not (parts.query or parts.fragment)
    if not safe or not bare or not parts.hostname:
        raise CommandError(f"{url} is no address like https://<app>.azurewebsites.net.")
    return f"{parts.scheme}://{parts.netloc}"
