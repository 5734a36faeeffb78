"""The custom data of a new machine: the template, with its files filled in from rootfs.

Azure never lets it change, and shows it to whoever may read the machine: it holds what
fetches the payload and what must be true before, and no secret. cloud-init passes over
what it does not know, or runs something else than was meant; here that is an error.
"""

import base64
import gzip
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from control.errors import CommandError

ENVIRONMENT = "/etc/kimi-bootstrap.env"
LARGEST = 65_535
_HEAD = "#cloud-config"
# What we use of cloud-init; a misspelt key would be passed over without a word.
_KEYS = {
    "package_reboot_if_required",
    "package_update",
    "package_upgrade",
    "runcmd",
    "users",
    "write_files",
}
_ENTRY_KEYS = {"path", "permissions"}
_NEEDED = ("PAYLOAD_URL", "AZURE_CLIENT_ID")
_USUAL = {"ARM_ENDPOINT", "IMDS_ENDPOINT"}
# systemd reads such a value as it stands; a query could carry a signature.
_VALUE = re.compile(r"[A-Za-z0-9:/._~\[\]-]+")
_PERMISSIONS = re.compile(r"0[0-7]{3}")


def render(template: str, rootfs: Path, environment: Mapping[str, str]) -> str:
    """Return the custom data: the same bytes for the same files.

    Raises:
        CommandError: the template is wrong, a file or a value is missing, or it is too
            large; the sentence says which.
    """
    document = _read(template)
    document["write_files"] = [
        _filled(entry, rootfs, environment) for entry in document["write_files"]
    ]
    body = yaml.safe_dump(document, sort_keys=False, width=LARGEST)
    text = f"{_HEAD}\n{body}"
    size = len(text.encode())
    if size > LARGEST:
        raise CommandError(f"custom data takes {LARGEST:,} bytes; this has {size:,}.")
    return text


def _read(template: str) -> dict[str, Any]:
    if template.partition("\n")[0] != _HEAD:
        raise CommandError(f"the first line of the template must be {_HEAD}.")
    try:
        document = yaml.safe_load(template)
    except yaml.YAMLError as why:
        raise CommandError(f"the template is no YAML: {why}.") from None
    if not isinstance(document, dict):
        raise CommandError("the template must be keys and values.")
    if strange := sorted(str(key) for key in document.keys() - _KEYS):
        raise CommandError(f"the template may not hold {', '.join(strange)}.")
    _check_files(document.get("write_files"))
    _check_commands(document.get("runcmd", []))
    return document


def _check_files(entries: object) -> None:
    if not isinstance(entries, list) or not entries:
        raise CommandError("the template has no write_files.")
    for entry in entries:
        path = entry.get("path") if isinstance(entry, dict) else None
        if not isinstance(path, str) or not path.startswith("/"):
            raise CommandError("each of write_files needs an absolute path.")
        if strange := sorted(str(key) for key in entry.keys() - _ENTRY_KEYS):
            raise CommandError(f"{path}: {', '.join(strange)} is not for the template.")
        mode = entry.get("permissions")
        if not isinstance(mode, str) or not _PERMISSIONS.fullmatch(mode):
            raise CommandError(f'{path}: permissions must be quoted, like "0644".')


def _check_commands(commands: object) -> None:
    """Commands are lists: a text goes to a shell, where `a: b` is not even a text."""
    if not isinstance(commands, list):
        raise CommandError("runcmd must be a list of commands.")
    for command in commands:
        words = command if isinstance(command, list) else []
        if not words or not all(isinstance(word, str) for word in words):
            raise CommandError(f"runcmd: {command!r} is no list of words.")


def _filled(
    entry: Mapping[str, str], rootfs: Path, environment: Mapping[str, str]
) -> dict[str, str]:
    path = entry["path"]
    if path == ENVIRONMENT:
        return {**entry, "content": _environment(environment)}
    try:
        body = (rootfs / path.lstrip("/")).read_bytes()
    except OSError:
        raise CommandError(f"{path} of the template is not in {rootfs.name}.") from None
    packed = gzip.compress(body, mtime=0)
    content = base64.b64encode(packed).decode()
    return {**entry, "encoding": "gz+b64", "content": content}


def _environment(values: Mapping[str, str]) -> str:
    for name in (*_NEEDED, *values):
        if not _VALUE.fullmatch(values.get(name, "")):
            raise CommandError(f"{name} is missing, or is no plain address or id.")
    if strange := sorted(values.keys() - {*_NEEDED, *_USUAL}):
        raise CommandError(f"custom data may not hold {', '.join(strange)}.")
    return "".join(f"{name}={values[name]}\n" for name in sorted(values))
