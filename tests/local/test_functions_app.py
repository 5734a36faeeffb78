"""The deployed app under the worker: host.json, and its index from nothing else."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from local.functions.configuration import host_file
from local.functions.routes import find, route
from local.functions.schedule import parse

ROOT = Path(__file__).parents[2]
CONTRACT = """
/ /start /stop /deallocate /extend /status /sessions /sessions/01JD /devices /lock
/unlock /vm/heartbeat /ledger /devices/iphone/code /pair /healthz /openapi.json
"""
INDEX = """
import json, sys
from pathlib import Path
from local.functions.host import Host
host = Host.load(Path(sys.argv[1]))
routes = [[one.function, one.template, sorted(one.methods)] for one in host.routes]
timers = {name: host.trigger(name)["schedule"] for name in host.timers}
print(json.dumps({"routes": routes, "timers": timers}))
"""


def test_host_json_says_what_azure_must_do() -> None:
    """No route prefix, a time limit, the v4 bundle, and no request sampled away."""
    read = host_file(ROOT)
    assert read.route_prefix == ""
    assert timedelta(minutes=1) <= read.timeout <= timedelta(minutes=10)
    values = json.loads((ROOT / "host.json").read_text())
    assert values["extensionBundle"] == {
        "id": "Microsoft.Azure.Functions.ExtensionBundle",
        "version": "[4.*, 5.0.0)",
    }
    sampling = values["logging"]["applicationInsights"]["samplingSettings"]
    assert sampling["isEnabled"] is True
    assert set(sampling["excludedTypes"].split(";")) == {"Request", "Exception"}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Index the app in a new environment that has requirements.txt and no settings."""
    venv = tmp_path_factory.mktemp("fresh") / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True, timeout=120)
    python = str(venv / "bin/python")
    subprocess.run(
        [*(python, "-m", "pip", "install", "--quiet"), "-r", "requirements.txt"],
        cwd=ROOT,
        check=True,
        timeout=400,
    )
    indexed = subprocess.run(
        [python, "-c", INDEX, str(ROOT)],
        cwd=ROOT,
        env={"PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert indexed.returncode == 0, indexed.stderr
    read: dict[str, Any] = json.loads(indexed.stdout)
    return read


@pytest.mark.timeout(600)
def test_requirements_alone_index_every_route(index: dict[str, Any]) -> None:
    """Each path of the HTTP contract reaches the app, whatever the method."""
    routes = [route(*each) for each in index["routes"]]
    for path in CONTRACT.split():
        for method in ("GET", "HEAD", "POST", "OPTIONS", "DELETE"):
            assert find(routes, method, path), (method, path)


@pytest.mark.timeout(600)
def test_requirements_alone_index_the_timer(index: dict[str, Any]) -> None:
    """There is one timer, and it comes every minute."""
    (expression,) = index["timers"].values()
    now = datetime(2026, 11, 30, 10, 0, 30, tzinfo=UTC)
    assert parse(expression).after(now) == now + timedelta(seconds=30)
