"""A machine for the agent: its programs stand first on the PATH and share one state.

They do to the state what the real ones do to disks; `log` has every call. What they
print has the form of util-linux's and mdadm's own.
"""

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.payload.agent import Payload

if TYPE_CHECKING:
    import subprocess

TOOL = Path(__file__).with_name("programs.py")
NAMES = ("lsblk", "wipefs", "mdadm", "mkfs.xfs", "mount", "chattr", "udevadm")
DIRECT = "Microsoft NVMe Direct Disk v2"
ACCELERATOR = "MSFT NVMe Accelerator v1.0"

type Disk = dict[str, Any]


def disk(name: str, model: str | None = DIRECT, **more: Any) -> Disk:
    """One disk as lsblk prints it, blank but for what is said."""
    plain: Disk = {"name": name, "path": f"/dev/{name}", "type": "disk"}
    plain |= dict.fromkeys(("fstype", "pttype", "label"))
    return plain | {"model": model, "mountpoints": [None]} | more


def part(name: str, *mounted: str) -> Disk:
    """A partition with a filesystem."""
    made = disk(name, None, type="part", fstype="ext4", pttype="gpt")
    return made | {"mountpoints": list(mounted or (None,))}


def system(name: str = "sda", model: str = "Virtual Disk") -> Disk:
    """The disk that the machine boots from."""
    parts = [part(f"{name}1", "/"), part(f"{name}15", "/boot/efi")]
    return disk(name, model, pttype="gpt", children=parts)


class Machine:
    """One machine with these disks, in a folder of its own."""

    def __init__(self, folder: Path, *disks: Disk) -> None:
        self.folder = folder
        self.programs = folder / "programs"
        self.state = folder / "state.json"
        self.log = folder / "log"
        self.mount = folder / "mnt/kimi"
        self.python = sys.executable
        self.programs.mkdir()
        self.log.touch()
        for name in NAMES:
            (self.programs / name).write_text(
                f'#!/bin/sh\nexec {sys.executable} {TOOL} {folder} {name} "$@"\n'
            )
            (self.programs / name).chmod(0o755)
        self.put(*disks)

    def put(self, *disks: Disk) -> None:
        """Replace its disks, as a deallocation does."""
        self.state.write_text(json.dumps({"disks": disks, "fails": []}))

    def fail(self, *programs: str) -> None:
        """Let programs end with 1, and do nothing."""
        told = json.loads(self.state.read_text()) | {"fails": programs}
        self.state.write_text(json.dumps(told))

    @property
    def disks(self) -> list[Disk]:
        found: list[Disk] = json.loads(self.state.read_text())["disks"]
        return found

    def reboot(self) -> None:
        """Lose mounts and assembled arrays; the marks on the disks stay."""
        for each in (disks := self.disks):
            for child in each.pop("children", []):
                if child["type"] == "part":
                    each.setdefault("children", []).append(child)
                else:
                    each["asleep"] = child | {"mountpoints": [None]}
        self.put(*disks)

    @property
    def calls(self) -> list[str]:
        """What was called, but for what only looks."""
        looks = ("lsblk", "wipefs --no-act", "udevadm")
        return [
            line
            for line in self.log.read_text().splitlines()
            if not line.startswith(looks)
        ]

    def run(self, verb: str = "disk") -> "subprocess.CompletedProcess[str]":
        """Run a verb as the units do, with its folders in this one."""
        payload = Payload(
            self.folder, {"PATH": f"{self.programs}:{os.environ['PATH']}"}
        )
        payload.environ["KIMI_DATA"] = str(self.mount)
        payload.command = (self.python,)
        return payload.do(verb)
