"""The command about a region that was left: what was there for machines goes."""

import re
from typing import TYPE_CHECKING, Annotated

import typer

from control.cli.access import reached
from control.cli.arm import resources
from control.cli.console import DryRun, environment, note, told
from control.cli.place import WHERE, Place
from control.cli.preflight import prefix_of
from control.deployment.region import machine_side
from control.errors import CommandError
from control.payload.given import Given

if TYPE_CHECKING:
    from control.azure.group import Group

_REGION = re.compile("[a-z][a-z0-9]{2,40}")

app = typer.Typer(help="A move of the machines' region.", no_args_is_help=True)


@app.command()
def leave(
    region: Annotated[str, typer.Option(metavar="REGION", help="The one to leave.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    dry_run: DryRun = False,
) -> None:
    """Delete what is left of the machines' side in a region they have moved from.

    A move itself is a deployment with another MACHINE_LOCATION; the switch stays.
    """
    with told(), reached(environment()) as (access, remote):
        place = _place()
        fleet = remote.status(access.operators_token())["fleet"]
        _ensure_left(region, place.machine, fleet)
        group = _group(place)
        things = machine_side(group.things(), prefix_of(environment()), region)
        lines = [f"{each.kind} {each.name}" for each in things]
        if dry_run or not things:
            typer.echo("\n- ".join(["Nothing was done. This would go:", *lines]))
            return
        if not yes:
            typer.echo("\n- ".join(["This goes, the weights' copy too:", *lines]))
            typer.confirm("Delete it?", abort=True)
        for each in things:
            group.delete(each)
            note(f"Deleted: {each.kind} {each.name}")
    typer.echo(f"Nothing of the machines is left in {region}.")


def _ensure_left(region: str, machine: str, fleet: list[str]) -> None:
    """Refuse a region that the switch still starts machines in."""
    if not _REGION.fullmatch(region):
        raise CommandError(f"{region} is no region, such as eastus2.")
    if machine not in fleet:
        raise CommandError(
            f"the switch has {', '.join(fleet)}, and no VM_NAME: take the outputs of "
            "the deployment in the new region."
        )
    here = [each for each in fleet if each.endswith(f"-{region}")]
    if here:
        raise CommandError(
            f"the switch still has {', '.join(here)} there: deploy with another "
            "MACHINE_LOCATION first."
        )


def _place() -> Place:
    given = Given(environment())
    place = Place.take(given)
    given.check(WHERE)
    return place


def _group(place: Place) -> "Group":
    from control.azure.group import Group  # noqa: PLC0415 - slow: the SDKs

    arm = resources(place.endpoint, {})
    return Group(arm, place.subscription, place.group)
