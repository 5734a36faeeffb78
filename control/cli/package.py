"""The commands about the function app's package: build and lock."""

from pathlib import Path
from typing import Annotated

import typer

from control.cli.console import note, told
from control.cli.paths import write
from control.package.build import build as built
from control.package.lock import LOCK, resolved

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
def lock() -> None:
    """Ask the package index anew what requirements.txt needs, and write it down."""
    with told():
        text = resolved()
        if LOCK.exists() and LOCK.read_text() == text:
            typer.echo("Nothing changed.")
            return
        write(LOCK, text.encode())
        typer.echo(f"Written: {LOCK.name}. Read the difference before it is committed.")
