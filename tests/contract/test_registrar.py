"""The vault's writing side: the twin and Key Vault agree."""

from decimal import Decimal

import pytest

from control.errors import Failed
from control.ports import Scope, Token
from tests.contract.worlds import AzureTokensWorld, TokensWorld

IPHONE = Token(device="iphone", digest=b"", scope=Scope.PHONE, max_hours=Decimal("1.5"))


def test_a_device_that_is_made_is_found(tokens: TokensWorld) -> None:
    """With its tags; the app reads the same value."""
    registrar = tokens.registrar
    assert registrar.find("iphone") is None
    assert registrar.value("iphone") is None
    registrar.make(IPHONE, "one")
    found = registrar.find("iphone")
    assert found is not None
    assert (found.scope, found.max_hours, found.enabled) == (
        Scope.PHONE,
        Decimal("1.5"),
        True,
    )
    assert registrar.value("iphone") == "one"
    assert tokens.tokens.value("iphone") == "one"


def test_a_device_that_is_disabled_has_no_value(tokens: TokensWorld) -> None:
    """It is still found; disabling it twice is as good as once."""
    registrar = tokens.registrar
    assert registrar.disable("iphone") is False
    registrar.make(IPHONE, "one")
    assert registrar.disable("iphone") is True
    assert registrar.disable("iphone") is True
    found = registrar.find("iphone")
    assert found is not None
    assert not found.enabled
    assert registrar.value("iphone") is None
    assert tokens.tokens.value("iphone") is None


def test_a_new_value_takes_the_place_of_a_disabled_one(tokens: TokensWorld) -> None:
    """With the tags of now; the old value is good for nothing."""
    registrar = tokens.registrar
    registrar.make(IPHONE, "one")
    registrar.disable("iphone")
    laptop = Token(device="iphone", digest=b"", scope=Scope.OPERATOR)
    registrar.make(laptop, "two")
    found = registrar.find("iphone")
    assert found is not None
    assert (found.scope, found.max_hours, found.enabled) == (Scope.OPERATOR, None, True)
    assert tokens.tokens.value("iphone") == "two"


def test_a_deleted_name_is_said_as_that(tokens: TokensWorld) -> None:
    """Key Vault keeps it for days, and refuses the name; the twin knows no bin."""
    if not isinstance(tokens, AzureTokensWorld):
        return
    tokens.registrar.make(IPHONE, "one")
    tokens.remove("iphone")
    with pytest.raises(Failed) as caught:
        tokens.registrar.make(IPHONE, "two")
    assert "recover or purge it" in caught.value.evidence.message
