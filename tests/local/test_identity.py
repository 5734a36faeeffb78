"""The identity endpoint as App Service serves it to a user-assigned identity."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from azure.core.exceptions import ClientAuthenticationError
from azure.identity import ManagedIdentityCredential

from local.azure import LocalAzure

_QUERY = {"api-version": "2019-08-01", "resource": "https://storage.azure.com"}


def ask(azure: LocalAzure, secret: str, **query: str) -> httpx.Response:
    headers = {"X-IDENTITY-HEADER": secret, "Metadata": "true"}
    params = {**_QUERY, **query}
    with httpx.Client(trust_env=False) as client:
        return client.get(azure.identity_url, params=params, headers=headers)


def claims(token: str) -> dict[str, Any]:
    part = token.split(".")[1]
    read: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=="))
    return read


def test_a_token_for_storage_is_one_azurite_takes(azure: LocalAzure) -> None:
    """Audience, issuer and the real clock; not the shared one, which stands still."""
    answer = ask(azure, azure.identity_secret, client_id=azure.client_id).json()
    read = claims(answer["access_token"])
    now = datetime.now(UTC).timestamp()
    assert read["aud"] == "https://storage.azure.com"
    assert read["iss"].startswith("https://sts.windows.net/")
    assert read["nbf"] <= now < read["exp"]
    assert int(answer["expires_on"]) == read["exp"]


def test_the_sdk_gets_and_keeps_a_token(
    azure: LocalAzure, credential: ManagedIdentityCredential
) -> None:
    """One request for two tokens of one scope."""
    scope = "https://management.azure.com/.default"
    assert credential.get_token(scope).token == credential.get_token(scope).token
    assert len(azure.log.of()) == 1


@pytest.mark.parametrize("client", [{}, {"client_id": "somebody-else"}])
def test_without_the_right_client_id_it_is_400(
    azure: LocalAzure, client: dict[str, str]
) -> None:
    """An app with only a user-assigned identity must name it."""
    answer = ask(azure, azure.identity_secret, **client)
    assert answer.status_code == 400
    assert "No User Assigned" in answer.json()["Message"]


def test_the_sdk_without_a_client_id_fails(azure: LocalAzure) -> None:
    """`ManagedIdentityCredential()` does not find the identity by itself."""
    with (
        ManagedIdentityCredential() as credential,
        pytest.raises(ClientAuthenticationError),
    ):
        credential.get_token("https://management.azure.com/.default")
    assert [entry.status for entry in azure.log.of()] == [400]


def test_the_secret_header_is_checked(azure: LocalAzure) -> None:
    """A wrong X-IDENTITY-HEADER gets 401 and no token."""
    answer = ask(azure, "wrong", client_id=azure.client_id)
    assert answer.status_code == 401
    assert "access_token" not in answer.json()


def test_a_life_can_be_over(azure: LocalAzure) -> None:
    """A token of negative life has expired when it is given out."""
    token = azure.identity.issue("app", "https://x.example", timedelta(seconds=-5))
    assert token.expired
    assert not azure.identity.issue("app", "https://x.example").expired
