"""The app's identity: asked for by its client id, and given up soon."""

import time
from urllib.parse import parse_qs, urlsplit

import pytest
from azure.core.exceptions import AzureError

from control.azure.credential import managed_identity
from tests.unit.azure.stub import Stub

SCOPE = "https://management.azure.com/.default"


@pytest.fixture
def identity(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> Stub:
    """The identity endpoint of an app."""
    monkeypatch.setenv("IDENTITY_ENDPOINT", f"{stub.url}/msi/token")
    monkeypatch.setenv("IDENTITY_HEADER", "header-of-the-host")
    monkeypatch.delenv("IDENTITY_SERVER_THUMBPRINT", raising=False)
    return stub


def test_the_client_id_is_passed_and_the_token_kept(identity: Stub) -> None:
    """One request serves many calls."""
    identity.tell(body={"access_token": "t-1", "expires_on": "9999999999"})
    credential = managed_identity("client-1")
    assert credential.get_token(SCOPE).token == "t-1"
    assert credential.get_token(SCOPE).token == "t-1"
    (got,) = identity.got
    query = parse_qs(urlsplit(got.path).query)
    assert query["client_id"] == ["client-1"]
    assert query["resource"] == ["https://management.azure.com"]
    assert got.headers["x-identity-header"] == "header-of-the-host"


@pytest.mark.parametrize("status", [400, 500])
def test_an_endpoint_that_refuses_fails_soon(identity: Stub, status: int) -> None:
    """The SDK's own patience outlasts the platform's."""
    identity.tell(status, {"error": "invalid_request"})
    began = time.monotonic()
    with pytest.raises(AzureError):
        managed_identity("client-1").get_token(SCOPE)
    assert time.monotonic() - began < 5
    assert len(identity.got) <= 2


def test_nothing_is_asked_before_it_is_used(identity: Stub) -> None:
    """Making the credential has no effect."""
    managed_identity("client-1")
    assert identity.got == []
