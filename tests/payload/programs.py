"""What the stand-in programs do to the one machine that they share: see machine.py."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

State = dict[str, Any]

_ARRAY = {"name": "md127", "path": "/dev/md127", "type": "raid0"}
_HIDDEN = {"asleep", "begun", "signed"}
_BLANK = dict.fromkeys(("model", "fstype", "pttype", "label"))


def lsblk(state: State, *_: str) -> None:
    """Print the disks; what sleeps on them is not shown."""
    shown = [
        {key: value for key, value in each.items() if key not in _HIDDEN}
        for each in state["disks"]
    ]
    sys.stdout.write(json.dumps({"blockdevices": shown}))


def wipefs(state: State, *arguments: str) -> None:
    """Print the type of a signature."""
    each = _disk(state, arguments[-1])
    sys.stdout.write(each.get("signed") or each["fstype"] or each["pttype"] or "")


def mdadm(state: State, verb: str, *arguments: str) -> None:
    """Create, stop, assemble and clear, as mdadm 4 does."""
    paths = [each for each in arguments if each.startswith("/dev/")]
    disks = [_disk(state, path) for path in paths if path != "/dev/md/kimi"]
    if any(each.get("begun") for each in disks):
        sys.exit("Device or resource busy")
    _MDADM[verb](disks or state["disks"])


def _create(disks: list[State]) -> None:
    array = _ARRAY | _BLANK | {"mountpoints": [None]}
    for each in disks:
        each |= {"fstype": "linux_raid_member", "label": "vm-kimi-01:kimi"}
        each |= {"of": len(disks), "children": [array]}


def _stop(disks: list[State]) -> None:
    for each in disks:
        each.pop("begun", None)


def _assemble(disks: list[State]) -> None:
    if any(each.get("of") != len(disks) for each in disks):
        sys.exit(1)
    for each in disks:
        each["children"] = [each.pop("asleep")]


def _clear(disks: list[State]) -> None:
    for each in disks:
        each |= {"fstype": None, "label": None}
        each.pop("asleep", None)


_MDADM: dict[str, Callable[[list[State]], None]] = {
    "--assemble": _assemble,
    "--create": _create,
    "--stop": _stop,
    "--zero-superblock": _clear,
}


def mkfs(state: State, *arguments: str) -> None:
    """Make a filesystem on an array."""
    label = arguments[arguments.index("-L") + 1]
    for array in _arrays(state, arguments[-1]):
        array |= {"fstype": "xfs", "label": label}


def mount(state: State, *arguments: str) -> None:
    """Mount an array, or a place of one once more."""
    *_, source, target = arguments
    place = "/" + "/".join(Path(target).parts[-2:])
    for array in _arrays(state, source):
        array["mountpoints"] = [*filter(None, array["mountpoints"]), place]


def nothing(state: State, *arguments: str) -> None:
    """Do nothing: `chattr` and `udevadm` are only called."""
    del state, arguments


_PROGRAMS: dict[str, Callable[..., None]] = {
    "lsblk": lsblk,
    "wipefs": wipefs,
    "mdadm": mdadm,
    "mkfs.xfs": mkfs,
    "mount": mount,
}


def _disk(state: State, path: str) -> dict[str, Any]:
    found: dict[str, Any] = next(e for e in state["disks"] if e["path"] == path)
    return found


def _arrays(state: State, source: str) -> list[dict[str, Any]]:
    """Return the array of a path, or of a place, below each of its members."""
    named = {"/dev/md/kimi": "/dev/md127"}.get(source, source)
    found = [
        child
        for each in state["disks"]
        for child in each.get("children", ())
        if child["path"] == named or named in child["mountpoints"]
    ]
    return found or sys.exit(1)


def main(folder: Path, name: str, *arguments: str) -> None:
    """Be one program for once."""
    with (folder / "log").open("a") as log:
        log.write(" ".join((name, *arguments)) + "\n")
    place = folder / "state.json"
    state = json.loads(place.read_text())
    if name in state["fails"]:
        sys.exit("it can't be done")
    _PROGRAMS.get(name, nothing)(state, *arguments)
    place.write_text(json.dumps(state))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
