"""The two Key Vaults as the real secrets client sees them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import httpx
import pytest
from azure.core.exceptions import (
    HttpResponseError,
    ResourceNotFoundError,
    ServiceRequestError,
    ServiceResponseError,
)
from azure.identity import ManagedIdentityCredential
from azure.keyvault.secrets import SecretClient

from local.azure import Kind, LocalAzure
from local.azure.vault import Vault

type Open = Callable[[str, Vault], SecretClient]


@pytest.fixture
def open_as(azure: LocalAzure) -> Iterator[Open]:
    """Make a client for a vault under one of the principals."""
    with ExitStack() as stack:

        def make(caller: str, vault: Vault) -> SecretClient:
            client_id = azure.identity.client_id(caller)
            credential = stack.enter_context(
                ManagedIdentityCredential(client_id=client_id)
            )
            client = SecretClient(
                vault.url, credential, verify_challenge_resource=False, retry_total=0
            )
            return stack.enter_context(client)

        yield make


def inner(error: HttpResponseError) -> str:
    assert error.error is not None
    found = error.error.innererror
    return str(found["code"]) if found else ""


def test_the_challenge_comes_first(azure: LocalAzure, open_as: Open) -> None:
    """401 with the resource, a token, then the secret with its tags."""
    azure.add_secret("token-phone", "s3cret", tags={"scope": "phone"})
    secret = open_as("app", azure.vault).get_secret("token-phone")
    assert (secret.value, secret.properties.tags) == ("s3cret", {"scope": "phone"})
    assert secret.properties.enabled
    assert [e.status for e in azure.log.of(Kind.SECRET_GET)] == [401, 200]


def test_the_challenge_names_authority_and_resource(azure: LocalAzure) -> None:
    """The header is what the SDK reads its scope from."""
    with httpx.Client(verify=False, trust_env=False) as client:  # noqa: S501 - loopback
        answer = client.get(f"{azure.vault.url}/secrets")
    assert answer.status_code == 401
    assert 'resource="https://vault.azure.net"' in answer.headers["www-authenticate"]
    assert answer.json()["error"]["message"].startswith("AKV10000")


def test_a_list_turns_pages(azure: LocalAzure, open_as: Open) -> None:
    """Names, tags and enabled without values, over the `nextLink`."""
    for number in range(30):
        azure.add_secret(f"token-{number:02}", "v", tags={"scope": "phone"})
    azure.enable_secret("token-07", enabled=False)
    client = open_as("app", azure.vault)
    found = list(client.list_properties_of_secrets())
    assert [each.name for each in found] == [f"token-{n:02}" for n in range(30)]
    assert [each.name for each in found if not each.enabled] == ["token-07"]
    small = client.list_properties_of_secrets(max_page_size=7).by_page()
    assert [len(list(page)) for page in small] == [7, 7, 7, 7, 2]


def test_a_disabled_secret_keeps_its_value(azure: LocalAzure, open_as: Open) -> None:
    """403 SecretDisabled until it is enabled again."""
    azure.add_secret("token-phone", "s3cret")
    azure.enable_secret("token-phone", enabled=False)
    client = open_as("app", azure.vault)
    with pytest.raises(HttpResponseError) as caught:
        client.get_secret("token-phone")
    assert (caught.value.status_code, inner(caught.value)) == (403, "SecretDisabled")
    azure.enable_secret("token-phone", enabled=True)
    assert client.get_secret("token-phone").value == "s3cret"


def test_the_operator_writes_and_the_app_does_not(
    azure: LocalAzure, open_as: Open
) -> None:
    """A second version is the one that is read; the first is there by its name."""
    operator = open_as("operator", azure.vault)
    first = operator.set_secret("token-x", "one", tags={"scope": "phone"})
    operator.set_secret("token-x", "two", tags={"scope": "phone"})
    app = open_as("app", azure.vault)
    assert app.get_secret("token-x").value == "two"
    assert app.get_secret("token-x", first.properties.version).value == "one"
    versions = list(app.list_properties_of_secret_versions("token-x"))
    assert len(versions) == 2
    with pytest.raises(HttpResponseError) as caught:
        app.set_secret("token-x", "three")
    assert inner(caught.value) == "ForbiddenByRbac"


def test_properties_change_without_a_value(azure: LocalAzure, open_as: Open) -> None:
    """The operator disables and tags a version by PATCH."""
    azure.add_secret("token-x", "one", tags={"scope": "phone"})
    operator = open_as("operator", azure.vault)
    changed = operator.update_secret_properties(
        "token-x", enabled=False, tags={"scope": "phone", "max_hours": "1"}
    )
    assert (changed.enabled, changed.tags) == (
        False,
        {"scope": "phone", "max_hours": "1"},
    )


def test_a_deleted_name_stays_taken(azure: LocalAzure, open_as: Open) -> None:
    """409 ObjectIsDeletedButRecoverable until it is recovered or purged."""
    azure.add_secret("token-x", "one")
    operator = open_as("operator", azure.vault)
    operator.begin_delete_secret("token-x").wait()
    with pytest.raises(ResourceNotFoundError):
        operator.get_secret("token-x")
    with pytest.raises(HttpResponseError) as caught:
        operator.set_secret("token-x", "two")
    assert inner(caught.value) == "ObjectIsDeletedButRecoverable"
    assert [each.name for each in operator.list_deleted_secrets()] == ["token-x"]
    operator.begin_recover_deleted_secret("token-x").wait()
    assert operator.get_secret("token-x").value == "one"
    operator.begin_delete_secret("token-x").wait()
    operator.purge_deleted_secret("token-x")
    assert operator.set_secret("token-x", "two").value == "two"


def test_the_machines_vault_is_closed_to_the_app(
    azure: LocalAzure, open_as: Open
) -> None:
    """Each reads its own vault alone."""
    azure.add_secret("token-phone", "phone")
    azure.put_secret(azure.machine_vault, "hf-token", "machine")
    for caller, vault in (("app", azure.machine_vault), ("vm", azure.vault)):
        with pytest.raises(HttpResponseError) as caught:
            list(open_as(caller, vault).list_properties_of_secrets())
        assert inner(caught.value) == "ForbiddenByRbac"
    own = open_as("vm", azure.machine_vault)
    assert own.get_secret("hf-token").value == "machine"


@pytest.mark.parametrize(
    ("name", "status"),
    [("vault_forbidden", 403), ("vault_throttled", 429), ("vault_error", 500)],
)
def test_a_vault_can_be_ill(
    azure: LocalAzure, open_as: Open, name: str, status: int
) -> None:
    """One vault alone refuses until it is cleared."""
    azure.add_secret("token-phone", "phone")
    client = open_as("app", azure.vault)
    azure.faults.arm(name, times=None, target="app-vault")
    with pytest.raises(HttpResponseError) as caught:
        client.get_secret("token-phone")
    assert caught.value.status_code == status
    azure.faults.clear()
    assert client.get_secret("token-phone").value == "phone"


def test_a_vault_can_be_unreachable(azure: LocalAzure, open_as: Open) -> None:
    """The connection is reset, the other vault still answers."""
    azure.put_secret(azure.machine_vault, "hf-token", "machine")
    azure.faults.arm("vault_unreachable", times=None, target="app-vault")
    with pytest.raises((ServiceRequestError, ServiceResponseError)):
        open_as("app", azure.vault).get_secret("any")
    own = open_as("vm", azure.machine_vault)
    assert own.get_secret("hf-token").value == "machine"


def test_no_secret_value_stands_in_the_log(azure: LocalAzure, open_as: Open) -> None:
    """What a caller sets is kept by the vault alone."""
    open_as("operator", azure.vault).set_secret("token-x", "very-secret-value")
    assert "very-secret-value" not in repr(azure.log.seen)
