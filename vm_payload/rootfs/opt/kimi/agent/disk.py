"""The verb `disk`: local NVMe disks become one filesystem at /mnt/kimi, at every boot.

The disks are blank after a deallocation and keep their array over a plain reboot. Each
round reads how they are, does one step, and reads again; nothing goes into fstab, and
nothing can be written to the mount point while nothing is mounted there.
"""

import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from agent import array
from agent.array import (
    Assemble,
    Bind,
    Clear,
    Create,
    Format,
    Mount,
    Mounted,
    next_step,
)
from agent.command import Deadline, output, succeeds
from agent.devices import COLUMNS, Device, parse
from agent.errors import AgentError
from agent.lock import alone
from agent.site import Site

SECONDS = 240.0
ROUNDS = 7
_DEVICE = f"/dev/md/{array.NAME}"


def run(site: Site) -> str:
    """Bring the disks to where they belong, and say what was done."""
    deadline = Deadline(SECONDS)
    site.board.phase("disk")
    with alone(site.run / "state/disk.lock", "disks"):
        done = _brought(site.data, deadline)
        _make_folder(site.data / "models", site.agent)
        return done


def _make_folder(models: Path, agent: str) -> None:
    """Make the one folder that the other verbs may write to: they are not root."""
    models.mkdir(exist_ok=True)
    with suppress(LookupError):
        shutil.chown(models, agent, agent)


def _brought(mount: Path, deadline: Deadline) -> str:
    done: list[str] = []
    in_vain = False
    for _ in range(ROUNDS):
        devices = _devices(deadline)
        step = next_step(devices, _signed(devices, deadline), assembled_in_vain=in_vain)
        if isinstance(step, Mounted):
            return f"{mount} is mounted ({', '.join(done) or 'it was already'})."
        in_vain = isinstance(step, Assemble)
        done.append(_DO[type(step)](step, mount, deadline))
    raise AgentError(f"the disks do not settle: {', '.join(done)}.")


def _devices(deadline: Deadline) -> tuple[Device, ...]:
    succeeds(["udevadm", "settle", "--timeout=30"], deadline)
    return parse(output(["lsblk", "--json", "--output", COLUMNS], deadline))


def _signed(devices: tuple[Device, ...], deadline: Deadline) -> set[str]:
    """Ask the local disks themselves: what lsblk knows can be older."""
    paths = (each.path for each in array.local(devices))
    return {path for path in paths if _signature(path, deadline)}


def _signature(path: str, deadline: Deadline) -> str:
    asked = ["wipefs", "--no-act", "--noheadings", "--output", "TYPE", path]
    return output(asked, deadline).strip()


def _mount(step: Mount, mount: Path, deadline: Deadline) -> str:
    _guard(mount, deadline)
    options = "noatime,nodev,nosuid"
    output(["mount", "-o", options, step.array, str(mount)], deadline)
    return f"mounted {step.array}"


def _bind(step: Bind, mount: Path, deadline: Deadline) -> str:
    _guard(mount, deadline)
    output(["mount", "--bind", step.place, str(mount)], deadline)
    return f"adopted {step.place}"


def _guard(mount: Path, deadline: Deadline) -> None:
    """Make the mount point, and let nobody write to it while it is one."""
    mount.mkdir(parents=True, exist_ok=True)
    output(["chattr", "+i", str(mount)], deadline)


def _assemble(step: Assemble, mount: Path, deadline: Deadline) -> str:
    """Whether it worked is read from the disks, not from mdadm."""
    del mount
    _let_go(deadline)
    succeeds(["mdadm", "--assemble", _DEVICE, *step.members], deadline)
    return "assembled the array"


def _let_go(deadline: Deadline) -> None:
    """Stop what udev has begun with too few disks: it holds them, and lsblk hides it.

    An array that is mounted is not stopped.
    """
    succeeds(["mdadm", "--stop", "--scan"], deadline)


def _clear(step: Clear, mount: Path, deadline: Deadline) -> str:
    del mount
    _let_go(deadline)
    output(["mdadm", "--zero-superblock", *step.members], deadline)
    return "cleared what was left of an array"


def _create(step: Create, mount: Path, deadline: Deadline) -> str:
    del mount
    count = f"--raid-devices={len(step.members)}"
    made = ["mdadm", "--create", _DEVICE, "--run", "--force", "--level=0", count]
    output([*made, f"--name={array.NAME}", *step.members], deadline)
    return f"made an array of {len(step.members)} disks"


def _format(step: Format, mount: Path, deadline: Deadline) -> str:
    del mount
    output(["mkfs.xfs", "-q", "-L", array.LABEL, step.array], deadline)
    return "made the filesystem"


_DO: Mapping[type, Callable[[Any, Path, Deadline], str]] = {
    Mount: _mount,
    Bind: _bind,
    Assemble: _assemble,
    Clear: _clear,
    Create: _create,
    Format: _format,
}
