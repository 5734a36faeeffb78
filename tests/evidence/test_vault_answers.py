"""The local Azure's vault against the recorded one."""

import re
import ssl

import httpx
import pytest

from local.azure import LocalAzure
from tests.evidence.allowances import SERVER
from tests.evidence.compare import Allowed, check_error, check_fields, check_headers
from tests.evidence.shared import recorded

_SCOPE = "https://vault.azure.net"
_GUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_SERVED = Allowed(adds=SERVER)
_BODY = {"value": "ABC123", "tags": {"file-encoding": "utf-8"}}


@pytest.fixture
def bare(azure: LocalAzure) -> httpx.Client:
    """A client that has no token yet."""
    context = ssl.create_default_context(cafile=azure.certificate.authority)
    return httpx.Client(base_url=azure.vault.url, verify=context, trust_env=False)


def test_a_secret_is_made_and_its_name_stays_taken(
    azure: LocalAzure, bare: httpx.Client
) -> None:
    """The challenge, the bundle in its order, the name of a deleted secret."""
    token = azure.identity.issue("operator", _SCOPE).text
    good = {"Authorization": f"Bearer {token}"}
    with bare as client:
        challenged = client.put("/secrets/secret1", json=_BODY)
        made = client.put("/secrets/secret1", json=_BODY, headers=good)
        azure.remove_secret("secret1")
        taken = client.put("/secrets/secret1", json=_BODY, headers=good)
    check_challenge(challenged)
    theirs = recorded("21", 1)
    check_fields(made.json(), theirs["body"])
    check_headers(made.headers, theirs["headers"], _SERVED)
    assert list(made.json()) == list(theirs["body"])
    check_error(taken, recorded("21", 2), _SERVED)
    assert taken.json() == recorded("21", 2)["body"]


def check_challenge(ours: httpx.Response) -> None:
    """The recorded header but for the tenant's name; the recorded body."""
    theirs = recorded("21")
    check_error(ours, theirs, _SERVED)
    header = "www-authenticate"
    challenge = re.sub(_GUID, "", ours.headers[header])
    assert challenge == re.sub(_GUID, "", theirs["headers"][header])
    assert ours.json() == theirs["body"]
