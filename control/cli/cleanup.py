"""The commands that end a deployment: cleanup run, and cleanup look two days later.

The ledger is in the group: it is written to a file first.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from control.cli.access import reached
from control.cli.arm import resources
from control.cli.console import DryRun, environment, not_done, note, told
from control.cli.paths import write
from control.cli.place import WHERE, Place, machine_name
from control.cli.preflight import prefix_of
from control.clock import SystemClock
from control.errors import AzureError, CommandError
from control.payload.given import Given

if TYPE_CHECKING:
    from control.azure.group import Group
    from control.azure.remains import Remains

_WORDS = {
    "authorizationfailed": "Your login needs the role Owner at the subscription, and "
    "Key Vault Purge Operator for the vaults.",
    "scopelocked": "A lock on the group forbids it: `az lock list`.",
}
PAUSE = 15.0
_LIMIT = timedelta(minutes=45)
_TRIES = 8
_BY_HAND = (
    "By hand, where you used them: in Cloudflare the tunnel, the DNS records of the "
    "chat and the API, their Access applications and the service token; in Entra the "
    "operator's user; on the phones the Shortcut. In 48 hours: `python -m control "
    "cleanup look`, and Cost Management must show nothing new."
)

app = typer.Typer(help="The end of a deployment.", no_args_is_help=True)


@dataclass(frozen=True, kw_only=True)
class Left:
    """What a deployment has in Azure."""

    group: "Group"
    remains: "Remains"
    name: str

    @classmethod
    def given(cls) -> "Left":
        """Read the environment."""
        environ = environment()
        prefix, given = prefix_of(environ), Given(environ)
        place = Place.take(given)
        given.check(WHERE)
        if place.group != f"rg-{prefix}":
            raise CommandError(
                f"VM_RESOURCE_GROUP is {place.group}, and SWITCH_PREFIX names "
                f"rg-{prefix}: both must be of one deployment."
            )
        from control.azure.group import Group  # noqa: PLC0415 - slow: the SDKs
        from control.azure.remains import Remains  # noqa: PLC0415 - the same

        arm = resources(place.endpoint, _WORDS)
        at = place.subscription, place.group
        return cls(
            group=Group(arm, *at),
            remains=Remains(arm, *at, prefix),
            name=place.group,
        )

    def said(self) -> Iterator[str]:
        """Yield a line for each thing that is there."""
        if self.group.exists():
            count = sum(1 for _ in self.group.things())
            yield f"the group {self.name} with {count} resources"
        yield from (f"the assignment {each}" for each in self.remains.assignments())
        yield from (f"the role {each}" for each in self.remains.definitions())
        yield from (f"the budget {each}" for each in self.remains.budgets())
        yield from (f"the deleted vault {e.name}" for e in self.remains.vaults())


@app.command()
def run(
    ledger: Annotated[
        Path, typer.Option(metavar="FILE", help="Where the ledger's lines are kept.")
    ],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    dry_run: DryRun = False,
) -> None:
    """Delete all of a deployment, weights and ledger too; what is spent stays spent."""
    with told():
        left = Left.given()
        there = list(left.said())
        if dry_run or not there:
            typer.echo("\n- ".join(["Nothing was done. This would go:", *there]))
            return
        if ledger.exists():
            note(f"{ledger} is there, and stays as it is.")
        elif left.group.exists():
            _keep_the_ledger(ledger)
        if not yes:
            typer.echo("\n- ".join(["This goes, and never comes back:", *there]))
            typer.confirm("Delete it?", abort=True)
        _end(left)
        if still := list(left.said()):
            raise not_done("\n- ".join(["this is still there:", *still]))
    typer.echo(f"All of it is gone. {_BY_HAND}")


@app.command()
def look() -> None:
    """Look whether anything of a deployment is still there, or there again."""
    with told():
        if still := list(Left.given().said()):
            raise not_done("\n- ".join(["this is still there:", *still]))
    typer.echo("Nothing of it is there. Look at Cost Management, too.")


def _end(left: Left) -> None:
    """The machine first: it bills. Then roles, and what outlives a group."""
    _end_group(left)
    for path in left.remains.assignments():
        left.remains.take_role(path)
        note(f"Deleted: {path}")
    for path in left.remains.definitions():
        _patiently(lambda path=path: left.remains.take_role(path))  # type: ignore[misc]
        note(f"Deleted: {path}")
    for path in left.remains.budgets():
        left.remains.take_budget(path)
        note(f"Deleted: {path}")
    for vault in left.remains.vaults():
        left.remains.purge(vault)
        note(f"Purged: {vault.name}")
    _gone(lambda: not left.remains.vaults(), "the vaults are not purged")


def _end_group(left: Left) -> None:
    if left.group.exists():
        left.group.delete_all()
        note(f"Azure deletes {left.name}; that takes some twenty minutes ...")
        _gone(lambda: not left.group.exists(), f"{left.name} is still there")


def _gone(holds: Callable[[], bool], words: str) -> None:
    clock = SystemClock()
    end = clock.now() + _LIMIT
    while not holds():
        if clock.now() >= end:
            raise CommandError(f"{words} after 45 minutes: run this again.")
        clock.wait(PAUSE)


def _patiently(delete: Callable[[], None]) -> None:
    """Try again: a role's last assignment is gone some seconds before Azure sees it."""
    for _ in range(_TRIES):
        try:
            delete()
        except AzureError as refusal:
            if "hasassignments" not in str(refusal.evidence.code).lower():
                raise
            SystemClock().wait(PAUSE)
        else:
            return
    raise CommandError("a role still has assignments: run this again in some minutes.")


def _keep_the_ledger(file: Path) -> None:
    """Write every line to a file; and refuse while anything runs."""
    with reached(environment()) as (access, remote):
        token = access.operators_token()
        kept: dict[str, Any] = {}
        fleet = remote.status(token)["fleet"]
        if machine_name(Given(environment())) not in fleet:
            raise CommandError(
                f"the switch at {access.url} has {', '.join(fleet)}, and no VM_NAME: "
                "its ledger is another deployment's."
            )
        for machine in fleet:
            said = remote.status(token, machine)
            if said["state"] not in {"off", "unknown"} or said["session"]:
                raise CommandError(
                    f"{machine} is {said['state']}: press stop first, and wait for off."
                )
            kept[machine] = remote.sessions(token, machine)
    write(file, json.dumps(kept, indent=1).encode())
    note(f"Written: {file}, {sum(map(len, kept.values()))} sessions.")
