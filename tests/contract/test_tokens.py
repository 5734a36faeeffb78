"""The devices' tokens: the twin and Key Vault agree."""

import logging
from decimal import Decimal
from hashlib import sha256

import pytest

from control.errors import Unavailable
from control.ports import Scope, Token
from tests.contract.worlds import VM, TokensWorld

VALUE = "value-that-nobody-may-see"


def digest(value: str) -> bytes:
    return sha256(value.encode()).digest()


def read(tokens: TokensWorld) -> dict[str, Token]:
    return {token.device: token for token in tokens.tokens.read()}


def test_tokens_come_with_their_tags(tokens: TokensWorld) -> None:
    """Scope, machine and hours; the value only as its digest."""
    tokens.add("iphone", "one", Scope.PHONE, None, Decimal("1.5"))
    tokens.add("mac-book", "two", Scope.OPERATOR)
    tokens.add("vm-1", "three", Scope.VM, VM)
    assert read(tokens) == {
        "iphone": Token(
            device="iphone",
            digest=digest("one"),
            scope=Scope.PHONE,
            max_hours=Decimal("1.5"),
        ),
        "mac-book": Token(
            device="mac-book", digest=digest("two"), scope=Scope.OPERATOR
        ),
        "vm-1": Token(
            device="vm-1", digest=digest("three"), scope=Scope.VM, machine=VM
        ),
    }


def test_an_empty_vault_has_no_tokens(tokens: TokensWorld) -> None:
    """That is an answer and no error."""
    assert tokens.tokens.read() == ()
    assert tokens.tokens.value("iphone") is None


def test_a_rotated_token_counts_from_the_next_reading(tokens: TokensWorld) -> None:
    """The old value matches nothing any more."""
    tokens.add("iphone", "old", Scope.PHONE)
    assert read(tokens)["iphone"].digest == digest("old")
    tokens.add("iphone", "new", Scope.PHONE)
    assert read(tokens)["iphone"].digest == digest("new")
    assert tokens.tokens.value("iphone") == "new"


def test_a_disabled_token_matches_nothing(tokens: TokensWorld) -> None:
    """It is listed as disabled; its value is not given out; the others stay."""
    tokens.add("iphone", "one", Scope.PHONE)
    tokens.add("ipad", "two", Scope.PHONE)
    assert read(tokens)["iphone"].enabled
    tokens.disable("iphone")
    found = read(tokens)
    assert not found["iphone"].enabled
    assert found["iphone"].digest == b""
    assert found["ipad"].digest == digest("two")
    assert tokens.tokens.value("iphone") is None
    assert tokens.tokens.value("ipad") == "two"


def test_a_deleted_token_is_gone(tokens: TokensWorld) -> None:
    """From the list and by its name."""
    tokens.add("iphone", "one", Scope.PHONE)
    assert "iphone" in read(tokens)
    tokens.remove("iphone")
    assert read(tokens) == {}
    assert tokens.tokens.value("iphone") is None


def test_a_vault_that_fails_is_an_error_and_then_over(tokens: TokensWorld) -> None:
    """It never looks like an empty one."""
    tokens.add("iphone", "one", Scope.PHONE)
    tokens.fail()
    with pytest.raises(Unavailable):
        tokens.tokens.read()
    assert "iphone" in read(tokens)


def test_no_value_shows_in_a_token_or_a_log(
    tokens: TokensWorld, caplog: pytest.LogCaptureFixture
) -> None:
    """At no level of any library."""
    caplog.set_level(logging.DEBUG)
    tokens.add("iphone", VALUE, Scope.PHONE)
    assert VALUE not in repr(tokens.tokens.read())
    assert tokens.tokens.value("iphone") == VALUE
    assert VALUE not in caplog.text
