"""A machine whose PID 1 is a real systemd: this system's programs, changes in memory.

Its root is an overlay on this system's, or on the folder of another distribution that
BOOT_ROOT names, with no unit enabled but ours; it shares the loopback, and its clock
begins at its boot. systemd-nspawn and the overlay need root.
"""

import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

SECONDS = 60.0
# cloud-init's services, under the names that one version or another has.
_CLOUD_INIT = (
    *("cloud-init-local", "cloud-init", "cloud-init-main", "cloud-init-network"),
    *("cloud-config", "cloud-final"),
)
# The loopback is another's; a locale would be generated, and none is there.
_CLOUD = """\
datasource_list: [NoCloud]
network: {config: disabled}
locale: false
"""


def missing() -> str | None:
    """Say why no machine can be booted here; None where it can."""
    if os.geteuid() != 0:
        return "a container needs root"
    if shutil.which("systemd-nspawn") is None:
        return "the system package systemd-container is missing"
    return None


class Container:
    """One machine; `root` is its OS disk, which outlives `off`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "root"
        self._process: subprocess.Popen[bytes] | None = None
        self._leader = 0

    def make(self) -> None:
        """Mount the OS disk of a new machine."""
        memory = self.folder / "memory"
        for each in (memory, self.root):
            each.mkdir(parents=True)
        _run("mount", "-t", "tmpfs", "tmpfs", str(memory))
        for name in ("upper", "work"):
            (memory / name).mkdir()
        base = os.environ.get("BOOT_ROOT", "/")
        layers = f"lowerdir={base},upperdir={memory}/upper,workdir={memory}/work"
        _run("mount", "-t", "overlay", "overlay", "-o", layers, str(self.root))
        self._make_plain()

    def _make_plain(self) -> None:
        """Take away what is enabled there, and what it is called."""
        units = self.root / "etc/systemd/system"
        shutil.rmtree(units)
        units.mkdir()
        shutil.rmtree(self.root / "var/lib/cloud", ignore_errors=True)
        self.write("etc/fstab", "")
        self.write("etc/machine-id", "")
        self.write("etc/cloud/cloud.cfg.d/90-container.cfg", _CLOUD)
        there = self.root / "lib/systemd/system"
        services = [f"{each}.service" for each in _CLOUD_INIT]
        found = [each for each in services if (there / each).exists()]
        _run("systemctl", "--quiet", f"--root={self.root}", "enable", *found)

    def remove(self) -> None:
        """Switch it off, and throw its disk away."""
        self.off()
        for each in (self.root, self.folder / "memory"):
            if each.is_mount():
                _run("umount", str(each))

    def write(self, name: str, content: str, mode: int = 0o644) -> None:
        """Put a file on its disk."""
        place = self.root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
        place.chmod(mode)

    def read(self, name: str) -> str:
        return (self.root / name).read_text()

    def seed(self, user_data: str, instance: str) -> None:
        """Give cloud-init its custom data and the machine an instance id."""
        place = "var/lib/cloud/seed/nocloud"
        self.write(f"{place}/user-data", user_data)
        self.write(f"{place}/meta-data", f"instance-id: {instance}\n")

    def boot(self, uptime: float = 0) -> None:
        """Switch it on, so many seconds after its boot by its own clock."""
        since = time.clock_gettime(time.CLOCK_BOOTTIME)
        clock = f"--boottime={int(uptime - since)}"
        nspawn = [
            *("systemd-nspawn", "--quiet", "--boot", f"--directory={self.root}"),
            *("--machine=vm-kimi-01", "--register=no", "--keep-unit"),
            *("--resolv-conf=off", "--console=pipe", "--kill-signal=SIGRTMIN+4"),
        ]
        with (self.folder / "console").open("ab") as console:
            self._process = subprocess.Popen(
                ["unshare", "--time", "--fork", "--kill-child", clock, *nspawn],
                env={"SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1", **os.environ},
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
            )
        end = time.monotonic() + SECONDS
        while not self._is_up(self._process.pid):
            assert self._process.poll() is None, "it did not boot"
            assert time.monotonic() < end, "it does not boot"
            threading.Event().wait(0.1)

    def _is_up(self, starter: int) -> bool:
        """Whether its systemd answers: nspawn's child, the starter's grandchild."""
        pids = [str(starter)]
        for _ in range(2):
            place = Path(f"/proc/{pids[0]}/task/{pids[0]}/children")
            pids = place.read_text().split() if place.exists() else []
            if not pids:
                return False
        self._leader = int(pids[0])
        return self.do("systemctl", "show", "--property=Version").returncode == 0

    def off(self) -> None:
        """Switch it off, as a deallocation does; its memory is gone."""
        if self._process is None:
            return
        if self._leader:
            self.do("systemctl", "poweroff", "--force", "--force")
        try:
            self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        self._process = None
        self._leader = 0

    def do(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """Run a program in it."""
        inside = ["nsenter", f"--target={self._leader}", "--all", "--", *command]
        return subprocess.run(
            inside, check=False, capture_output=True, text=True, timeout=SECONDS
        )

    def mask(self, unit: str) -> None:
        """Let a unit never run, while the machine is off."""
        _run("systemctl", "--quiet", f"--root={self.root}", "mask", unit)

    def show(self, unit: str, name: str) -> str:
        """Return a property of a unit."""
        said = self.do("systemctl", "show", "--value", f"--property={name}", unit)
        return said.stdout.strip()

    def journal(self, unit: str) -> str:
        """Return what a unit said, and what systemd said of it."""
        return self.do("journalctl", "--output=cat", f"--unit={unit}").stdout


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
