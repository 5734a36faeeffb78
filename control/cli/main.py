"""The commands of `python -m control`.

Exit codes: 0 done; 1 not done, with one sentence on standard error; 2 a wrong call.
"""

import json
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated

import typer

from control import settings_docs
from control.cli import (
    devices,
    icons,
    messages,
    package,
    payload,
    secrets,
    tables,
    weights,
)
from control.cli.console import environment, not_done, told
from control.clock import SystemClock
from control.ledger import Ledger
from control.ports import Table
from control.settings import Settings
from control.web.openapi import contract
from control.web.routes import CONTRACT

_ROOT = Path(__file__).parents[2]

app = typer.Typer(
    help=__doc__, no_args_is_help=True, add_completion=False, rich_markup_mode=None
)
ledger_app = typer.Typer(help="The ledger's table.", no_args_is_help=True)
app.add_typer(ledger_app, name="ledger")
app.add_typer(package.app, name="package")
app.add_typer(payload.app, name="payload")
app.add_typer(secrets.app, name="secrets")
app.add_typer(weights.app, name="weights")
for _command in (devices.pair, devices.code, devices.devices, devices.revoke):
    app.command()(_command)


def _amount(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal(-1)
    if not number.is_finite() or number < 0:
        raise typer.BadParameter("an amount of 0 or more, such as 120.50")
    return number


@ledger_app.command("init")
def ledger_init(
    carried_over: Annotated[
        Decimal,
        typer.Option(
            parser=_amount,
            metavar="AMOUNT",
            help="What was spent in the budget's period before this ledger.",
        ),
    ] = Decimal(0),
) -> None:
    """Make the ledger's table and its first row, without which nothing starts.

    The settings are those of the app. A ledger that is there already stays as it is;
    asked for with another amount, the command ends with 1.
    """
    from control.composition import (  # noqa: PLC0415 - slow: the SDKs, here alone
        ledger_table,
    )

    with told():
        settings = Settings.load(environment())
        table = ledger_table(settings)
    initialise(table, carried_over, settings.currency)


def initialise(table: Table, carried_over: Decimal, currency: str) -> None:
    """Make the first row, and say what is carried over in it."""
    with told():
        made = Ledger(table).initialise(carried_over, SystemClock().now())
    money = f"{made.carried_over} {currency}"
    if made.carried_over != carried_over:
        raise not_done(f"the ledger is there already, with {money} carried over.")
    typer.echo(f"The ledger is ready; {money} carried over.")


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
