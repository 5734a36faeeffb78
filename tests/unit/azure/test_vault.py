"""The vault on the wire: the challenge, what is read again, what is skipped."""

import logging
from hashlib import sha256
from typing import Any

import pytest

from control.azure.vault import VaultTokens
from control.errors import AzureError, Permission, Unavailable
from control.ports import Scope
from tests.unit.azure.stub import Credential, Stub

TOKEN = "token-value-that-nobody-may-see"
DIGEST = sha256(TOKEN.encode()).digest()


def challenge(stub: Stub) -> None:
    """Let the vault ask for a token first, as it does."""
    header = 'Bearer authorization="https://login.example/t", '
    header += 'resource="https://vault.azure.net"'
    stub.tell(401, {"error": {"code": "Unauthorized"}}, {"WWW-Authenticate": header})


def listed(stub: Stub, *secrets: dict[str, Any]) -> None:
    value = [
        {
            "id": f"{stub.url}/secrets/{each['name']}",
            "attributes": {"enabled": each.get("enabled", True), "updated": each["at"]},
            "tags": each.get("tags", {"scope": "phone"}),
        }
        for each in secrets
    ]
    stub.tell(body={"value": value, "nextLink": None})


def valued(stub: Stub, name: str, value: str = TOKEN) -> None:
    body = {"id": f"{stub.url}/secrets/{name}/1", "value": value, "attributes": {}}
    stub.tell(body=body)


def vault(stub: Stub) -> VaultTokens:
    return VaultTokens(credential=Credential(), url=stub.url)


def test_a_value_is_read_again_only_when_its_secret_changed(stub: Stub) -> None:
    """The list tells; a rotated secret has a newer update time."""
    challenge(stub)
    listed(stub, {"name": "token-iphone", "at": 1})
    valued(stub, "token-iphone")
    listed(stub, {"name": "token-iphone", "at": 1})
    listed(stub, {"name": "token-iphone", "at": 2})
    valued(stub, "token-iphone", "rotated")
    adapter = vault(stub)
    assert [token.digest for token in adapter.read()] == [DIGEST]
    assert [token.digest for token in adapter.read()] == [DIGEST]
    (rotated,) = adapter.read()
    assert rotated.digest == sha256(b"rotated").digest()
    reads = [got for got in stub.got if got.path.startswith("/secrets/token-iphone")]
    assert len(reads) == 2


def test_a_disabled_secret_has_no_digest(stub: Stub) -> None:
    """It is listed, so that its device is known, and matches nothing."""
    challenge(stub)
    listed(stub, {"name": "token-iphone", "at": 1, "enabled": False})
    (token,) = vault(stub).read()
    assert not token.enabled
    assert token.digest == b""
    assert token.device == "iphone"
    assert len(stub.got) == 2


@pytest.mark.parametrize("code", ["SecretDisabled", "SecretNotFound"])
def test_a_secret_that_changed_since_the_list_is_no_error(
    stub: Stub, code: str
) -> None:
    """Disabled or deleted between the two calls: the others still count."""
    challenge(stub)
    tags = {"scope": "operator"}
    listed(
        stub,
        {"name": "token-old", "at": 1},
        {"name": "token-mac", "at": 1, "tags": tags},
    )
    status = 404 if code == "SecretNotFound" else 403
    outer = code if status == 404 else "Forbidden"
    stub.tell(status, {"error": {"code": outer, "innererror": {"code": code}}})
    valued(stub, "token-mac")
    old, mac = vault(stub).read()
    assert (old.enabled, old.digest) == (False, b"")
    assert (mac.enabled, mac.digest, mac.scope) == (True, DIGEST, Scope.OPERATOR)


@pytest.mark.parametrize(
    "tags",
    [
        {},
        {"scope": "admin"},
        {"scope": "Phone"},
        {"scope": "vm"},
        {"scope": "vm", "machine": ""},
        {"scope": "phone", "max_hours": "many"},
        {"scope": "phone", "max_hours": "0"},
        {"scope": "phone", "max_hours": "-1"},
        {"scope": "phone", "max_hours": "NaN"},
        {"scope": "phone", "max_hours": "Infinity"},
    ],
)
def test_a_token_with_unusable_tags_is_skipped_and_named(
    stub: Stub, tags: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    """Its value is not even read, and the log says which secret it is."""
    challenge(stub)
    listed(stub, {"name": "token-odd", "at": 1, "tags": tags})
    assert vault(stub).read() == ()
    assert "token-odd" in caplog.text
    assert len(stub.got) == 2


def test_other_secrets_are_left_alone(stub: Stub) -> None:
    """Only `token-...` is a token."""
    challenge(stub)
    listed(stub, {"name": "notify-url", "at": 1})
    assert vault(stub).read() == ()
    assert len(stub.got) == 2


@pytest.mark.parametrize("name", ["", "../keys/x", "a/b", "a?b", "a b", "é"])
def test_a_name_that_is_none_is_not_asked_for(stub: Stub, name: str) -> None:
    """A device's name can't lead to another path of the vault."""
    stub.tell(500)
    assert vault(stub).secret(name) is None
    assert name == "" or vault(stub).value(name) is None
    assert stub.got == []


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (403, {"error": {"code": "Forbidden"}}, Permission),
        (404, b"", Unavailable),
        (503, b"", Unavailable),
        (200, "<html></html>", Unavailable),
    ],
)
def test_a_vault_that_cannot_answer_is_an_error(
    stub: Stub, status: int, body: Any, kind: type[AzureError]
) -> None:
    """It never looks like a vault without that secret."""
    challenge(stub)
    stub.tell(status, body)
    adapter = vault(stub)
    with pytest.raises(kind):
        adapter.value("iphone")
    with pytest.raises(kind):
        adapter.read()


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"status": "Succeeded"},
        {"value": None},
        {"value": {}},
        {"value": [{"name": "token-iphone", "limit": 100}]},
    ],
)
def test_a_good_answer_of_something_else_is_no_empty_vault(
    stub: Stub, body: Any
) -> None:
    """No device is locked out, and none let in, by what another service says."""
    challenge(stub)
    stub.tell(body=body)
    adapter = vault(stub)
    with pytest.raises(Unavailable):
        adapter.read()
    with pytest.raises(Unavailable):
        adapter.secret("notify-url")


def test_an_empty_vault_is_one(stub: Stub) -> None:
    """A list of none has no tokens; an empty value is as good as none."""
    challenge(stub)
    listed(stub)
    valued(stub, "notify-url", "")
    adapter = vault(stub)
    assert adapter.read() == ()
    assert adapter.secret("notify-url") is None


@pytest.mark.parametrize(
    "host", ["kv.vault.azure.net", "127.0.0.1.evil.example", "kv.localhost"]
)
def test_the_challenge_is_verified_for_every_other_host(host: str) -> None:
    """A vault elsewhere that asks for a token of another resource gets none."""
    assert _verifies(f"https://{host}")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_the_challenge_is_not_verified_on_loopback(host: str) -> None:
    """There the local Azure's name can never fit the real resource."""
    assert not _verifies(f"https://{host}:8443")


def _verifies(url: str) -> bool:
    client = VaultTokens(credential=Credential(), url=url)._client()
    policies = client._client._client._pipeline._impl_policies
    (policy,) = (
        each for each in policies if hasattr(each, "_verify_challenge_resource")
    )
    return bool(policy._verify_challenge_resource)


def test_no_value_is_logged_or_raised(
    stub: Stub, caplog: pytest.LogCaptureFixture
) -> None:
    """Not at any level, not in an object's text, not in an error."""
    caplog.set_level(logging.DEBUG)
    challenge(stub)
    listed(stub, {"name": "token-iphone", "at": 1})
    valued(stub, "token-iphone")
    stub.tell(500, {"error": {"code": "X", "message": f"Bearer {TOKEN}"}})
    adapter = vault(stub)
    tokens = adapter.read()
    with pytest.raises(Unavailable) as caught:
        adapter.read()
    assert TOKEN not in repr(tokens)
    assert TOKEN not in repr(vars(adapter))
    assert TOKEN not in str(caught.value)
    assert TOKEN not in caplog.text
