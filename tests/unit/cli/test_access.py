"""What the environment must say before a command reaches anything."""

import pytest

from control.cli.access import Access
from control.errors import CommandError

URL = "https://func-kimi.azurewebsites.net"
VAULT = "https://kv-kimi.vault.azure.net"


def test_everything_missing_is_named_at_once() -> None:
    """One sentence, not one after the other."""
    with pytest.raises(CommandError, match=r"CONTROL_URL .* and CONTROL_TOKEN or KEY"):
        Access.read({})


@pytest.mark.parametrize(
    "url",
    [
        "func-kimi.azurewebsites.net",
        "http://func-kimi.azurewebsites.net",
        f"{URL}/start",
        f"{URL}?x=1",
        f"{URL}/#7Q3XK2M9PA",
        "https://",
    ],
)
def test_an_address_is_that_of_the_app_and_safe(url: str) -> None:
    """A token goes nowhere in clear, and nothing stands behind the host."""
    with pytest.raises(CommandError, match="is no address like"):
        Access.read({"CONTROL_URL": url, "CONTROL_TOKEN": "t"})


@pytest.mark.parametrize("url", [URL, f"{URL}/", "http://127.0.0.1:7071"])
def test_a_good_address_is_taken(url: str) -> None:
    """Without the slash at its end; loopback may do without TLS."""
    access = Access.read({"CONTROL_URL": url, "CONTROL_TOKEN": "t"})
    assert access.url == url.rstrip("/")
    assert access.operators_token() == "t"


def test_the_apps_own_address_does_too() -> None:
    """PUBLIC_URL stands in the app's settings already."""
    access = Access.read({"PUBLIC_URL": URL, "KEY_VAULT_URL": VAULT})
    assert (access.url, access.vault, access.token) == (URL, VAULT, None)


def test_without_a_vault_nothing_is_written_there() -> None:
    """The sentence names the setting."""
    access = Access.read({"CONTROL_URL": URL, "CONTROL_TOKEN": "t"})
    with pytest.raises(CommandError, match="KEY_VAULT_URL"):
        access.registrar()


def test_a_token_does_not_show() -> None:
    """Neither in a log nor in a traceback."""
    access = Access.read({"CONTROL_URL": URL, "CONTROL_TOKEN": "secret-token"})
    assert "secret-token" not in repr(access)


@pytest.mark.parametrize("token", ["tökén", "a\nb", "a b", "\u200bx"])
def test_a_token_that_no_header_takes_is_told(token: str) -> None:
    """Before it is sent, and without showing it."""
    with pytest.raises(CommandError, match="CONTROL_TOKEN is no token") as raised:
        Access.read({"CONTROL_URL": URL, "CONTROL_TOKEN": token})
    assert token not in str(raised.value)


@pytest.mark.parametrize("vault", ["foo", "http://kv-kimi.vault.azure.net", "https://"])
def test_a_vaults_address_is_one(vault: str) -> None:
    """Told at once, not after eight seconds of trying."""
    with pytest.raises(CommandError, match=r"KEY_VAULT_URL=.* is no address like"):
        Access.read({"CONTROL_URL": URL, "KEY_VAULT_URL": vault})
