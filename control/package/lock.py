"""The lock: every wheel that the app needs on Azure, by version and SHA-256.

requirements.txt names what we use; the lock names what that needs too. Azure builds
nothing: its builder was seen to take another Python than the app's.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from control.errors import CommandError

ROOT = Path(__file__).parents[2]
REQUIREMENTS = ROOT / "requirements.txt"
LOCK = ROOT / "requirements.lock"
PYTHON = (3, 13)
# Linux as Flex Consumption has it; the newest first, as pip prefers.
TARGET = (
    *("--platform", "manylinux_2_28_x86_64"),
    *("--platform", "manylinux_2_17_x86_64"),
    *("--platform", "manylinux2014_x86_64"),
    *("--python-version", ".".join(map(str, PYTHON))),
    *("--implementation", "cp"),
    *("--only-binary", ":all:"),
)
_HEAD = """\
# Made by `python -m control package lock` from requirements.txt: do not edit.
# What the app needs on Azure (Linux x86_64, Python 3.13), each by its one wheel.
"""
_SECONDS = 600
_NAME = re.compile(r"[-_.]+")


def resolved() -> str:
    """Ask the package index what requirements.txt needs now.

    Raises:
        CommandError: pip found no answer; its own last words say why.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        options = ["--quiet", "--dry-run", "--ignore-installed", "--target", folder]
        pip("install", *options, "--report", str(report), *TARGET, "-r", REQUIREMENTS)
        return text(json.loads(report.read_text()))


def text(report: dict[str, Any]) -> str:
    """Write pip's report as a file that `pip install --require-hashes` reads."""
    lines = sorted(map(_line, report["install"]))
    return _HEAD + "".join(f"{line}\n" for line in lines)


def _line(found: dict[str, Any]) -> str:
    about = found["metadata"]
    pin = _plain(f"{about['name']}=={about['version']}")
    sha256 = found["download_info"]["archive_info"]["hashes"]["sha256"]
    return f"{pin} --hash=sha256:{sha256}"


def faults(locked: str, required: str) -> list[str]:
    """Say which requirement is not in the lock as it is pinned."""
    pins = {_plain(line.partition(" ")[0]) for line in locked.splitlines()}
    wanted = (line.partition("#")[0].strip() for line in required.splitlines())
    return [each for each in wanted if each and _plain(each) not in pins]


def _plain(pin: str) -> str:
    """Write a name as all its spellings are meant, and leave the version."""
    name, equals, version = pin.partition("==")
    return f"{_NAME.sub('-', name).lower()}{equals}{version}"


def pip(*arguments: "str | Path") -> None:
    """Run pip of this very Python."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
    )
    if done.returncode != 0:
        last = " ".join(done.stderr.split())[-300:]
        raise CommandError(f"pip could not do it: {last or 'it said nothing'}.")
