"""Which secrets a deployment has, and what is to be done about each: pure.

The app reads its vault, the machine its own; one value stands in both, so that the
machine can be told from others. What is there stays: a disabled secret was disabled by
somebody, and two values of one token are a case for a person.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from control.ports import Scope


class Vault(StrEnum):
    """Whose vault it is."""

    APP = "the app's vault"
    MACHINE = "the machine's vault"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A secret's name in one vault, with its tags."""

    vault: Vault
    name: str
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """One value, where it stands, and what must follow when it is a new one."""

    name: str
    places: tuple[Place, ...]
    follows: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a vault has; the value of a disabled secret is sealed."""

    value: str | None = field(repr=False)
    enabled: bool


class State(StrEnum):
    """How a secret is found, and so what `init` does."""

    THERE = "is there"
    MISSING = "is missing"
    DISABLED = "is disabled"
    DIFFERENT = "has two values"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A secret's state, and the value to be written where it is missing."""

    state: State
    lacking: tuple[Place, ...] = ()
    value: str | None = field(default=None, repr=False)


def keyring(machine: str) -> tuple[Secret, ...]:
    """Return the secrets of a switch and one machine."""
    return (
        Secret(
            name="token-operator",
            places=(
                Place(
                    vault=Vault.APP,
                    name="token-operator",
                    tags={"scope": Scope.OPERATOR.value},
                ),
            ),
            follows="The old one counts for a minute still; whoever kept it needs this "
            "one.",
        ),
        Secret(
            name="token-vm",
            # The machine first: when the app refuses the old one, the new one is there.
            places=(
                Place(vault=Vault.MACHINE, name="token-vm"),
                Place(
                    vault=Vault.APP,
                    name=f"token-vm-{_word(machine)}",
                    tags={"scope": Scope.VM.value, "machine": machine},
                ),
            ),
            follows="A running machine takes it within minutes, by itself.",
        ),
        *(_key(name, follows) for name, follows in _KEYS.items()),
    )


_KEYS = {
    "vllm-api-key": "The model and what asks it keep the old one until the next start.",
    "gateway-api-key": "The edge keeps the old one until the next start; then give the "
    "new one to every client.",
    "owui-secret-key": "Open WebUI keeps the old one until the next start, and then "
    "everybody must log in again.",
}


def _key(name: str, follows: str) -> Secret:
    place = Place(vault=Vault.MACHINE, name=name)
    return Secret(name=name, places=(place,), follows=follows)


def _word(machine: str) -> str:
    """Return a machine's name in the letters that a vault takes."""
    return "".join(sign if sign.isalnum() else "-" for sign in machine)


def finding(
    secret: Secret, found: Sequence[Held | None], fresh: Callable[[], str]
) -> Finding:
    """Say how a secret is found at its places, and what is to be written.

    Args:
        secret: which.
        found: what each of its places has, in their order.
        fresh: makes a value; called only where there is none.
    """
    held = [each for each in found if each is not None]
    values = {each.value for each in held}
    if not all(each.enabled for each in held):
        return Finding(state=State.DISABLED)
    if len(values) > 1:
        return Finding(state=State.DIFFERENT)
    pairs = zip(secret.places, found, strict=True)
    lacking = tuple(place for place, each in pairs if each is None)
    if not lacking:
        return Finding(state=State.THERE)
    value = values.pop() if values else fresh()
    return Finding(state=State.MISSING, lacking=lacking, value=value)
