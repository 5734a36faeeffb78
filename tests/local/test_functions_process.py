"""The host as a process: ready, ticked, ended, and gone with its starter."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from local.clock import SharedClock
from local.functions.process import FunctionsError, FunctionsProcess

SAMPLE = Path(__file__).parent / "sample_app"
ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "local.functions", "--app", str(SAMPLE)]


def test_it_serves_and_ticks_on_the_clock_of_the_file(tmp_path: Path) -> None:
    """What a test moves in its process is the time of the app in its own."""
    file = tmp_path / "clock.json"
    SharedClock.create(file, datetime(2026, 11, 30, tzinfo=UTC), speed=0)
    with FunctionsProcess(
        app=SAMPLE, environ={"SETTING": "mine"}, folder=tmp_path, clock=file
    ) as functions:
        functions.tick()
        told = httpx.get(f"{functions.url}/time", trust_env=False).json()
        assert told["setting"] == "mine"
        assert told["ticks"] == [{"at": "2026-11-30T00:00:00+00:00", "past_due": False}]
    assert "asked for the time" in functions.log.read_text()


def test_a_failed_tick_is_told_with_its_cause(tmp_path: Path) -> None:
    """The starter learns what the run raised."""
    file = tmp_path / "clock.json"
    SharedClock.create(file)
    with (
        FunctionsProcess(
            app=SAMPLE, environ={"TICK_FAILS": "1"}, folder=tmp_path, clock=file
        ) as functions,
        pytest.raises(FunctionsError, match="the tick's own failure"),
    ):
        functions.tick()


def test_an_app_that_fails_at_import_shows_why(tmp_path: Path) -> None:
    """The error carries the tail of what the process said."""
    (tmp_path / "host.json").write_text('{"version": "2.0"}')
    (tmp_path / "function_app.py").write_text("raise ValueError('bad app')\n")
    with (
        pytest.raises(FunctionsError, match="bad app"),
        FunctionsProcess(app=tmp_path, environ={}, folder=tmp_path),
    ):
        pass


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_within_two_seconds(how: signal.Signals) -> None:
    """Also while a function runs on that will not end."""
    with _running() as (process, url):
        with pytest.raises(httpx.ReadTimeout):
            httpx.get(f"{url}/hang", timeout=0.3, trust_env=False)
        began = time.monotonic()
        process.send_signal(how)
        assert process.wait(10) == 0
        assert time.monotonic() - began < 2


def test_a_settings_file_fills_in_what_the_environment_lacks(tmp_path: Path) -> None:
    """Values of local.settings.json arrive as environment variables."""
    settings = tmp_path / "local.settings.json"
    settings.write_text(json.dumps({"Values": {"SETTING": "from the file"}}))
    with _running("--settings", str(settings)) as (_, url):
        told = httpx.get(f"{url}/time", trust_env=False).json()
        assert told["setting"] == "from the file"


def test_a_taken_port_and_a_missing_file_are_sentences(tmp_path: Path) -> None:
    """The command ends with 1 and says what to do, without a traceback."""
    with _running() as (_, url):
        port = url.rpartition(":")[2]
        taken = _run("--port", port)
        missing = _run("--settings", str(tmp_path / "none.json"))
    for ended, said in ((taken, f"port {port} on"), (missing, "there is no")):
        assert ended.returncode == 1
        assert said in ended.stderr
        assert "Traceback" not in ended.stderr


def test_it_ends_when_its_starter_is_gone() -> None:
    """Whoever holds its standard input is its lifeline."""
    with _running("--lifeline") as (process, _):
        assert process.stdin
        process.stdin.close()
        assert process.wait(5) == 0


@contextmanager
def _running(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with subprocess.Popen(
        [*COMMAND, "--no-timers", "--port", "0", *options],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout
        try:
            yield process, process.stdout.readline().rpartition(" ")[2].strip()
        finally:
            process.kill()


def _run(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *options],
        cwd=ROOT,
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=60,
    )
