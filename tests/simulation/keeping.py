"""Plans as files: a failing one is kept, and lived again by every run of the tests."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.simulation.chance import Plan
from tests.simulation.happening import Event
from tests.simulation.world import Setting

FOLDER = Path(__file__).parent / "kept"


def written(plan: Plan) -> str:
    """Return a plan as JSON."""
    setting = {name: _plain(value) for name, value in asdict(plan.setting).items()}
    events = [
        {name: _plain(value) for name, value in asdict(event).items()}
        for event in plan.events
    ]
    return json.dumps({"setting": setting, "events": events}, indent=1) + "\n"


def read(text: str) -> Plan:
    """Return the plan of a JSON text."""
    whole = json.loads(text)
    return Plan(
        setting=_setting(whole["setting"]),
        events=[_event(each) for each in whole["events"]],
    )


def _setting(plain: Mapping[str, Any]) -> Setting:
    return Setting(
        seed=plain["seed"],
        begins=datetime.fromisoformat(plain["begins"]),
        days=plain["days"],
        machines=plain["machines"],
        limit=Decimal(plain["limit"]),
        max_runtime=timedelta(seconds=plain["max_runtime"]),
        tagged=plain["tagged"],
    )


def _event(plain: Mapping[str, Any]) -> Event:
    return Event(
        at=datetime.fromisoformat(plain["at"]),
        name=plain["name"],
        lasts=timedelta(seconds=plain["lasts"]),
        machine=plain["machine"],
        how=plain["how"],
    )


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case Decimal():
            return str(value)
        case _:
            return value
