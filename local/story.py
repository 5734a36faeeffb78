"""One evening, played through the public routes alone: start, ready, idle, off.

What it prints is what a phone would show; what it returns is whether the evening
ended as it must: deallocated, with one line in the ledger.
"""

import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import httpx

from local.stack import Stack

_SECONDS = 240
_LOOK_EVERY = 0.5


class StoryError(RuntimeError):
    """The evening took another course."""


def play(stack: Stack) -> None:
    """Start the machine, watch it until it is off again, and show the ledger."""
    with (
        _client(stack, stack.tokens.phone) as phone,
        _client(stack, stack.tokens.operator) as operator,
    ):
        _say(stack, "The phone asks for two hours.")
        _say(stack, _text(phone.post("/start", json={"hours": 2, "note": "demo"})))
        _expect(stack, phone, "ready")
        _say(stack, "Nobody asks it anything, so it will be idle for too long.")
        _expect(stack, phone, "off")
        _show_ledger(stack, operator)


def _client(stack: Stack, token: str) -> httpx.Client:
    return httpx.Client(
        base_url=stack.url,
        headers={"Authorization": f"Bearer {token}"},
        timeout=20,
        trust_env=False,
    )


def _expect(stack: Stack, phone: httpx.Client, state: str) -> None:
    """Watch until this state is reached, telling each change on the way."""
    told: tuple[str, str, int] | None = None
    for status in _statuses(phone):
        seen = _scene(status)
        if seen != told:
            _say(stack, _line(status))
            told = seen
        if status["state"] == state:
            return
    raise StoryError(f"it was not {state} within {_SECONDS} s")


def _statuses(phone: httpx.Client) -> Iterator[dict[str, Any]]:
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end:
        answer = phone.get("/status")
        if answer.status_code != httpx.codes.OK:
            raise StoryError(f"GET /status said {answer.status_code}: {answer.text}")
        yield answer.json()
        threading.Event().wait(_LOOK_EVERY)


def _scene(status: dict[str, Any]) -> tuple[str, str, int]:
    """What counts as news: state, phase, and each tenth of progress."""
    progress = status["progress"] or 0
    return status["state"], status["phase"] or "", int(progress * 10)


def _line(status: dict[str, Any]) -> str:
    phase, progress = status["phase"], status["progress"]
    doing = f" [{phase} {progress:.0%}]" if phase and progress is not None else ""
    return f"{status['state']}{doing}: {status['summary']}"


def _show_ledger(stack: Stack, operator: httpx.Client) -> None:
    sessions = operator.get("/sessions", params={"limit": 1}).json()["sessions"]
    if not sessions or sessions[0]["ended_at"] is None:
        raise StoryError("the ledger holds no closed session")
    (line,) = sessions
    _say(stack, "The ledger's line:")
    print(_text(operator.get("/sessions", headers={"Accept": "text/csv"})))
    if line["stop_reason"] != "idle" or Decimal(line["cost"]) <= 0:
        raise StoryError(f"it ended as {line['stop_reason']} for {line['cost']}")


def _text(answer: httpx.Response) -> str:
    if answer.is_error:
        raise StoryError(f"{answer.request.url.path} said: {answer.text}")
    kind = answer.headers.get("content-type", "")
    if kind.startswith("application/json"):
        return str(answer.json().get("summary", answer.text))
    return answer.text.strip()


def _say(stack: Stack, line: str) -> None:
    print(f"{stack.clock.now():%H:%M:%S}  {line}", flush=True)
