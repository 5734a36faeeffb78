"""Files and folders that a command makes for a person, and why it could not."""

import shutil
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


def remade(folder: Path) -> None:
    """Remove a folder that was made for Azure before; it holds the app's own host.json.

    Raises:
        CommandError: something else is there.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not (folder / "host.json").is_file() or (folder / ".git").exists():
        raise CommandError(f"{folder} is there, and was not made by this command.")
    shutil.rmtree(folder)
