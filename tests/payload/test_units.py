"""The units, as the real systemd reads them: whole, bounded and hardened."""

import configparser
import re
import shutil
import subprocess

import pytest
from agent import disk

from tests.payload.agent import AGENT

UNITS = AGENT.parents[1] / "etc/systemd/system"
NAMES = sorted(path.name for path in UNITS.glob("*.service"))
# The first where root or devices are needed, the second elsewhere.
MOST_EXPOSED = {"kimi-disk.service": 6.0}
needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None,
    reason="the system package systemd is missing",
)


def unit(name: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(UNITS / name)
    return parser


def seconds(said: str) -> float:
    """Read a time span of ours: `20s`, `5min`."""
    number, word = re.fullmatch(r"(\d+)(s|min)", said).groups()  # type: ignore[union-attr]
    return float(number) * {"s": 1, "min": 60}[word]


@needs_systemd
@pytest.mark.parametrize("name", NAMES)
def test_systemd_takes_it(name: str) -> None:
    """No unknown word, no dependency that is not there."""
    done = analyze("verify", "--man=no", str(UNITS / name))
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
@pytest.mark.parametrize("name", NAMES)
def test_it_is_hardened(name: str) -> None:
    """By systemd's own count."""
    done = analyze("security", "--offline=yes", "--no-pager", str(UNITS / name))
    exposed = re.search(r"exposure level for .*: ([\d.]+)", done.stdout)
    assert exposed is not None, done.stderr
    assert float(exposed[1]) <= MOST_EXPOSED.get(name, 3.0)


@pytest.mark.parametrize("name", NAMES)
def test_it_ends_in_time_and_gives_up(name: str) -> None:
    """A oneshot has a limit above its verb's own, and its start limit really trips."""
    said = unit(name)
    service, whole = said["Service"], said["Unit"]
    limit = seconds(service["TimeoutStartSec"])
    assert limit > disk.SECONDS
    tries = int(whole["StartLimitBurst"])
    slowest = tries * (limit + seconds(service["RestartSec"]))
    assert slowest < seconds(whole["StartLimitIntervalSec"])
    assert "sh -c" not in service["ExecStart"]


def analyze(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["systemd-analyze", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
