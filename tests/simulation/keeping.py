"""Plans as files: a failing one is kept, and lived again by every run of the tests."""

from pathlib import Path

from pydantic import TypeAdapter

from tests.simulation.chance import Plan

FOLDER = Path(__file__).parent / "kept"
_PLANS = TypeAdapter(Plan)


def written(plan: Plan) -> str:
    """Return a plan as JSON."""
    return _PLANS.dump_json(plan, indent=1).decode() + "\n"


def read(text: str) -> Plan:
    """Return the plan of a JSON text."""
    return _PLANS.validate_json(text)
