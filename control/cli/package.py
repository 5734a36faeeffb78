"""The commands about the function app's package: build and lock."""

from pathlib import Path
from typing import Annotated

import typer

from control.cli.console import note, told
from control.cli.paths import remade, write
from control.package.build import assemble
from control.package.build import build as built
from control.package.lock import LOCK, resolved

# With it only what it names is left out: azd makes an environment in there.
IGNORED = ".funcignore"

app = typer.Typer(help="The function app as one file.", no_args_is_help=True)


@app.command()
def build(
    output: Annotated[Path, typer.Option(metavar="FILE", help="Where it is written.")],
) -> None:
    """Write the app with all that it needs: the same bytes for the same checkout.

    `azd deploy --from-package FILE`, `func` and a zip deployment take it as it is;
    Azure builds nothing of it.
    """
    with told():
        note("Bringing the wheels and compiling; that takes a minute or so ...")
        made = built()
        write(output, made.content)
        typer.echo(f"sha256 {made.sha256}")
        typer.echo(f"{len(made.content):,} bytes, {len(made.wheels)} distributions.")


@app.command()
def folder(
    place: Annotated[Path, typer.Argument(help="The folder; it is made anew.")],
) -> None:
    """Put the same files into a folder, for `azd` to take: see azure.yaml.

    Only a folder that this command has made is ever removed.
    """
    with told():
        remade(place)
        note("Bringing the wheels and compiling; that takes a minute or so ...")
        wheels = assemble(place)
        write(place / IGNORED, f"{place.name}_env\n".encode())
        typer.echo(f"{place} is made: {len(wheels)} distributions.")


@app.command()
def lock() -> None:
    """Ask the package index anew what requirements.txt needs, and write it down."""
    with told():
        text = resolved()
        if LOCK.exists() and LOCK.read_text() == text:
            typer.echo("Nothing changed.")
            return
        write(LOCK, text.encode())
        typer.echo(f"Written: {LOCK.name}. Read the difference before it is committed.")
