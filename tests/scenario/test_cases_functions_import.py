"""What an import may break and what it may cost (B05, B09)."""

import ast
import json
import re
import subprocess
import sys
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from control.web.routes import ROUTES
from local.azure import Budget, Kind
from tests.scenario.conftest import START
from tests.scenario.world import PHONE, World

ROOT = Path(__file__).parents[2]
# What may be away without the meter running on: Azure's figure, prices, notices, keys.
SPARE = ("azure.mgmt.consumption", "httpx", "apprise", "azure.keyvault.secrets")
LATER = (*SPARE, "azure.mgmt.compute", "azure.identity", "azure.data.tables")

# Runs in a process of its own: refuses distributions or modules, then loads the app.
LOAD = """
import importlib, importlib.metadata as metadata, json, re, sys
from pathlib import Path

root, refused, wanted = Path(sys.argv[1]), set(json.loads(sys.argv[2])), sys.argv[3]

def name_of(text):
    return re.sub("[-_.]+", "-", re.match("[A-Za-z0-9._-]+", text)[0]).lower()

def closure(lines):
    found, left = set(), [name_of(line) for line in lines]
    while left:
        name = left.pop()
        if name in found:
            continue
        try:
            needs = metadata.requires(name) or ()
        except metadata.PackageNotFoundError:
            continue
        found.add(name)
        left += [name_of(need) for need in needs if "extra ==" not in need]
    return found

lines = (root / "requirements.txt").read_text().splitlines()
pinned = closure(line for line in lines if line.strip() and line[0] != "#")
for top, owners in metadata.packages_distributions().items():
    if pinned.isdisjoint(map(name_of, owners)):
        refused.add(top)

class Refuse:
    def find_spec(self, name, path=None, target=None):
        parts = name.split(".")
        if any(".".join(parts[:end]) in refused for end in range(1, len(parts) + 1)):
            raise ModuleNotFoundError(f"no module named {name!r} here", name=name)

sys.meta_path.insert(0, Refuse())
from local.functions.host import Host
host = Host.load(root, environ={})
for name in json.loads(wanted):
    importlib.import_module(name)
print(json.dumps({
    "routes": sorted(route.function for route in host.routes),
    "timers": list(host.timers), "refused": sorted(refused),
}))
host.close()
"""


def _load(refused: tuple[str, ...], wanted: list[str]) -> dict[str, Any]:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            LOAD,
            str(ROOT),
            json.dumps(refused),
            json.dumps(wanted),
        ],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _imported() -> set[str]:
    """Return every module that the app imports anywhere, inside functions too."""
    sources = [ROOT / "function_app.py", *ROOT.glob("control/**/*.py")]
    app = [path for path in sources if "cli" not in path.parts]
    nodes = [node for path in app for node in ast.walk(ast.parse(path.read_text()))]
    named = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    plain = [node for node in nodes if isinstance(node, ast.Import)]
    named |= {alias.name for node in plain for alias in node.names}
    return {name for name in named if name and not name.startswith("control.cli")}


def test_b05_the_pinned_requirements_are_all_that_it_needs() -> None:
    """Nothing else can be imported: every trigger is there, and every late import."""
    wanted = _imported()
    assert set(SPARE) <= wanted
    made = _load((), sorted(wanted - {"control.__main__"}))
    assert {"pytest", "hypothesis", "typer"} <= set(made["refused"])
    assert made["routes"] == sorted(route.name for route in ROUTES)
    assert made["timers"] == ["tick"]


def test_b05_what_can_be_spared_takes_no_trigger_with_it() -> None:
    """Four packages are missing at once: all is registered, and it can be built."""
    made = _load(SPARE, ["control.composition"])
    assert made["routes"] == sorted(route.name for route in ROUTES)
    assert made["timers"] == ["tick"]


@pytest.fixture
def spared(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """A deployment that reads a budget and whose spare packages cannot be imported."""
    for name in SPARE:
        monkeypatch.setitem(sys.modules, name, None)
    end = START + timedelta(days=300)
    budget = Budget(name="monthly", amount=Decimal(5000), start=START, end=end)
    world.azure.budgets.put(budget)
    world.build_anew(BUDGET_NAME="monthly")
    return world


def test_b05_without_the_spare_packages_the_timer_still_ends_it(spared: World) -> None:
    """It ticks, adopts, ends at the cap and writes the ledger; a phone gets a 503."""
    spared.azure.vm.behave(beats=False, ends_itself=False)
    spared.azure.vm.start_outside()
    spared.minutes(2)
    assert spared.client.get(f"{spared.base}/healthz").status_code == 200
    sent = {"Authorization": f"Bearer {PHONE}"}
    refused = spared.client.get(f"{spared.base}/status", headers=sent)
    assert refused.status_code == 503
    assert refused.json()["type"] == "/problems/vault-unavailable"
    spared.clock.advance(timedelta(hours=4))
    spared.tick()
    assert spared.sent(Kind.VM_DEALLOCATE) == 1
    spared.minutes(2)
    rows = [row for row in spared.rows().splitlines() if " session:" in row]
    assert len(rows) == 1
    assert "'stop_reason': 'max_runtime'" in rows[0]


def _import_order() -> list[str]:
    """Return every module that is imported, in the order in which they are done."""
    code = f"import function_app\nimport {', '.join(LATER)}"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return re.findall(r"^import time:.*\| +(\S+)$", done.stderr, re.MULTILINE)[1:]


def test_b09_importing_the_triggers_brings_nothing_heavy() -> None:
    """The budget: no SDK, and fewer modules than what the first calls bring later."""
    order = _import_order()
    before = order[: order.index("function_app")]
    assert not [name for name in before if name in LATER]
    allowed = {"azure", "control", "pydantic", "pydantic_core", "ulid", "werkzeug"}
    small = {"annotated_types", "markupsafe", "typing_extensions", "typing_inspection"}
    small |= {"orjson", "sitecustomize"}
    brought = {name.partition(".")[0] for name in before} - set(sys.stdlib_module_names)
    assert {one for one in brought if not one.startswith("_")} <= allowed | small
    azure = {name for name in before if name.startswith("azure.")}
    assert all(name.startswith("azure.functions") for name in azure)
    later = order[order.index("function_app") :]
    assert set(LATER) <= set(later)
    assert 300 < len(before) < len(later)
