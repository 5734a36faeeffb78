"""The edges: what they leave out is as binding as what they have."""

import re
from pathlib import Path

import pytest

from control.ports import Accepted, Machines, Write, WriteKind
from tests.unit.builders import NOW

ROOT = Path(__file__).parents[2]
SOURCES = [*sorted((ROOT / "control").rglob("*.py")), ROOT / "function_app.py"]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_a06_no_code_can_power_a_machine_off(path: Path) -> None:
    """On a deallocated machine it would make a billed `stopped`."""
    assert not re.search(r"power_?off", path.read_text(), re.IGNORECASE)


def test_a06_the_machines_know_four_calls() -> None:
    """Read, start, deallocate and look at an operation."""
    calls = {name for name in vars(Machines) if not name.startswith("_")}
    assert calls == {"read", "start", "deallocate", "operation"}


def test_values_of_the_edges_begin_with_what_is_known() -> None:
    """An operation without an address, a write without a condition."""
    assert Accepted(at=NOW).operation_url is None
    assert Write(kind=WriteKind.INSERT, key="lease", values={}).etag is None
