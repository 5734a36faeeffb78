"""What the host reads beside the app: host.json and local.settings.json."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

_SPAN = re.compile(r"(?:(\d+)\.)?(\d{1,2}):(\d{2}):(\d{2})")
_DEFAULT_TIMEOUT = timedelta(minutes=30)
_FOREVER = timedelta(days=365)


class ConfigurationError(ValueError):
    """A configuration file is missing or says something impossible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFile:
    """The parts of host.json that this host acts on."""

    route_prefix: str = "api"
    timeout: timedelta = _DEFAULT_TIMEOUT


def host_file(app: Path) -> HostFile:
    """Read host.json of an app folder."""
    values = _read(app / "host.json")
    if values.get("version") != "2.0":
        raise ConfigurationError(f'{app / "host.json"} has no "version": "2.0"')
    http = values.get("extensions", {}).get("http", {})
    limit = values.get("functionTimeout")
    return HostFile(
        route_prefix=http.get("routePrefix", "api"),
        timeout=_timeout(limit) if limit else _DEFAULT_TIMEOUT,
    )


def with_settings(environ: Mapping[str, str], settings: Path) -> dict[str, str]:
    """Add a settings file's Values; what the environment has already wins."""
    values = _read(settings).get("Values", {})
    return {name: str(value) for name, value in values.items()} | dict(environ)


def _timeout(text: str) -> timedelta:
    if text == "-1":
        return _FOREVER
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ConfigurationError(f"functionTimeout {text!r} is no hh:mm:ss")
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)


def _read(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text())
    except FileNotFoundError as error:
        raise ConfigurationError(f"there is no {path}") from error
    except ValueError as error:
        raise ConfigurationError(f"{path} is no JSON: {error}") from error
    if not isinstance(values, dict):
        raise ConfigurationError(f"{path} is no JSON object")
    return values
