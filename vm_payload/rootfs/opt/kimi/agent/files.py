"""Files that are whole or not there: written beside their place, then renamed."""

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Owner:
    """Who owns a file, by number, and its mode."""

    mode: int = 0o644
    uid: int = -1
    gid: int = -1


def write(path: Path, content: bytes, owner: Owner = Owner()) -> None:
    """Replace a file in one step; owner and mode are set before any content is."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    beside.unlink(missing_ok=True)
    handle = os.open(beside, flags, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            if (owner.uid, owner.gid) != (-1, -1):
                os.fchown(file.fileno(), owner.uid, owner.gid)
            os.fchmod(file.fileno(), owner.mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Replace a file by an object."""
    write(path, json.dumps(content, indent=1).encode() + b"\n")


def read_json(path: Path) -> dict[str, Any]:
    """Return the object of a file; empty where it is missing or no object."""
    try:
        read = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}
