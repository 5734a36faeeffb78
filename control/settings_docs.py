"""Makes docs/settings.md and local.settings.sample.json out of the declarations."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic.fields import FieldInfo

from control.settings import Settings
from control.settings_report import example, form, unit

_HEAD = """\
# Settings

The app reads these from its environment once, at the first call. All bad and missing
ones are named together in one error. An empty value is an unset one. Made from
`control/settings_table.py` by `python -m control docs`.

| setting | what it is | form | default | example |
|---|---|---|---|---|
"""
_HOST = {
    "AzureWebJobsStorage": "UseDevelopmentStorage=true",
    "FUNCTIONS_WORKER_RUNTIME": "python",
}
_LEFT_OUT = {"MACHINES", "LEDGER_CONNECTION_STRING"}


def stale(root: Path) -> tuple[str, ...]:
    """Return which of the made files are not as they would be made now."""
    return tuple(name for name, make in PLACES.items() if _read(root / name) != make())


def write(root: Path) -> None:
    """Make the files."""
    for name, make in PLACES.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(make(), encoding="utf-8")


def markdown() -> str:
    """Return docs/settings.md."""
    return _HEAD + "".join(_row(name, field) for name, field in _declared().items())


def sample() -> str:
    """Return local.settings.sample.json: valid as it stands, each setting explained."""
    values = {name: _sample(name, field) for name, field in _declared().items()}
    about = {name: _about(field) for name, field in _declared().items()}
    whole = {"IsEncrypted": False, "Values": _HOST | values, "Explained": about}
    return json.dumps(whole, indent=2) + "\n"


def _declared() -> dict[str, FieldInfo]:
    return {name.upper(): field for name, field in Settings.model_fields.items()}


def _sample(name: str, field: FieldInfo) -> str:
    if name in _LEFT_OUT:
        return ""
    return example(field) if field.is_required() else _default(field)


def _default(field: FieldInfo) -> str:
    return example(field) if field.default is None else str(field.default)


def _about(field: FieldInfo) -> str:
    amount = f" In {unit(field)}." if unit(field) else ""
    return f"{field.description}{amount}"


def _row(name: str, field: FieldInfo) -> str:
    default = "required" if field.is_required() else f"`{field.default}`"
    if field.default is None:
        default = "unset"
    cells = [
        f"`{name}`",
        _about(field),
        form(field),
        default,
        f"`{example(field)}`",
    ]
    return f"| {' | '.join(cells)} |\n"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


PLACES: Mapping[str, Callable[[], str]] = {
    "docs/settings.md": markdown,
    "local.settings.sample.json": sample,
}
