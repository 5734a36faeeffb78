"""Files that a command writes for a person, and the sentence where it can't."""

from pathlib import Path

from control.errors import CommandError


def write(path: Path, content: bytes) -> None:
    """Write a file whole.

    Raises:
        CommandError: it can't be written, and why.
    """
    try:
        path.write_bytes(content)
    except OSError as why:
        raise CommandError(f"{path} can't be written: {why.strerror}.") from None
