"""How commands speak: what was done on standard output, what was not on the other."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from control.errors import AzureError, ControlError


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
