"""The command that makes the ledger, without which nothing starts."""

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Annotated

import typer

from control.cli.console import environment, not_done, told
from control.clock import SystemClock
from control.ledger import Ledger
from control.payload.given import Given
from control.ports import Table
from control.settings_table import Declared

if TYPE_CHECKING:
    from collections.abc import Mapping

_USUAL = Declared.model_fields

app = typer.Typer(help="The ledger's table.", no_args_is_help=True)


def _amount(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal(-1)
    if not number.is_finite() or number < 0:
        raise typer.BadParameter("an amount of 0 or more, such as 120.50")
    return number


@app.command()
def init(
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

    The table is that of LEDGER_TABLE_ENDPOINT, entered by the person's own login, or of
    LEDGER_CONNECTION_STRING. A ledger that is there already stays as it is; asked for
    with another amount, the command ends with 1.
    """
    environ = environment()
    with told():
        table = _table(environ)
    initialise(table, carried_over, environ.get("CURRENCY") or _usual("currency"))


def initialise(table: Table, carried_over: Decimal, currency: str) -> None:
    """Make the first row, and say what is carried over in it."""
    with told():
        made = Ledger(table).initialise(carried_over, SystemClock().now())
    money = f"{made.carried_over} {currency}"
    if made.carried_over != carried_over:
        raise not_done(f"the ledger is there already, with {money} carried over.")
    typer.echo(f"The ledger is ready; {money} carried over.")


def _table(environ: "Mapping[str, str]") -> Table:
    from control.azure.credential import persons_login  # noqa: PLC0415 - slow: the SDKs
    from control.azure.table import AzureTable  # noqa: PLC0415 - the same

    name = environ.get("LEDGER_TABLE") or _usual("ledger_table")
    if connection := environ.get("LEDGER_CONNECTION_STRING"):
        return AzureTable.by_connection_string(connection, name=name)
    given = Given(environ)
    endpoint = given.address("LEDGER_TABLE_ENDPOINT")
    given.check("docs/settings.md")
    return AzureTable.by_identity(
        endpoint=endpoint, name=name, credential=persons_login()
    )


def _usual(name: str) -> str:
    """Return a setting's default, as the app has it."""
    return str(_USUAL[name].default)
