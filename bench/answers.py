"""How long the phone waits, as ratios to `/healthz` in one run.

`python -m bench.answers` at the root starts the local Azure, Azurite and the functions,
and prints the least of several calls each. Times differ from machine to machine and
from hour to hour; the ratios say what our own code and its ledger rows add.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from local.stack import Stack, running

CALLS = 9


def least(call: Callable[[], object]) -> float:
    """Return the shortest of several calls, in seconds."""
    taken = []
    for _ in range(CALLS):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return min(taken)


def calls(stack: Stack, client: httpx.Client) -> dict[str, Callable[[], object]]:
    """Return what is measured, in the order it is measured in."""
    sent = {"Authorization": f"Bearer {stack.tokens.phone}"}

    def get(path: str) -> httpx.Response:
        return client.get(f"{stack.url}{path}", headers=sent)

    def post(path: str) -> httpx.Response:
        return client.post(f"{stack.url}{path}", headers=sent, json={})

    return {
        "GET /healthz": lambda: get("/healthz"),
        "GET /status, off": lambda: get("/status"),
        "POST /start, then again": lambda: post("/start"),
        "GET /status, held": lambda: get("/status"),
        "POST /stop, then again": lambda: post("/stop"),
        "a tick": stack.functions.tick,
    }


def main() -> None:
    """Measure and print."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder)) as stack,
        httpx.Client(timeout=30, trust_env=False) as client,
    ):
        stack.functions.tick()
        taken = {name: least(call) for name, call in calls(stack, client).items()}
    base = taken["GET /healthz"]
    for name, seconds in taken.items():
        print(f"{name:26} {seconds * 1000:7.1f} ms {seconds / base:7.1f} x")


if __name__ == "__main__":
    main()
