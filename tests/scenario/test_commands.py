"""The operator's commands about devices, run against a whole switch."""

import json
import os
import pty
import shutil
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from fcntl import ioctl
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from control.cli.main import app
from control.web.routes import ROUTES
from tests.scenario.world import OPERATOR, PHONE, Person, World
from tests.unit.cli.terminal import DARK, read, rows, save

ROOT = Path(__file__).parents[2]
VAULT = "https://vault.azure.net"

type Command = Callable[..., Result]


class Login:
    """A person's Azure login: `az` as a program that hands out a real token."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked = folder / "asked"
        self.asked.touch()

    @property
    def times(self) -> int:
        return len(self.asked.read_text().splitlines())


@pytest.fixture
def login(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Login:
    """Put the program first on the path; the real credential runs it."""
    place = tmp_path / "login"
    place.mkdir()
    made = Login(place)
    token = world.azure.identity.issue("operator", VAULT)
    answer = {
        "accessToken": token.text,
        "expiresOn": f"{token.expires:%Y-%m-%d %H:%M:%S.000000}",
        "expires_on": int(token.expires.timestamp()),
        "subscription": world.azure.subscription_id,
        "tenant": "7a3c1f0e-5d2b-4c6a-9e8f-112233445566",
        "tokenType": "Bearer",
    }
    (made.folder / "answer.json").write_text(json.dumps(answer))
    program = made.folder / "az"
    program.write_text(
        f'#!/bin/sh\necho "$*" >> {made.asked}\ncat {made.folder}/answer.json\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{made.folder}:{os.environ['PATH']}")
    return made


@pytest.fixture
def run(world: World, login: Login) -> Command:
    """Run a command with the switch's address and the person's login alone."""
    del login
    environ = {
        "CONTROL_URL": world.base,
        "KEY_VAULT_URL": world.environ["KEY_VAULT_URL"],
        "CONTROL_TOKEN": None,
        "PUBLIC_URL": None,
    }

    def command(*arguments: str, **more: str | None) -> Result:
        made = CliRunner().invoke(app, list(arguments), env=environ | more)
        assert OPERATOR not in made.output
        return made

    return command


def code_in(text: str) -> str:
    """Return the code that a person would type."""
    return text.partition(": code ")[2].partition(",")[0]


def paired(world: World, code: str) -> Person:
    """Exchange a code, as the page does."""
    answer = world.stranger.post("/pair", {"code": code})
    assert answer.status_code == 200, answer.text
    return Person(base=world.base, token=answer.json()["token"], client=world.client)


def test_a_new_device_is_paired(world: World, run: Command, login: Login) -> None:
    """The secret is made, the code redeems, and the token is let in."""
    world.tick()
    made = run("pair", "pixel", "--scope", "phone", "--max-hours", "1.5")
    assert made.exit_code == 0, made.output
    assert made.stdout.startswith("No picture: it needs a terminal")
    assert f"{world.base}/#" in made.stdout
    code = code_in(made.stdout)
    assert len(code) == 11
    pixel = paired(world, code)
    offer = pixel.status()["offer"]
    assert offer["max_hours"] == "1.5"
    assert str(pixel.token) not in made.output
    assert login.times >= 1
    assert "--resource https://vault.azure.net" in login.asked.read_text()


def test_pairing_again_keeps_the_token(world: World, run: Command) -> None:
    """A second phone page of the same device gets the same token by a new code."""
    world.tick()
    first = paired(world, code_in(run("pair", "pixel").stdout))
    second = paired(world, code_in(run("pair", "pixel").stdout))
    third = paired(world, code_in(run("code", "pixel").stdout))
    assert first.token == second.token == third.token


@pytest.mark.parametrize(
    "arguments", [("--scope", "operator"), ("--max-hours", "3")], ids=["scope", "hours"]
)
def test_another_right_needs_another_token(
    world: World, run: Command, arguments: tuple[str, str]
) -> None:
    """A right that is widened in passing would be a surprise."""
    world.tick()
    run("pair", "pixel", "--max-hours", "1.5")
    made = run("pair", "pixel", *arguments)
    assert made.exit_code == 1
    assert made.stderr == (
        "Not done: pixel is there already, with scope phone and max_hours 1.5; revoke "
        "it first, or take another name.\n"
    )


def test_a_revoked_device_is_out_and_comes_back_with_another_token(
    world: World, run: Command
) -> None:
    """Within a minute it is told so; the old value is good for nothing ever again."""
    world.tick()
    old = paired(world, code_in(run("pair", "pixel").stdout))
    assert old.status()
    made = run("revoke", "pixel")
    assert made.stdout == ("Revoked: pixel. The switch refuses it within a minute.\n")
    world.minutes(1)
    refused = old.get("/status")
    assert refused.status_code == 401
    assert refused.json()["type"] == "/problems/token-revoked"
    listed = run("devices").stdout
    assert "pixel" in listed
    assert "revoked" in listed
    assert run("code", "pixel").exit_code == 1
    new = paired(world, code_in(run("pair", "pixel").stdout))
    assert new.token != old.token
    world.minutes(1)
    assert new.status()
    assert old.get("/status").status_code == 401


def test_devices_are_listed_without_their_tokens(world: World, run: Command) -> None:
    """Name, scope, longest session, and whether they count."""
    world.tick()
    run("pair", "pixel", "--max-hours", "1.5")
    world.minutes(1)
    lines = run("devices").stdout.splitlines()
    assert lines[0].split() == [
        "device",
        "scope",
        "max",
        "hours",
        "enabled",
        "last",
        "used",
    ]
    (pixel,) = (line for line in lines if line.startswith("pixel"))
    assert pixel.split() == ["pixel", "phone", "1.5", "yes", "never"]


def test_with_a_token_no_login_is_asked(
    world: World, run: Command, login: Login
) -> None:
    """CONTROL_TOKEN is enough for what writes nothing into the vault."""
    world.tick()
    made = run("code", "iphone", CONTROL_TOKEN=OPERATOR, KEY_VAULT_URL=None)
    assert made.exit_code == 0, made.output
    assert paired(world, code_in(made.stdout)).status()
    assert run("devices", CONTROL_TOKEN=OPERATOR, KEY_VAULT_URL=None).exit_code == 0
    unknown = run("pair", "pixel", CONTROL_TOKEN=OPERATOR, KEY_VAULT_URL=None)
    assert unknown.exit_code == 1
    assert "the environment lacks KEY_VAULT_URL" in unknown.stderr
    unknown = run("code", "pixel", CONTROL_TOKEN=OPERATOR, KEY_VAULT_URL=None)
    assert "there is no such device" in unknown.stderr
    assert login.times == 0


def test_the_login_is_asked_each_time_and_nothing_is_stored(
    world: World, run: Command, login: Login
) -> None:
    """A second command asks again."""
    world.tick()
    run("devices")
    once = login.times
    assert once >= 1
    run("devices")
    assert login.times == 2 * once
    names = {path.name for path in login.folder.iterdir()}
    assert names == {"az", "answer.json", "asked"}


def test_without_a_login_the_sentence_says_what_to_do(
    run: Command, login: Login
) -> None:
    """No traceback of an SDK."""
    (login.folder / "az").write_text(
        "#!/bin/sh\necho 'Please run az login' >&2\nexit 1\n"
    )
    made = run("devices", HOME=str(login.folder))
    assert made.exit_code == 1
    assert made.stderr == "Not done: there is no Azure login here: run `az login`.\n"


def test_a_vault_that_is_not_there_is_told(run: Command, login: Login) -> None:
    """Nobody listens at that port: what to look at, not the SDK's word for it."""
    del login
    made = run("pair", "pixel", KEY_VAULT_URL="https://127.0.0.1:9")
    assert made.exit_code == 1
    assert made.stderr.startswith("Not done: Azure does not answer, or nothing is at")


def test_the_switchs_own_no_is_not_said_twice(world: World, run: Command) -> None:
    """It begins with its own `Not ...`."""
    world.tick()
    made = run("devices", CONTROL_TOKEN=PHONE, KEY_VAULT_URL=None)
    assert made.stderr.startswith("Not allowed: only an operator may do this")


def test_what_is_missing_is_named_at_once(run: Command) -> None:
    """All of it, in one sentence."""
    made = run("devices", CONTROL_URL=None, KEY_VAULT_URL=None)
    assert made.exit_code == 1
    assert "CONTROL_URL" in made.stderr
    assert "KEY_VAULT_URL" in made.stderr


@pytest.mark.parametrize("name", ["a b", "x/y", "", "-x", "ü"])
def test_a_bad_name_is_a_wrong_call(run: Command, name: str) -> None:
    """It never becomes a secret's name or a part of an address."""
    assert run("pair", "--", name).exit_code == 2


def test_p13_nothing_but_a_post_of_the_code_spends_it(
    world: World, run: Command
) -> None:
    """P13: GET, HEAD and OPTIONS of every route leave the code as it is."""
    world.tick()
    code = code_in(run("code", "iphone").stdout)
    for route in ROUTES:
        path = route.path.replace("{", "").replace("}", "")
        for method in ("GET", "HEAD", "OPTIONS"):
            world.client.request(method, f"{world.base}{path}?code={code}")
    assert paired(world, code).status()


def test_p11_a_terminal_gets_the_picture(
    world: World, login: Login, tmp_path: Path
) -> None:
    """P11: the command's own output on a terminal of 80 x 24 is read by zbar."""
    if shutil.which("zbarimg") is None:
        pytest.skip("the system package zbar-tools is missing")
    del login
    world.tick()
    shown = _on_terminal(world, 24, 80)
    lines = shown.replace("\r\n", "\n").split("\n")
    blocks = [line for line in lines if "48;5;231" in line]
    assert 15 < len(blocks) <= 21
    assert len(lines) <= 24
    picture = tmp_path / "code.png"
    save(picture, rows("\n".join(blocks), DARK), DARK[1])
    address = read(picture)
    assert address.startswith(f"{world.base}/#")
    assert paired(world, address.rpartition("#")[2]).status()


@pytest.mark.parametrize(("lines", "columns"), [(18, 80), (24, 30)])
def test_p11_a_small_terminal_gets_no_cut_picture(
    world: World, login: Login, lines: int, columns: int
) -> None:
    """P11: the code as text, and a sentence."""
    del login
    world.tick()
    shown = _on_terminal(world, lines, columns)
    assert "48;5;231" not in shown
    assert "No picture:" in shown
    assert ": code " in shown
    assert "On the device open" in shown


def _on_terminal(world: World, lines: int, columns: int) -> str:
    """Run `code iphone` on a terminal of this size, and return what it printed."""
    leader, follower = pty.openpty()
    ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    environ = {
        "PATH": os.environ["PATH"],
        "TERM": "xterm-256color",
        "PYTHONIOENCODING": "utf-8",
        "CONTROL_URL": world.base,
        "CONTROL_TOKEN": OPERATOR,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "control", "code", "iphone"],
        cwd=ROOT,
        env=environ,
        stdin=follower,
        stdout=follower,
        stderr=follower,
    ) as command:
        os.close(follower)
        shown = _all_of(leader)
        assert command.wait(30) == 0, shown
    os.close(leader)
    return shown


def _all_of(leader: int) -> str:
    read_, end = b"", time.monotonic() + 60
    while time.monotonic() < end:
        try:
            read_ += os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
    return read_.decode()
