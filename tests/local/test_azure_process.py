"""The local Azure as its own process, moved from another one."""

import json
import os
import signal
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.clock import SharedClock

ROOT = Path(__file__).parents[2]


def wait_for(path: Path) -> dict[str, Any]:
    """The told file, once it is there."""
    pause = threading.Event()
    for _ in range(200):
        if path.exists():
            told: dict[str, Any] = json.loads(path.read_text())
            return told
        pause.wait(0.05)
    raise TimeoutError(path.name)


@pytest.fixture
def told(tmp_path: Path, clock: SharedClock) -> Iterator[dict[str, Any]]:
    """What the process wrote; it ends at SIGTERM, by itself and cleanly."""
    assert clock.now() is not None
    command = [sys.executable, "-m", "local.azure", "--machine", "vm-a"]
    command += ["--clock", str(tmp_path / "clock.json"), "--folder", str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, env={**os.environ}) as process:
        try:
            yield wait_for(tmp_path / "azure.json")
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=10) == 0


def test_another_process_moves_it(
    told: dict[str, Any], tmp_path: Path, clock: SharedClock
) -> None:
    """Faults, secrets, deeds and habits go in; state and requests come out."""
    context = ssl.create_default_context(cafile=tmp_path / "authority.pem")
    base = told["admin_url"] + "/"
    with httpx.Client(base_url=base, verify=context, trust_env=False) as admin:
        armed = admin.post("faults", json={"name": "conflict", "times": 2}).json()
        assert armed["armed"][0] == {"name": "conflict", "left": 2, "target": None}
        assert admin.post("machines/vm-a/do/start_outside").status_code == 200
        assert admin.get("requests").json()[0]["status"] == 409
        admin.delete("faults")
        admin.post("machines/vm-a/do/start_outside")
        clock.run_at(600)
        guest = {"fixed": "broken", "takes": {"disk": 5}, "drains_for": 1}
        assert admin.post("machines/vm-a/guest", json=guest).status_code == 200
        secret = {"value": "x", "tags": {"scope": "phone"}}
        url = "vaults/app-vault/secrets/token-x"
        assert admin.put(url, json=secret).status_code == 200
        budget = {"name": "b", "amount": 1, "start": "2026-11-01", "end": "2027-01-01"}
        assert admin.put("budget", json=budget).status_code == 200
        assert admin.get("notices").json() == []
        pause = threading.Event()
        for _ in range(100):
            machine = admin.get("state").json()["machines"][0]
            if machine["phase"] == "broken":
                break
            pause.wait(0.05)
        assert machine["power"] == "running"
        assert machine["phase"] == "broken"
        assert machine["billed_seconds"] > 0


def test_a_mistake_is_told(told: dict[str, Any], tmp_path: Path) -> None:
    """An unknown fault, machine or deed is 400 with the reason."""
    context = ssl.create_default_context(cafile=tmp_path / "authority.pem")
    base = told["admin_url"] + "/"
    with httpx.Client(base_url=base, verify=context, trust_env=False) as admin:
        assert admin.post("faults", json={"name": "nonsense"}).status_code == 400
        assert admin.post("machines/vm-x/do/reboot").status_code == 400
        assert admin.post("machines/vm-a/do/nonsense").status_code == 400
        assert admin.get("nonsense").status_code == 501
        assert admin.get("state").json()["unknown_routes"] != []
