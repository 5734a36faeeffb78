"""How commands hear and speak: the environment, and what was done or not.

What was done goes to standard output, what was not to the other.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Annotated

import typer

from control.errors import AzureError, ControlError

DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what it would do; change nothing.")
]
# What an error of the network is told by: its kind alone.
_A_KIND = re.compile(r"\(\w+\)")


def environment() -> Mapping[str, str]:
    """Return the environment; no other module of the command line reads it."""
    return os.environ


@contextmanager
def told() -> Iterator[None]:
    """Say one of our own errors in a sentence, and end with 1."""
    try:
        yield
    except AzureError as error:
        raise not_done(_azure(error)) from None
    except ControlError as error:
        raise not_done(str(error)) from None


def not_done(why: str) -> typer.Exit:
    """Say why it was not done; a sentence of the switch says so itself."""
    typer.echo(why if why.startswith("Not ") else f"Not done: {why}", err=True)
    return typer.Exit(1)


def note(what: str) -> None:
    """Say what goes on meanwhile: a command must not be silent for long.

    A terminal that is gone ends no command: what was begun has to be ended still.
    """
    with suppress(OSError):
        typer.echo(what, err=True)


def _azure(error: AzureError) -> str:
    said = error.evidence
    answered = said.status is not None or said.code is not None
    if answered or (said.message and not _A_KIND.fullmatch(said.message)):
        return said.message or f"Azure said {error}."
    return (
        "Azure does not answer, or nothing is at that address: look at KEY_VAULT_URL "
        f"and the network. {said.message}".rstrip()
    )
