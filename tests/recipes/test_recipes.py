"""Every request of docs/phone.md, sent to the demo exactly as it is written."""

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from control.cli.main import app
from tests.evening import Evening
from tests.recipes.http_shortcuts import read
from tests.recipes.recipe import (
    ADDRESS,
    DOCS,
    PHONE,
    Answer,
    Recipe,
    shell,
    shortcut,
    table,
)

IPHONE = "iPhone: Shortcuts and Siri"
NO = re.compile(r"Not \w+[ :]|Failed")
UNKNOWN = "a" * 43
# Of every recipe: the POSTs, by the path that they go to.
START, EXTEND, STOP = "/start", "/extend", "/stop"

type Make = Callable[[str, str, str], dict[str, Recipe]]

needs_curl = pytest.mark.skipif(
    shutil.which("curl") is None, reason="the system package curl is missing"
)


def iphone(url: str, token: str, code: str) -> dict[str, Recipe]:
    rows = table(IPHONE, "shortcut")
    made = [shortcut(row, url, token, code) for row in rows]
    return {each.name: each for each in made}


def android(url: str, token: str, code: str) -> dict[str, Recipe]:
    file = read(json.loads((DOCS / "http-shortcuts.json").read_text()))
    values = {"switch_url": url, "token": token, "code": code}
    made = [file.recipe(each, values) for each in file.shortcuts]
    return {each.name: each for each in made}


MAKERS: dict[str, Make] = {"iphone": iphone, "android": android}


def said(answer: Answer) -> str:
    """Return the one line of an answer, whose first words must carry the outcome."""
    assert answer.kind == "text/plain"
    assert bool(NO.match(answer.text)) is (answer.status >= 400), answer.text
    assert answer.text.count("\n") <= 1
    return answer.text.strip()


@pytest.mark.parametrize("maker", MAKERS)
def test_an_evening_by_buttons(maker: str, evening: Evening) -> None:
    """Pair, start, status, extend and stop; each press is the request as written."""
    evening.device("my-phone")
    made = MAKERS[maker](evening.door.url, "", evening.code("my-phone"))
    (pair,) = (each for each in made.values() if each.path == "/pair")
    token = pair.send().text
    assert re.fullmatch(r"[\w-]{43}", token)
    assert said(pair.send()).startswith("Not paired: ")
    for name, recipe in MAKERS[maker](evening.door.url, token, "").items():
        if recipe.path == "/pair":
            continue
        evening.settle()
        if recipe.path == EXTEND:
            evening.ready()
        first = said(recipe.send())
        assert first.startswith(_opening(recipe)), (name, first)
    assert all(token not in passed.target for passed in evening.door.passed)


def _opening(recipe: Recipe) -> str:
    """How the answer begins where all is well."""
    return {
        START: "Starting. It runs until",
        EXTEND: "Extended until",
        STOP: "Already off.",
        "/status": "Off",
    }[recipe.path]


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("apart", [timedelta(milliseconds=50), timedelta(seconds=5)])
def test_p14_pressed_twice_it_is_done_once(
    maker: str, apart: timedelta, evening: Evening, token: str
) -> None:
    """P14: Siri runs a Shortcut twice: one session, one extension, both answers true.

    The second press comes while the first is on its way, or after it was answered.
    """
    made = MAKERS[maker](evening.door.url, token, "").values()
    by_path = {each.path: each for each in made}
    before = len(evening.sessions())
    starts = twice(by_path[START], apart, evening)
    assert sorted(line.split(".")[0] for line in starts) == [
        "Already asked for",
        "Starting",
    ]
    assert len(evening.sessions()) == before + 1
    session = evening.sessions()[0]
    evening.until("ready")
    evening.stack.azure.vm.use(requests_running=1)
    end = evening.call("GET", "/status")["session"]["expires_at"]
    extends = twice(by_path[EXTEND], apart, evening)
    assert len(set(extends)) == 1
    assert extends[0].startswith("Extended until ")
    moved = evening.call("GET", "/status")["session"]["expires_at"]
    added = datetime.fromisoformat(moved) - datetime.fromisoformat(end)
    assert added == timedelta(minutes=30)
    stops = twice(by_path[STOP], apart, evening)
    assert {line.split(".")[0] for line in stops} == {"Stopping"}
    evening.until("off")
    closed = evening.sessions()
    assert len(closed) == before + 1
    assert (closed[0]["id"], closed[0]["stopped_by"]) == (session["id"], "my-phone")
    late = twice(by_path[STOP], apart, evening)
    assert {line.split(".")[0] for line in late} == {"Already off"}


def twice(recipe: Recipe, apart: timedelta, evening: Evening) -> list[str]:
    """Send it, and once more so much later, on the clock of the demo."""
    answers: list[str] = []

    def press() -> None:
        answers.append(said(recipe.send()))

    first = threading.Thread(target=press)
    first.start()
    if apart < timedelta(seconds=1):
        threading.Event().wait(apart.total_seconds())
    else:
        first.join()
        evening.stack.clock.advance(apart)
    press()
    first.join()
    assert len(answers) == 2
    return answers


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("token", ["", UNKNOWN])
def test_a_missing_or_wrong_token_is_answered_in_words(
    maker: str, token: str, evening: Evening
) -> None:
    """An app whose token was never filled in sends `Bearer ` alone.

    It goes to the functions themselves: the door's client refuses to hand it on.
    """
    for recipe in MAKERS[maker](evening.stack.url, token, "").values():
        answer = recipe.send()
        if recipe.path == "/pair":
            assert answer.status == 410
            assert said(answer).startswith("Not paired: ")
            continue
        assert answer.status == 401
        assert "pair " in said(answer).lower()
        assert recipe.headers["Authorization"] == f"Bearer {token}"


@needs_curl
def test_an_evening_by_curl(evening: Evening, tmp_path: Path) -> None:
    """The lines of the page in one shell: the token is in no argument and no file."""
    evening.device("my-laptop")
    evening.stack.azure.vm.behave(ends_itself=False)
    told, arguments = run_shell(
        shell("curl"), evening, tmp_path, evening.code("my-laptop")
    )
    status, start, extend, stop = told.splitlines()
    assert status.startswith("Off")
    assert "A start now lasts 2 hours" in status
    assert start.startswith("Starting. It runs until")
    assert extend.startswith("Extended until")
    assert stop.startswith("Stopping. Azure was told at")
    evening.until("off")
    session = evening.sessions()[0]
    assert (session["started_by"], session["stopped_by"]) == ("my-laptop",) * 2
    bearers = {
        passed.headers["Authorization"].removeprefix("Bearer ")
        for passed in evening.door.asked
    }
    (token,) = bearers
    assert len(arguments) == 5
    assert all(token not in line for line in arguments)
    assert all(token not in passed.target for passed in evening.door.passed)
    assert not list((tmp_path / "home").rglob("*"))


@needs_curl
def test_curl_says_why_not(evening: Evening, tmp_path: Path) -> None:
    """A spent code: 22, and the sentence, at the pairing and after it."""
    lines, _, rest = shell("curl").partition("switch()")
    told, _ = run_shell(
        f'{lines}echo "$?"\nswitch(){rest}echo "$?"\n', evening, tmp_path, "0123456789"
    )
    paired, code, *answers, last = told.splitlines()
    assert paired.startswith("Not paired: this code is unknown")
    assert code == "0"
    assert answers
    assert all(answer.startswith("Not done: ") for answer in answers)
    assert last == "22"


def run_shell(
    lines: str, evening: Evening, tmp_path: Path, typed: str
) -> tuple[str, list[str]]:
    """Run shell lines as they stand, but for the address; return all that curl got."""
    assert lines.count(ADDRESS) == 1
    programs, home = tmp_path / "programs", tmp_path / "home"
    programs.mkdir()
    home.mkdir()
    log = tmp_path / "arguments"
    log.touch()
    noting = programs / "curl"
    noting.write_text(
        f'#!/bin/sh\necho "$*" >> {log}\nexec {shutil.which("curl")} "$@"\n'
    )
    noting.chmod(0o755)
    done = subprocess.run(
        ["bash", "--norc", "-c", lines.replace(ADDRESS, evening.door.url)],
        check=False,
        input=f"{typed}\n",
        capture_output=True,
        text=True,
        timeout=90,
        cwd=home,
        env={"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(home)},
    )
    return done.stdout, log.read_text().splitlines()


def test_no_token_is_written_anywhere() -> None:
    """Neither in the page nor in the file, nor as a part of any address."""
    file = (DOCS / "http-shortcuts.json").read_text()
    for text in (PHONE, file, (DOCS.parent / "README.md").read_text()):
        assert not re.search(r"Bearer [\w.~+/-]{16,}", text)
        assert not re.search(r"https?://[^\s`|)]*(token|code)=", text)
        assert not re.search(r"(-H|--header) ['\"]Authorization: Bearer <", text)


def test_every_command_of_the_page_is_there() -> None:
    """What the page tells the operator to run, the command line knows."""
    named = set(re.findall(r"python -m control (\w+)", PHONE))
    assert named == {"pair", "code", "revoke"}
    for name in named:
        assert CliRunner().invoke(app, [name, "--help"]).exit_code == 0
