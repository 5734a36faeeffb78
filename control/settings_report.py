"""Says what is wrong with the settings: a sentence each, and never a value."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

_ABSENT = "missing"


def problems(
    fields: Mapping[str, FieldInfo],
    errors: Sequence[ErrorDetails],
    given: Mapping[str, str],
) -> tuple[str, ...]:
    """Return a sentence for each bad or missing setting; each begins with its name."""
    declared = {name.upper(): field for name, field in fields.items()}
    found = dict(_single(declared, errors))
    for name, said in _together(given):
        found.setdefault(name, said)
    return tuple(found.values())


def form(field: FieldInfo) -> str:
    """Return in words what a setting has to look like."""
    return str(_extra(field)["form"])


def unit(field: FieldInfo) -> str:
    """Return a setting's unit, or nothing."""
    return str(_extra(field)["unit"])


def example(field: FieldInfo) -> str:
    """Return a value that a setting may have."""
    assert field.examples
    return str(field.examples[0])


def _extra(field: FieldInfo) -> Mapping[str, Any]:
    assert isinstance(field.json_schema_extra, dict)
    return field.json_schema_extra


def _single(
    declared: Mapping[str, FieldInfo], errors: Sequence[ErrorDetails]
) -> Iterator[tuple[str, str]]:
    for error in errors:
        name, *inside = (str(part) for part in error["loc"])
        field = declared[name]
        entry = next((part for part in inside if part.isdigit()), None)
        if entry is not None:
            said = (
                f"{name} has a bad, missing or unknown part in entry {int(entry) + 1}"
            )
            yield f"{name} {inside}", f"{said}: {inside[-1]}."
        elif error["type"] == _ABSENT:
            yield name, f"{name} is missing: {_first_sentence(field)}"
        else:
            yield name, f"{name} is not {form(field)}, such as {example(field)}."


def _first_sentence(field: FieldInfo) -> str:
    head, dot, _ = str(field.description).partition(". ")
    return f"{head}." if dot else head


def _together(given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What no setting is wrong in by itself."""
    yield from _which_machines(given)
    yield from _which_ledger(given)
    yield from _which_period(given)


def _which_machines(given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    single = [name for name in ("VM_NAME", "VM_RESOURCE_GROUP") if name in given]
    if "MACHINES" in given and single:
        said = f"MACHINES and {single[0]} exclude each other: give one of them."
        yield "MACHINES", said
    if "MACHINES" in given:
        return
    for name, what in (
        ("VM_NAME", "the machine's name"),
        ("VM_RESOURCE_GROUP", "its resource group"),
    ):
        if name not in given:
            yield name, f"{name} is missing: {what}, unless MACHINES is given."


def _which_ledger(given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    endpoint, connection = "LEDGER_TABLE_ENDPOINT", "LEDGER_CONNECTION_STRING"
    if endpoint in given and connection in given:
        yield endpoint, f"{endpoint} and {connection} exclude each other: give one."
    if endpoint not in given and connection not in given:
        said = f"{endpoint} is missing: give it, or {connection} for local work."
        yield endpoint, said


def _which_period(given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    try:
        start, end = (
            date.fromisoformat(given[name]) for name in ("BUDGET_FROM", "BUDGET_TO")
        )
    except (KeyError, ValueError):
        return
    if start >= end:
        yield "BUDGET_TO", "BUDGET_TO is not later than BUDGET_FROM."
