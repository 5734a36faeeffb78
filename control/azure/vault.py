"""The devices' tokens through azure-keyvault-secrets; a value is hashed at once."""

import logging
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from azure.core.exceptions import HttpResponseError

from control.azure.arm import call_options, is_loopback
from control.azure.deadline import within
from control.azure.faults import translated, unanswered, words_of
from control.azure.lazy import Lazy
from control.ports import Scope, Token

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential
    from azure.keyvault.secrets import SecretClient, SecretProperties

PREFIX = "token-"
NO_DIGEST = b""
_SECONDS = 5.0
_NONE_SUCH = {"SecretNotFound", "SecretDisabled"}
_LOG = logging.getLogger(__name__)


class VaultTokens:
    """`ports.Tokens` on one Key Vault, and any other secret of it by name.

    Values are read again only when a secret's update time has changed.
    """

    def __init__(self, *, credential: "TokenCredential", url: str) -> None:
        self._client = Lazy(partial(secret_client, credential, url))
        self._digests: dict[str, tuple[datetime | None, bytes]] = {}

    def read(self) -> tuple[Token, ...]:
        """List the tokens; a disabled one has no digest, for its value is sealed."""
        with translated():
            client = self._client()
            return within(_SECONDS, lambda _: self._list(client))

    def value(self, device: str) -> str | None:
        """Return a device's token, None when it is missing or disabled."""
        return self.secret(PREFIX + device)

    def secret(self, name: str) -> str | None:
        """Return a secret by its name, None when it is missing or disabled."""
        if not _is_name(name):
            return None
        with translated():
            client = self._client()
            return within(_SECONDS, lambda _: _value(client, name))

    def _list(self, client: "SecretClient") -> tuple[Token, ...]:
        tokens, digests = list[Token](), dict[str, tuple[datetime | None, bytes]]()
        for listed in client.list_properties_of_secrets(raw_response_hook=ensure_page):
            if not (name := listed.name):
                raise unanswered("The vault listed what is no secret.")
            token = _token(name, listed) if name.startswith(PREFIX) else None
            if token is None:
                continue
            if token.enabled:
                digest = self._digest(client, name, listed.updated_on)
                digests[name] = (listed.updated_on, digest)
                token = _sealed(token, digest)
            tokens.append(token)
        self._digests = digests
        return tuple(tokens)

    def _digest(
        self, client: "SecretClient", name: str, updated: datetime | None
    ) -> bytes:
        known_at, known = self._digests.get(name, (None, NO_DIGEST))
        if known and updated is not None and known_at == updated:
            return known
        value = _value(client, name)
        return sha256(value.encode()).digest() if value else NO_DIGEST


def _value(client: "SecretClient", name: str) -> str | None:
    try:
        secret = client.get_secret(name)
    except HttpResponseError as refusal:
        words = words_of(refusal)
        if _NONE_SUCH.isdisjoint((words.code, *words.inner)):
            raise
        return None
    if not secret.id or not isinstance(secret.value, str):
        raise unanswered("The vault's answer is no secret.")
    return secret.value or None


def ensure_page(response: Any) -> None:
    """Refuse what is no list: the SDK would make of it a vault without secrets."""
    answer = response.http_response
    if answer.status_code != HTTPStatus.OK:
        return
    body = answer.json()
    if not isinstance(body, dict) or not isinstance(body.get("value"), list):
        raise unanswered("The vault's answer is no list of secrets.")


def _token(name: str, listed: "SecretProperties") -> Token | None:
    """Read a token's tags; None, and a line in the log, where they are no use."""
    tags = listed.tags or {}
    try:
        scope, hours = _scope(tags), _hours(tags)
    except ValueError as why:
        _LOG.warning("The secret %s is skipped: %s", name, why)
        return None
    return Token(
        device=name.removeprefix(PREFIX),
        digest=NO_DIGEST,
        scope=scope,
        enabled=bool(listed.enabled),
        machine=tags.get("machine") or None,
        max_hours=hours,
    )


def _scope(tags: Mapping[str, Any]) -> Scope:
    scope = Scope(tags.get("scope", ""))
    if scope is Scope.VM and not tags.get("machine"):
        raise ValueError("a vm token without its machine")
    return scope


def _sealed(token: Token, digest: bytes) -> Token:
    """Give a token its digest; one that was disabled since it was listed has none."""
    return Token(
        device=token.device,
        digest=digest,
        scope=token.scope,
        enabled=digest != NO_DIGEST,
        machine=token.machine,
        max_hours=token.max_hours,
    )


def _hours(tags: Mapping[str, Any]) -> Decimal | None:
    if (text := tags.get("max_hours")) is None:
        return None
    try:
        hours = Decimal(text)
    except InvalidOperation:
        hours = Decimal("nan")
    if not hours.is_finite() or hours <= 0:
        raise ValueError("max_hours is no number of hours")
    return hours


def _is_name(name: str) -> bool:
    return name.isascii() and name.replace("-", "").isalnum()


def secret_client(credential: "TokenCredential", url: str) -> "SecretClient":
    """Return a client that asks once: no retry, no redirect."""
    from azure.keyvault.secrets import (  # noqa: PLC0415 - slow: made at first use
        SecretClient,
    )

    return SecretClient(
        url,
        credential,
        verify_challenge_resource=not is_loopback(url),
        retry_total=0,
        permit_redirects=False,
        **call_options(_SECONDS),
    )
