"""`make demo`: the printed lines work, the story ends well, nothing stays behind."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CURL = re.compile(r"^curl .*$", re.MULTILINE)
COMMAND = re.compile(
    r"^(CONTROL_URL=\S+ CONTROL_TOKEN=\S+) .*( -m control code phone)$", re.MULTILINE
)
needs_curl = pytest.mark.skipif(
    shutil.which("curl") is None, reason="the system package curl is missing"
)


@pytest.mark.timeout(300)
def test_the_story_goes_from_start_to_the_ledgers_line() -> None:
    """Weights load, it is ready, idle, off, and the line says what it cost."""
    told = _run(STORY="1", PORT="0", SPEED="60")
    assert told.returncode == 0, told.stdout + told.stderr
    scenes = ["[weights", "  ready", "will be idle", "  off:", "ledger's line"]
    places = [told.stdout.find(scene) for scene in scenes]
    assert -1 not in places, told.stdout
    assert places == sorted(places), told.stdout
    assert re.search(r",idle,.*\d+\.\d\d", told.stdout), told.stdout


@needs_curl
@pytest.mark.timeout(120)
def test_the_printed_lines_work_and_ctrl_c_ends_all() -> None:
    """Each curl line answers in plain words; after Ctrl-C no process is left."""
    with _started(PORT="0", SPEED="1") as (demo, introduction):
        lines = CURL.findall(introduction)
        answers = [_shell(line) for line in lines]
        command = COMMAND.search(introduction)
        assert command is not None
        code = _shell(f"{command[1]} {sys.executable}{command[2]}")
        children = _children(demo.pid)
        demo.send_signal(signal.SIGINT)
        assert demo.wait(20) == 0
    start, status, *_, sessions = answers
    assert start.strip(), answers
    assert not start.startswith("{")
    assert status.strip()
    assert "started_by" in sessions.splitlines()[0]
    assert "phone: code " in code
    assert len(children) >= 2
    assert not [child for child in children if Path(f"/proc/{child}").exists()]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("alocation_failed", "near it: allocation_failed"),
        ("lingers:hours=2", "'lingers' takes minutes, times, verb, not 'hours=2'"),
        ("lingers:minutes=long", "minutes=long of 'lingers' is no number"),
        ("while_busy:answer=perhaps", "'perhaps' is not a valid Busy"),
        ("conflict:times=0", "times=0 of 'conflict' is no count above 0"),
    ],
)
def test_a_fault_that_is_not_there_is_a_sentence(fault: str, words: str) -> None:
    """What was meant, and where the list is; nothing is started."""
    told = _run(PORT="0", FAULT=fault)
    assert told.returncode == 1
    assert words in told.stderr
    assert "Traceback" not in told.stderr
    assert told.stdout == ""


def test_a_taken_port_is_a_sentence() -> None:
    """The port's number and the way out, without a traceback."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = _run(PORT=str(port))
    assert told.returncode == 1
    assert f"port {port} on 127.0.0.1 is in use" in told.stderr
    assert "Traceback" not in told.stderr


def _run(**environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "local.demo"],
        cwd=ROOT,
        env=os.environ | environ,
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=280,
    )


@contextmanager
def _started(**environ: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with subprocess.Popen(
        [sys.executable, "-m", "local.demo"],
        cwd=ROOT,
        env=os.environ | environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as demo:
        assert demo.stdout
        introduction = ""
        try:
            for line in demo.stdout:
                introduction += line
                if line.startswith("Ctrl-C"):
                    break
            yield demo, introduction
        finally:
            demo.kill()


def _shell(line: str) -> str:
    done = subprocess.run(
        ["bash", "-c", line], check=True, capture_output=True, text=True, timeout=30
    )
    return done.stdout


def _children(pid: int) -> list[int]:
    """The processes that the demo's threads started."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for each in lists for child in each.read_text().split()]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("PORT", text) for text in ("99999", "80.5", "-1", "abc")),
        *(("SPEED", text) for text in ("0", "-2", "nan", "inf", "fast")),
    ],
)
def test_a_port_or_speed_that_is_none_is_a_sentence(name: str, text: str) -> None:
    """It says what was given and what may be, without a traceback."""
    told = _run(**{name: text})
    assert told.returncode == 1
    assert f"{name}={text} is no" in told.stderr
    assert "Traceback" not in told.stderr
