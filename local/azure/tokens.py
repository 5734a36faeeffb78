"""Access tokens: JWTs without a signature, good for nothing outside this machine.

They carry the real wall clock, never the shared one: Azurite and the SDKs judge them.
"""

import base64
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

TENANT = "7a3c1f0e-5d2b-4c6a-9e8f-112233445566"
_ISSUER = f"https://sts.windows.net/{TENANT}/"
_EARLY = timedelta(minutes=5)


def object_id(client: str) -> str:
    """Who a client is where roles are given."""
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, client))


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One token that was given out."""

    text: str
    caller: str
    audience: str
    expires: datetime

    @property
    def expired(self) -> bool:
        return self.expires <= datetime.now(UTC)

    def is_for(self, audience: str) -> bool:
        return self.audience.rstrip("/") == audience.rstrip("/")


class Issuer:
    """Gives tokens out and knows them again; no other token is known."""

    def __init__(self) -> None:
        self._known: dict[str, Token] = {}

    def issue(self, caller: str, client: str, audience: str, life: timedelta) -> Token:
        now = datetime.now(UTC)
        claims: dict[str, str | int] = {
            "aud": audience,
            "iss": _ISSUER,
            "iat": int((now - _EARLY).timestamp()),
            "nbf": int((now - _EARLY).timestamp()),
            "exp": int((now + life).timestamp()),
            "appid": client,
            "idtyp": "app",
            "oid": object_id(client),
            "tid": TENANT,
            "uti": uuid.uuid4().hex,
            "ver": "1.0",
        }
        token = Token(
            text=_jwt(claims), caller=caller, audience=audience, expires=now + life
        )
        self._known[token.text] = token
        return token

    def find(self, text: str | None) -> Token | None:
        return self._known.get(text or "")

    def caller(self, text: str | None) -> str:
        """Who sent a bearer token; a stranger is `nobody`."""
        token = self.find(text)
        return token.caller if token else "nobody"


def _jwt(claims: Mapping[str, str | int]) -> str:
    header = {"typ": "JWT", "alg": "none"}
    return ".".join((_part(header), _part(claims), "bG9jYWw"))


def _part(content: Mapping[str, str | int]) -> str:
    raw = json.dumps(content, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
