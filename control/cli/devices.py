"""The commands about devices: pair, code, devices, revoke."""

import re
import secrets
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Annotated, Any

import typer

from control.cli.access import OPERATOR, Access, reached
from control.cli.console import environment, told
from control.cli.paper import show
from control.errors import CommandError
from control.ports import Registrar, Scope, Token

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,60}[A-Za-z0-9])?")
_BYTES = 32


class Person(StrEnum):
    """The scopes of people's devices; a machine's token is made with the machine."""

    PHONE = "phone"
    OPERATOR = "operator"


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise typer.BadParameter("letters, digits and dashes, such as my-iphone")
    return text


def _hours(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal(0)
    if not number.is_finite() or number <= 0:
        raise typer.BadParameter("a number of hours above 0, such as 2 or 1.5")
    return number


Device = Annotated[
    str, typer.Argument(parser=_name, metavar="DEVICE", help="The device's name.")
]


def pair(
    device: Device,
    scope: Annotated[
        Person, typer.Option(help="What the device may do.")
    ] = Person.PHONE,
    max_hours: Annotated[
        Decimal | None,
        typer.Option(
            parser=_hours, metavar="HOURS", help="The longest session it may ask for."
        ),
    ] = None,
) -> None:
    """Give a device a token, and show the code by which it gets it.

    A device that was revoked gets a new token; one that is there keeps its own.
    """
    with told(), reached(environment()) as (access, remote):
        asked = Token(
            device=device, digest=b"", scope=Scope(scope), max_hours=max_hours
        )
        register(access.registrar(), asked)
        remote.wait_until_awake()
        show(device, access.url, remote.code(access.operators_token(), device))


def code(device: Device) -> None:
    """Show a new pairing code for a device that is there."""
    with told(), reached(environment()) as (access, remote):
        remote.wait_until_awake()
        show(device, access.url, remote.code(access.operators_token(), device))


def devices() -> None:
    """List the devices: name, scope, longest session, last use; never a token."""
    with told(), reached(environment()) as (access, remote):
        remote.wait_until_awake()
        found = remote.devices(access.operators_token())
    for line in _table(found):
        typer.echo(line)


def revoke(device: Device) -> None:
    """Disable a device's token in the vault."""
    with told():
        registrar = Access.read(environment()).registrar()
        if not registrar.disable(device):
            raise CommandError(f"the vault has no token of {device}.")
    typer.echo(f"Revoked: {device}. The switch refuses it within a minute.")
    if device == OPERATOR:
        typer.echo(
            "These commands need it: `python -m control pair operator --scope "
            "operator` makes a new one."
        )


def register(registrar: Registrar, asked: Token) -> None:
    """Make the device's token where it has none that counts."""
    found = registrar.find(asked.device)
    if found is None or not found.enabled:
        registrar.make(asked, secrets.token_urlsafe(_BYTES))
        return
    other_hours = asked.max_hours is not None and asked.max_hours != found.max_hours
    if found.scope is not asked.scope or other_hours:
        most = f" and max_hours {found.max_hours}" if found.max_hours else ""
        raise CommandError(
            f"{asked.device} is there already, with scope {found.scope}{most}; revoke "
            "it first, or take another name."
        )


def _table(found: list[dict[str, Any]]) -> Iterator[str]:
    if not found:
        yield "No devices. `python -m control pair <device>` makes one."
        return
    head = ("device", "scope", "max hours", "enabled", "last used")
    rows = [head, *(_row(each) for each in found)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _row(device: dict[str, Any]) -> tuple[str, ...]:
    return (
        str(device["name"]),
        str(device["scope"]),
        str(device["max_hours"] or "-"),
        "yes" if device["enabled"] else "revoked",
        str(device["last_used_at"] or "never"),
    )
