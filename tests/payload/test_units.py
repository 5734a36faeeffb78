"""The units, as the real systemd reads them: whole, ordered, bounded and hardened."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent import disk, heartbeat, keep
from agent.__main__ import VERBS
from agent.progress import QUIET

from tests.payload.agent import AGENT

ROOTFS = AGENT.parents[1]
UNITS = ROOTFS / "etc/systemd/system"
SERVICES = sorted(path.name for path in UNITS.glob("*.service"))
ALL = sorted(path.name for path in UNITS.iterdir() if path.is_file())
# Where root or devices are needed; 3.0 elsewhere.
MOST_EXPOSED = {"kimi-disk.service": 6.0, "kimi-bootstrap.service": 6.0}
# They may never give up, so they have no limit that could stop them for good.
FOR_EVER = {
    "kimi-bootstrap.service",
    "kimi-failed@.service",
    "kimi-heartbeat.service",
    "kimi-lease.service",
    "kimi-secrets.service",
    "kimi-watch.service",
}
# They come with the custom data, and run nothing of the payload.
OURS = {"kimi-bootstrap.service", "kimi-watch.service"}
NEXT = {
    "kimi-disk.service": "kimi-bootstrap.service",
    "kimi-weights.service": "kimi-disk.service",
    "kimi-secrets.service": "kimi-bootstrap.service",
    "kimi-heartbeat.service": "kimi-secrets.service",
}
MINUTE = 60.0
DAY = 24 * 60 * MINUTE
# A boot that is longer than its cap is over.
LONGEST_BOOT = 4 * 60 * MINUTE
needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None,
    reason="the system package systemd is missing",
)


def unit(name: str) -> dict[str, list[str]]:
    """Read a unit: each key with all its values, in order."""
    said: dict[str, list[str]] = {}
    for line in (UNITS / name).read_text().splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            said.setdefault(key, []).append(value)
    return said


def seconds(said: str) -> float:
    """Read a time span of ours: `20s`, `5min`, `1d`."""
    number, word = re.fullmatch(r"(\d+)(s|min|d)", said).groups()  # type: ignore[union-attr]
    return float(number) * {"s": 1, "min": MINUTE, "d": DAY}[word]


def analyze(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["systemd-analyze", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{UNITS}:"},
    )


@needs_systemd
def test_systemd_takes_all_of_them() -> None:
    """No unknown word, no dependency that is not there, no circle."""
    names = [name.replace("@.", "@kimi-disk.") for name in ALL]
    done = analyze("verify", "--man=no", *(str(UNITS / name) for name in names))
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
@pytest.mark.parametrize("name", SERVICES)
def test_it_is_hardened(name: str) -> None:
    """By systemd's own count, with what the drop-in for all of them says."""
    rooted = f"--root={ROOTFS}"
    done = analyze(rooted, "security", "--offline=yes", "--no-pager", name)
    exposed = re.search(r"exposure level for .*: ([\d.]+)", done.stdout)
    assert exposed is not None, done.stderr
    assert float(exposed[1]) <= MOST_EXPOSED.get(name, 3.0)


@pytest.mark.parametrize("name", SERVICES)
def test_a_oneshot_has_a_limit_in_time(name: str) -> None:
    """F09: one that hangs in `activating` would never run again."""
    said = unit(name)
    if said["Type"] == ["oneshot"]:
        assert seconds(said["TimeoutStartSec"][0]) <= 20 * MINUTE
    else:
        assert seconds(said["TimeoutStopSec"][0]) <= MINUTE


@pytest.mark.parametrize("name", sorted(set(SERVICES) - FOR_EVER))
def test_f15_its_restart_limit_really_trips(name: str) -> None:
    """F15: on fast failures, and on the slowest; then it is reported."""
    said = unit(name)
    tries = int(said["StartLimitBurst"][0])
    interval = seconds(said["StartLimitIntervalSec"][0])
    limit = seconds(said["TimeoutStartSec"][0])
    # One that asks for more time may take a whole boot, all tries together.
    slowest = LONGEST_BOOT if "NotifyAccess" in said else tries * limit
    assert slowest + tries * seconds(said["RestartSec"][0]) < interval
    assert said["OnFailure"] == ["kimi-failed@%n.service"]


@pytest.mark.parametrize("name", sorted(FOR_EVER))
def test_what_must_go_on_has_no_limit(name: str) -> None:
    """And no restart of it comes without a pause."""
    said = unit(name)
    assert said["StartLimitIntervalSec"] == ["0"]
    assert "StartLimitBurst" not in said
    if "Restart" in said:
        assert seconds(said["RestartSec"][0]) >= 2
    else:
        assert (UNITS / name).with_suffix(".timer").exists()


def test_limits_lie_above_the_verbs_own() -> None:
    """Systemd ends what the verb itself did not end in time."""
    assert seconds(unit("kimi-disk.service")["TimeoutStartSec"][0]) > disk.SECONDS
    assert seconds(unit("kimi-weights.service")["TimeoutStartSec"][0]) >= QUIET
    watched = unit("kimi-heartbeat.service")["WatchdogSec"][0]
    assert seconds(watched) > heartbeat.EVERY + 30
    watched = unit("kimi-lease.service")["WatchdogSec"][0]
    assert seconds(watched) > keep.LONGEST_STEP


@pytest.mark.parametrize("name", NEXT)
def test_the_chain_is_ordered(name: str) -> None:
    """Each after the one that it needs; none fails because another one did."""
    said = unit(name)
    assert NEXT[name] in " ".join(said["After"]).split()
    assert "Requires" not in said
    assert "BindsTo" not in said


def test_the_lease_waits_for_nobody() -> None:
    """Not for the network, not for the vault, not for the disks."""
    assert {"After", "Requires", "Wants", "BindsTo"}.isdisjoint(
        unit("kimi-lease.service")
    )


def test_f04_what_needs_the_disks_says_so() -> None:
    """F04: and no container starts by itself."""
    assert unit("kimi-weights.service")["RequiresMountsFor"] == ["/mnt/kimi"]
    for path in files():
        assert "--restart" not in path.read_text()


@pytest.mark.parametrize("name", SERVICES)
def test_it_calls_one_verb_without_a_shell(name: str) -> None:
    """No inline shell, and a verb that there is."""
    (start,) = unit(name)["ExecStart"]
    if name in OURS:
        program = start.removeprefix("/usr/bin/python3 -I /").removesuffix(" watch")
        assert (ROOTFS / program).exists()
        return
    verb = start.removeprefix("/usr/bin/python3 -m agent ")
    assert name in {f"kimi-{verb}.service", f"kimi-{verb}@.service"}
    assert verb in VERBS


@pytest.mark.parametrize("name", ALL)
def test_the_target_wants_it(name: str) -> None:
    """Enabled, it comes with every boot; what is started by others is not."""
    wanted = {"kimi.target", "multi-user.target"}
    if "@" not in name:
        assert set(unit(name)["WantedBy"]) <= wanted
    assert "#" in (UNITS / name).read_text(), "why it is there"


def test_every_verb_has_its_unit() -> None:
    """And none is forgotten in the README."""
    readme = (ROOTFS.parent / "README.md").read_text()
    for verb in VERBS:
        assert {f"kimi-{verb}.service", f"kimi-{verb}@.service"} & set(SERVICES)
    for name in SERVICES:
        assert f"**`{name}`**" in readme


def test_the_board_is_for_root_and_the_agent() -> None:
    """What tmpfiles makes is what the units may write to."""
    lines = (ROOTFS / "usr/lib/tmpfiles.d/kimi.conf").read_text().splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    made = {row[1]: (row[2], row[3], row[4]) for row in rows}
    assert made["/run/kimi/state"] == ("0775", "root", "kimi")
    assert made["/run/kimi/secrets"] == ("0750", "root", "kimi")


def files() -> Iterator[Path]:
    yield from (path for path in UNITS.rglob("*") if path.is_file())
