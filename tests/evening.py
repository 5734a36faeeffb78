"""One evening on the demo's stack: a machine, some phones, and a clock to move."""

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx

from local.azure import Power
from local.azure.phases import USUAL
from local.stack import ROOT, Stack
from tests.door import Door

SHORT = dict.fromkeys(USUAL, timedelta(seconds=10))


@dataclass(frozen=True, kw_only=True)
class Evening:
    """The stack and the door, with what a test does beside the phones."""

    stack: Stack
    door: Door
    client: httpx.Client

    def call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Ask as the operator, past the door."""
        answer = self.client.request(
            method,
            f"{self.stack.url}{path}",
            json=body,
            headers={"Authorization": f"Bearer {self.stack.tokens.operator}"},
        )
        document: dict[str, Any] = answer.json()
        return document

    def sessions(self) -> list[dict[str, Any]]:
        """Return the ledger's sessions, newest first."""
        found: list[dict[str, Any]] = self.call("GET", "/sessions")["sessions"]
        return found

    def state(self) -> str:
        return str(self.call("GET", "/status").get("state"))

    def device(self, name: str, **tags: str) -> str:
        """Give a device a token, and let the switch learn of it."""
        token = secrets.token_urlsafe(32)
        tags = {"scope": "phone"} | tags
        self.stack.azure.add_secret(f"token-{name}", token, tags=tags)
        self.minutes(1.1)
        return token

    def code(self, device: str) -> str:
        """Return a pairing code for a device."""
        return str(self.call("POST", f"/devices/{device}/code", {})["code"])

    def revoke(self, device: str) -> None:
        self.stack.azure.enable_secret(f"token-{device}", enabled=False)
        self.minutes(1.1)

    def minutes(self, count: float) -> None:
        """Let time pass; the guests and the timer follow within a moment."""
        self.stack.clock.advance(timedelta(minutes=count))
        threading.Event().wait(0.3)

    def until(self, *states: str, step: float = 0.25) -> str:
        """Let time pass until the machine is in one of these states."""
        for _ in range(400):
            if (state := self.state()) in states:
                return state
            self.minutes(step)
        raise AssertionError(f"never {states}, but {state}")

    def ready(self) -> None:
        """Start by the operator, and boot in a minute; the guest stays in use."""
        self.stack.azure.vm.behave(takes=SHORT, ends_itself=False)
        self.call("POST", "/start", {"hours": 2})
        self.until("ready")
        self.stack.azure.vm.use(requests_running=1)

    @contextmanager
    def deployed(self, app: Path = ROOT, **settings: str) -> Iterator[None]:
        """Run another app, or other settings, for a while."""
        functions = self.stack.functions
        before = {name: functions.setting(name) for name in settings}
        functions.deploy(app, **settings)
        try:
            yield
        finally:
            functions.deploy(ROOT, **before)

    def settle(self) -> None:
        """End all that is on and all that fails: an evening begins clean."""
        self.door.heal()
        vm = self.stack.azure.vm
        self.stack.azure.faults.clear()
        vm.behave(takes=SHORT, ends_itself=False)
        self.call("POST", "/unlock", {})
        self.call("POST", "/stop", {})
        self.until("off", step=0.5)
        vm.forget_activity()
        assert vm.power is Power.DEALLOCATED
        self.minutes(61)
        self.until("off")
