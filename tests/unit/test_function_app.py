"""The triggers: every route and the timer, wired and nothing else."""

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from control.web.routes import ROUTES

ROOT = Path(__file__).parents[2]
IMPORT = """
import json, logging, sys, threading
import function_app
slow = ("azure.identity", "azure.mgmt", "azure.keyvault", "azure.data", "azure.core",
        "httpx", "apprise", "msal")
print(json.dumps({
    "slow": [name for name in slow if name in sys.modules],
    "threads": threading.active_count(),
    "levels": [name for name in ("azure", "httpx") if logging.getLogger(name).level],
    "handlers": len(logging.getLogger().handlers),
}))
"""
INDEX = """
import json
import function_app
made = [
    {"name": f.get_function_name(), "trigger": f.get_trigger().get_dict_repr()}
    for f in function_app.app.get_functions()
]
print(json.dumps(made, default=str))
"""
CALLS = """
import json, sys
from pathlib import Path
from control.records import Pass
from control.web.http import Response
from local.functions.host import Host
from local.functions.wire import Request

class Heard:
    def __init__(self):
        self.calls = []

    def answer(self, name, request):
        self.calls.append([name, request.method, dict(request.query),
            dict(request.headers), dict(request.params), request.body.decode()])
        return Response(status=418, headers={"X-Seen": "yes"}, body=b"heard")

    def tick(self):
        self.calls.append(["tick"])
        return Pass(at=None, failed=("vm-1",))

host = Host.load(Path(sys.argv[1]))
host.module.root = heard = Heard()
body = b'{"minutes": 5}'
answer = host.answer(Request(method="post", path="/extend", query="machine=vm-1",
    headers=[("Authorization", "Bearer x"), ("Content-Length", str(len(body)))],
    body=body))
for method, path in (("DELETE", "/sessions/01JD"), ("GET", "/"), ("GET", "/a/b/c"),
        ("POST", "/devices/iphone/code"), ("HEAD", "/openapi.json")):
    host.answer(Request(method=method, path=path))
host.tick()
print(json.dumps({"calls": heard.calls, "status": answer.status, "text": answer.text,
    "headers": dict(answer.headers)}))
host.close()
"""


def run(script: str, *arguments: str, **environ: str) -> Any:
    """Run a script in a process of its own, with no settings but these."""
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)} | environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_importing_it_has_no_effect() -> None:
    """No SDK, thread, handler or level: a failing import would take every trigger."""
    made = run(IMPORT)
    assert made == {"slow": [], "threads": 1, "levels": [], "handlers": 0}


@pytest.fixture(scope="module")
def index() -> dict[str, dict[str, Any]]:
    return {one["name"]: one["trigger"] for one in run(INDEX)}


def test_every_route_is_a_trigger(index: dict[str, dict[str, Any]]) -> None:
    """Anonymous to the host, with every method: tokens and 405 are ours."""
    for route in ROUTES:
        trigger = index[route.name]
        assert trigger["route"] == route.template
        assert "ANONYMOUS" in str(trigger["authLevel"])
        assert not trigger.get("methods")
    assert index.keys() == {route.name for route in ROUTES} | {"tick"}


def test_the_timer_runs_every_minute_and_not_at_startup(
    index: dict[str, dict[str, Any]],
) -> None:
    """Scale-outs would run it again and again."""
    assert index["tick"]["schedule"] == "0 * * * * *"
    assert index["tick"]["runOnStartup"] is False


def test_a_request_goes_through_whole_and_its_answer_back() -> None:
    """Method, query, headers, parameters, body; the root is looked up at the call."""
    made = run(CALLS, str(ROOT))
    assert (made["status"], made["text"]) == (418, "heard")
    assert made["headers"]["X-Seen"] == "yes"
    first, *others, last = made["calls"]
    name, method, query, headers, params, body = first
    assert (name, method, query, params) == (
        "extend",
        "POST",
        {"machine": "vm-1"},
        {},
    )
    assert headers["authorization"] == "Bearer x"
    assert body == '{"minutes": 5}'
    assert [(one[0], one[1], one[4]) for one in others] == [
        ("session", "DELETE", {"id": "01JD"}),
        ("phone_page", "GET", {}),
        ("lost", "GET", {"path": "a/b/c"}),
        ("device_code", "POST", {"name": "iphone"}),
        ("openapi", "HEAD", {}),
    ]
    assert last == ["tick"]


def test_it_is_small_and_alone_with_the_platforms_library() -> None:
    """At most 120 lines and 8 for a function; nobody else imports azure.functions."""
    source = (ROOT / "function_app.py").read_text()
    assert len(source.splitlines()) <= 120
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno <= 8, node.name
    texts = {path: path.read_text() for path in ROOT.glob("control/**/*.py")}
    importers = [path for path, text in texts.items() if "azure.functions" in text]
    assert importers == []
