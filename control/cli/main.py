"""The commands of `python -m control`.

Exit codes: 0 done; 1 not done, with one sentence on standard error; 2 a wrong call.
"""

import json
from pathlib import Path
from typing import Annotated

import typer

from control import settings_docs
from control.cli import (
    admin,
    cleanup,
    devices,
    doctor,
    icons,
    ledger,
    messages,
    move,
    package,
    payload,
    preflight,
    secrets,
    site,
    tables,
    vm,
    weights,
)
from control.cli.console import not_done
from control.web.openapi import contract
from control.web.routes import CONTRACT

_ROOT = Path(__file__).parents[2]

app = typer.Typer(
    help=__doc__, no_args_is_help=True, add_completion=False, rich_markup_mode=None
)
app.add_typer(admin.app, name="admin")
app.add_typer(cleanup.app, name="cleanup")
app.add_typer(ledger.app, name="ledger")
app.add_typer(move.app, name="move")
app.add_typer(site.app, name="app")
app.add_typer(package.app, name="package")
app.add_typer(payload.app, name="payload")
app.add_typer(secrets.app, name="secrets")
app.add_typer(vm.app, name="vm")
app.add_typer(weights.app, name="weights")
for _command in (
    devices.pair,
    devices.code,
    devices.devices,
    devices.revoke,
    doctor.doctor,
    preflight.preflight,
):
    app.command()(_command)


@app.command()
def docs(
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; end with 1 where stale.")
    ] = False,
) -> None:
    """Make what is made from the code: settings, messages, tables, the page's icons."""
    stale = (
        *settings_docs.stale(_ROOT),
        *tables.stale(_ROOT),
        *messages.stale(_ROOT),
        *icons.stale(_ROOT),
    )
    if check and stale:
        raise not_done(
            f"{' and '.join(stale)} are stale: run `python -m control docs`."
        )
    if not check:
        settings_docs.write(_ROOT)
        tables.write(_ROOT)
        messages.write(_ROOT)
        icons.write(_ROOT)
    typer.echo("What is made from the code is up to date.")


@app.command()
def openapi() -> None:
    """Print the contract that /openapi.json answers."""
    typer.echo(json.dumps(contract(CONTRACT), indent=2))
