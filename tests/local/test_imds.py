"""The metadata service of a machine, as the real SDK and the agent ask it."""

import httpx
import pytest
from azure.core.exceptions import ClientAuthenticationError
from azure.identity import ManagedIdentityCredential

from local.azure import LocalAzure


def ask(azure: LocalAzure, path: str, **headers: str) -> httpx.Response:
    with httpx.Client(trust_env=False) as client:
        return client.get(f"{azure.vm.imds_url}{path}", headers=headers)


def on_a_machine(azure: LocalAzure, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the SDK find it: there is no App Service around it."""
    for name in ("IDENTITY_ENDPOINT", "IDENTITY_HEADER"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AZURE_POD_IDENTITY_AUTHORITY_HOST", azure.vm.imds_url)


def test_the_sdk_gets_the_machines_token(
    azure: LocalAzure, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the client id of the identity that the machine has."""
    on_a_machine(azure, monkeypatch)
    client_id = azure.identity.client_id("vm")
    with ManagedIdentityCredential(client_id=client_id) as credential:
        token = credential.get_token("https://vault.azure.net/.default")
    assert token.token


def test_the_sdk_gets_no_other_identity(
    azure: LocalAzure, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The app's is not the machine's."""
    on_a_machine(azure, monkeypatch)
    with (
        ManagedIdentityCredential(client_id=azure.client_id) as credential,
        pytest.raises(ClientAuthenticationError),
    ):
        credential.get_token("https://vault.azure.net/.default")


def test_it_says_which_machine_it_is(azure: LocalAzure) -> None:
    """By its name, and by its resource id as ARM has it."""
    path = "/metadata/instance/compute?api-version=2021-02-01"
    said = ask(azure, path, Metadata="true").json()
    assert said["name"] == "vm-kimi-01"
    assert said["resourceId"].endswith("/virtualMachines/vm-kimi-01")


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/metadata/instance/compute?api-version=2021-02-01", {}),
        ("/metadata/instance/compute", {"Metadata": "true"}),
        (
            "/metadata/instance/compute?api-version=2021-02-01",
            {"Metadata": "true", "X-Forwarded-For": "10.0.0.1"},
        ),
        (
            "/metadata/identity/oauth2/token?api-version=2018-02-01",
            {"Metadata": "true"},
        ),
    ],
)
def test_what_a_browser_could_send_is_refused(
    azure: LocalAzure, path: str, headers: dict[str, str]
) -> None:
    """No header, a proxy in between, or half a question: 400."""
    assert ask(azure, path, **headers).status_code == 400
