"""How commands hear and speak: the environment, and what was done or not.

What was done goes to standard output, what was not to the other.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import typer

from control.errors import AzureError, ControlError


def environment() -> Mapping[str, str]:
    """Return the environment; no other module of the command line reads it."""
    return os.environ


@contextmanager
def told() -> Iterator[None]:
    """Say one of our own errors in a sentence, and end with 1."""
    try:
        yield
    except AzureError as error:
        said = error.evidence
        raise not_done(said.message or f"Azure said {error}.") from None
    except ControlError as error:
        raise not_done(str(error)) from None


def not_done(why: str) -> typer.Exit:
    """Say why it was not done."""
    typer.echo(f"Not done: {why}", err=True)
    return typer.Exit(1)
