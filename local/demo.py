"""`make demo`: the whole system on this machine, to try by hand or to watch.

PORT chooses the functions' port, SPEED how fast time runs, STORY=1 plays an evening,
FAULT switches faults of docs/faults.md on.
"""

import os
import signal
import sys
import tempfile
import threading
from pathlib import Path

from local.azurite import AzuriteError
from local.functions.process import FunctionsError
from local.node import NodeError
from local.ports import PortInUse
from local.stack import Stack, StackError, running
from local.story import StoryError, play
from local.wanted import OFFERS, UnknownFaultError, Wanted, wanted

_PORT = 7071
_SPEED = 10
_STORY_SPEED = 30
_HIGHEST_PORT = 65535
_FASTEST = 600

_FAILURES = (
    AzuriteError,
    FunctionsError,
    NodeError,
    StackError,
    StoryError,
    UnknownFaultError,
)


def main() -> int:
    """Run the demo; every way out of it leaves no process behind."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, _interrupt)
    story = os.environ.get("STORY") == "1"
    try:
        port = _port()
        speed = _speed(_STORY_SPEED if story else _SPEED)
        faults = wanted(os.environ.get("FAULT", ""))
        _run(port, speed, faults, story=story)
    except KeyboardInterrupt:
        print("\nEnded; nothing is left running.")
    except PortInUse as error:
        print(
            f"The demo can't start: {error}. Try `make demo PORT=…`.", file=sys.stderr
        )
        return 1
    except _FAILURES as error:
        print(f"The demo failed: {error}", file=sys.stderr)
        return 1
    return 0


def _run(port: int, speed: float, faults: list[Wanted], *, story: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="kimi-switch-") as folder:
        print("Starting Azurite, the local Azure and the functions ...", flush=True)
        with running(Path(folder), port=port, speed=speed, faults=faults) as stack:
            _introduce(stack, speed)
            _warn(faults)
            if story:
                play(stack)
            else:
                print("Ctrl-C ends all of it.", flush=True)
                threading.Event().wait()


def _introduce(stack: Stack, speed: float) -> None:
    phone, operator = stack.tokens.phone, stack.tokens.operator
    print(f"""
The phone page  {stack.url}
Phone token     {phone}
Operator token  {operator}
The functions'  log is {stack.functions.log}, until this ends
Time runs {speed:g} times as fast here (SPEED=1 is real time).

To try:
{_curl(stack.url, phone, "POST", "/start")}
{_curl(stack.url, phone, "GET", "/status")}
{_curl(stack.url, phone, "POST", "/extend", '{"minutes": 30}')}
{_curl(stack.url, phone, "POST", "/stop")}
{_curl(stack.url, operator, "GET", "/sessions")}
{_command(stack.url, operator)}

Open the phone page and type the phone token, or the code that the last line shows: it
lives for 10 of these minutes, {_life(speed)} of yours.
""")


def _command(url: str, token: str) -> str:
    """How an operator pairs a phone."""
    return (
        f"CONTROL_URL={url} CONTROL_TOKEN={token} "
        ".venv/bin/python -m control code phone"
    )


def _life(speed: float) -> str:
    return f"{600 / speed:.0f} seconds"


def _warn(faults: list[Wanted]) -> None:
    for each in faults:
        often = "from now on" if each.times is None else f"{each.times} times"
        print(f"Fault, {often}: {OFFERS[each.name].does}")


def _curl(url: str, token: str, method: str, path: str, body: str = "{}") -> str:
    sent = f" -d '{body}'" if method == "POST" else ""
    kind = "text/csv" if path == "/sessions" else "text/plain"
    return (
        f'curl -sS -X {method} -H "Authorization: Bearer {token}" '
        f'-H "Accept: {kind}"{sent} {url}{path}'
    )


def _port() -> int:
    text = os.environ.get("PORT") or str(_PORT)
    if not text.isdecimal() or int(text) > _HIGHEST_PORT:
        raise StackError(
            f"PORT={text} is no port: 1 to {_HIGHEST_PORT}, 0 for a free one"
        )
    return int(text)


def _speed(default: float) -> float:
    text = os.environ.get("SPEED") or str(default)
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed <= _FASTEST:
        raise StackError(f"SPEED={text} is no number above 0, at most {_FASTEST}")
    return speed


def _interrupt(_signal: int, _frame: object) -> None:
    """Unwind once; what comes while all is being ended changes nothing."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
