"""What is done about each secret, as it is found."""

import pytest

from control.deployment.keyring import Held, Secret, State, finding, keyring

MACHINE = "vm-kimi_01.eastus2"
THERE, OTHER = (Held(value=each, enabled=True) for each in ("a" * 64, "b" * 64))
SEALED = Held(value=None, enabled=False)


def named(name: str) -> Secret:
    return next(each for each in keyring(MACHINE) if each.name == name)


@pytest.mark.parametrize(
    ("found", "state", "lacking", "value"),
    [
        ((None, None), State.MISSING, 2, "fresh"),
        ((THERE, None), State.MISSING, 1, THERE.value),
        ((None, THERE), State.MISSING, 1, THERE.value),
        ((THERE, THERE), State.THERE, 0, None),
        ((THERE, OTHER), State.DIFFERENT, 0, None),
        ((SEALED, None), State.DISABLED, 0, None),
        ((THERE, SEALED), State.DISABLED, 0, None),
        ((SEALED, SEALED), State.DISABLED, 0, None),
    ],
)
def test_a_token_that_stands_in_both_vaults(
    found: tuple[Held | None, ...], state: State, lacking: int, value: str | None
) -> None:
    """A half is copied; what somebody has disabled or changed is left to a person."""
    said = finding(named("token-vm"), found, lambda: "fresh")
    assert (said.state, len(said.lacking), said.value) == (state, lacking, value)


def test_nothing_is_made_where_it_is_not_needed() -> None:
    """Chance is asked for only for what is written."""

    def never() -> str:
        raise AssertionError

    assert finding(named("vllm-api-key"), [THERE], never).state is State.THERE


def test_names_are_what_a_vault_takes() -> None:
    """Letters, digits and dashes; the tag keeps the machine's own name."""
    for secret in keyring(MACHINE):
        assert secret.follows.endswith(".")
        for place in secret.places:
            assert place.name.replace("-", "").isalnum()
    _, token = named("token-vm").places
    assert token.name == "token-vm-vm-kimi-01-eastus2"
    assert token.tags == {"scope": "vm", "machine": MACHINE}


def test_no_value_shows_itself() -> None:
    """In a log, or a failing test."""
    said = finding(named("vllm-api-key"), [None], lambda: "s3cret")
    assert "s3cret" not in repr(said)
    assert "a" * 64 not in repr(THERE)
