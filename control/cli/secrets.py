"""The commands about a deployment's secrets: init and rotate; no value is ever shown.

A template makes no secret: what a deployment wrote stands in its history.
"""

import secrets
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from control.cli.console import DryRun, environment, not_done, note, told
from control.cli.place import machine_name
from control.clock import SystemClock
from control.deployment.keyring import Finding, Secret, State, Vault, finding, keyring
from control.errors import CommandError, Permission
from control.payload.given import Given

if TYPE_CHECKING:
    from control.azure.secrets import VaultSecrets

_BYTES = 32
_PAUSE = 15.0
_SETTINGS = {Vault.APP: "KEY_VAULT_URL", Vault.MACHINE: "MACHINE_KEY_VAULT_URL"}

app = typer.Typer(help="The secrets of both vaults.", no_args_is_help=True)


@app.command()
def init(
    *,
    dry_run: DryRun = False,
    wait: Annotated[
        int,
        typer.Option(
            metavar="MINUTES",
            min=0,
            max=30,
            help="So long a role that was just given may take to work.",
        ),
    ] = 0,
) -> None:
    """Write what is missing in the vaults; what is there stays as it is."""
    with told():
        machine, vaults = vaults_of(environment())
        held = {each: _patiently(vault, wait) for each, vault in vaults.items()}
        left = list[str | None]()
        for secret in keyring(machine):
            found = _finding(secret, vaults, held)
            typer.echo(_done(secret, found, dry_run=dry_run))
            if not dry_run:
                _write(found, vaults)
            left.append(_persons(secret, found))
    if decisions := list(filter(None, left)):
        raise not_done(" ".join(decisions))


@app.command()
def rotate(
    name: Annotated[str, typer.Argument(help="One of those that `init` names.")],
    *,
    dry_run: DryRun = False,
) -> None:
    """Give a secret a new value, wherever it stands, and say what must follow."""
    with told():
        machine, vaults = vaults_of(environment())
        secret = _named(name, machine)
        places = " and ".join(f"{e.name} in {e.vault}" for e in secret.places)
        if dry_run:
            typer.echo(f"Nothing was done. It would write {places} anew.")
            typer.echo(secret.follows)
            return
        value = secrets.token_hex(_BYTES)
        for place in secret.places:
            vaults[place.vault].write(place, value)
    typer.echo(f"Rotated: {places}.")
    typer.echo(secret.follows)


def vaults_of(
    environ: Mapping[str, str],
) -> "tuple[str, dict[Vault, VaultSecrets]]":
    """Return the machine's name, and both vaults as this person enters them."""
    given = Given(environ)
    urls = {each: given.address(name) for each, name in _SETTINGS.items()}
    machine = machine_name(given)
    given.check("README.md")
    from control.azure.credential import persons_login  # noqa: PLC0415 - slow: the SDKs
    from control.azure.secrets import VaultSecrets  # noqa: PLC0415 - the same

    login = persons_login()
    return machine, {
        each: VaultSecrets(credential=login, url=url, setting=_SETTINGS[each])
        for each, url in urls.items()
    }


def looked_through(environ: Mapping[str, str]) -> Iterator[tuple[str, State]]:
    """Yield each secret's name, and how both vaults have it; no value is shown."""
    machine, vaults = vaults_of(environ)
    held = {each: vault.enabled() for each, vault in vaults.items()}
    for secret in keyring(machine):
        yield secret.name, _finding(secret, vaults, held).state


def _patiently(vault: "VaultSecrets", minutes: int) -> dict[str, bool]:
    """List a vault; a role that was just given works after minutes."""
    clock = SystemClock()
    end = clock.now() + timedelta(minutes=minutes)
    while True:
        try:
            return vault.enabled()
        except Permission:
            if clock.now() >= end:
                raise
        note("The vault does not know your role yet; it takes Azure some minutes ...")
        clock.wait(_PAUSE)


def _finding(
    secret: Secret,
    vaults: "dict[Vault, VaultSecrets]",
    held: dict[Vault, dict[str, bool]],
) -> Finding:
    found = [vaults[e.vault].held(e, held[e.vault]) for e in secret.places]
    return finding(secret, found, lambda: secrets.token_hex(_BYTES))


def _write(found: Finding, vaults: "dict[Vault, VaultSecrets]") -> None:
    for place in found.lacking:
        assert found.value is not None
        vaults[place.vault].write(place, found.value)


def _done(secret: Secret, found: Finding, *, dry_run: bool) -> str:
    if not found.lacking:
        return f"{secret.name} {found.state.value}, and stays."
    word = "would be written" if dry_run else "is written"
    return f"{secret.name} {word} to {' and '.join(e.vault for e in found.lacking)}."


def _persons(secret: Secret, found: Finding) -> str | None:
    """Say what a person must decide."""
    if found.state not in {State.DISABLED, State.DIFFERENT}:
        return None
    return (
        f"{secret.name} {found.state.value}: if that is not meant, "
        f"`python -m control secrets rotate {secret.name}` makes a new one."
    )


def _named(name: str, machine: str) -> Secret:
    known = {each.name: each for each in keyring(machine)}
    if name not in known:
        raise CommandError(f"there is no {name}; it is one of {', '.join(known)}.")
    return known[name]
