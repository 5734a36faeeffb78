"""The commands about the function app in Azure: app publish, and app check."""

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from control.cli.access import reached
from control.cli.arm import resources
from control.cli.console import DryRun, environment, note, told
from control.cli.place import SITE, WHERE, Place
from control.cli.remote import Remote
from control.clock import SystemClock
from control.deployment.publishing import SPREAD, ensure_found, publish
from control.errors import CommandError
from control.payload.given import Given
from control.web.routes import ROUTES

if TYPE_CHECKING:
    from control.azure.resources import Resources
    from control.azure.site import Site

TIMER = "tick"
_WORDS = {"authorizationfailed": "Your login needs the role Contributor there."}

app = typer.Typer(help="The function app in Azure.", no_args_is_help=True)


@app.command("publish")
def publish_(
    package: Annotated[
        Path, typer.Option(metavar="FILE", help="As `package build` wrote it.")
    ],
    *,
    dry_run: DryRun = False,
) -> None:
    """Bring the package up, and look for every function, and for a tick."""
    with told(), reached(environment()) as (_, remote):
        content = _package(package)
        site = site_of()
        host = site.publishing_host()
        if dry_run:
            minutes = SPREAD.total_seconds() / 60
            typer.echo(
                f"Nothing was done. It would send {len(content):,} bytes to {host}, "
                f"again for {minutes:.0f} minutes while the app's roles spread."
            )
            return
        from control.azure.credential import persons_login  # noqa: PLC0415 - the SDKs
        from control.azure.publishing import PublishingEndpoint  # noqa: PLC0415

        arm = site.endpoint
        endpoint = PublishingEndpoint(persons_login(), host, arm)
        publish(endpoint, content, SystemClock(), note)
        _found(site, remote)


@app.command()
def check() -> None:
    """Look for every function, and for a tick: after a deployment by other means."""
    with told(), reached(environment()) as (_, remote):
        _found(site_of(), remote)


def site_of() -> "Site":
    """Return the app that the environment names."""
    given = Given(environment())
    place, name = Place.take(given), given.matching("SWITCH_NAME", *SITE)
    given.check(WHERE)
    return site_at(resources(place.endpoint, _WORDS), place, name)


def site_at(arm: "Resources", place: Place, name: str) -> "Site":
    """Return an app of the machines' group."""
    from control.azure.site import Site  # noqa: PLC0415 - slow: the SDKs

    return Site(arm, place.subscription, place.group, name)


def wanted() -> set[str]:
    """Return the names of all functions: without the timer nothing enforces."""
    return {TIMER, *(each.name for each in ROUTES)}


def _found(site: "Site", remote: Remote) -> None:
    clock = SystemClock()
    note("The functions are looked for, and then the first tick; some minutes ...")
    ensure_found(site.functions, wanted(), clock)
    remote.wait_until_ticking()
    typer.echo(f"{len(wanted())} functions are there, and the timer ticks.")


def _package(path: Path) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (OSError, zipfile.BadZipFile) as why:
        raise CommandError(f"{path} is no package: {why}.") from None
    if not {"host.json", "function_app.py"} <= names:
        raise CommandError(f"{path} holds no function app: `control package build`.")
    return path.read_bytes()
