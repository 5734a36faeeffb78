"""A pairing code on a terminal: its picture where that fits, and as text always."""

import shutil
import sys

import typer

from control.cli.console import environment

_HALF = 5
_ROWS_BELOW = 3  # the two lines of text, and the next prompt


def show(device: str, url: str, code: str) -> None:
    """Print the code of a device for the switch at `url`."""
    address = f"{url}/#{code}"
    drawn = _draw(address)
    typer.echo(f"{device}: code {code[:_HALF]}-{code[_HALF:]}, once, for 10 minutes.")
    typer.echo(f"{'Scan it, or open' if drawn else 'On the device open'} {address}")


def _draw(address: str) -> bool:
    """Draw the picture, and return whether it was."""
    from control.cli import qr  # noqa: PLC0415 - segno is for these commands alone

    lines, size = qr.picture(address), shutil.get_terminal_size()
    fits = qr.columns(address) <= size.columns
    fits = fits and len(lines) + _ROWS_BELOW <= size.lines
    if not fits or not _takes_colours():
        typer.echo("No picture: it needs a terminal, and a larger one than this.")
    elif not _prints("".join(lines)):
        typer.echo("No picture: this terminal can't print its blocks.")
    else:
        sys.stdout.write("\n".join([*lines, ""]))
        sys.stdout.flush()
        return True
    return False


def _takes_colours() -> bool:
    return sys.stdout.isatty() and environment().get("TERM", "dumb") != "dumb"


def _prints(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True
