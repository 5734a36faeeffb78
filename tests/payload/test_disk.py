"""The verb `disk`, on machines whose programs are stand-ins: what it takes."""

import fcntl
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from agent.array import LABEL, Create, next_step
from agent.devices import COLUMNS, parse
from agent.errors import AgentError
from hypothesis import given
from hypothesis import strategies as st

from tests.payload.machine import ACCELERATOR, DIRECT, Disk, Machine, disk, part, system
from tests.payload.older import OLDER, older

EIGHT = [f"nvme{number}n1" for number in range(1, 9)]
RAID = "linux_raid_member"
MADE = "made an array of 8 disks, made the filesystem, mounted /dev/md127"


def local(*names: str) -> list[Disk]:
    return [disk(name) for name in names or EIGHT]


def array(label: str | None, *mounted: str, filesystem: str | None = "xfs") -> Disk:
    """An array as the image, or a life before, has left it."""
    made = disk("md127", None, type="raid0", fstype=filesystem, label=label)
    return made | {"mountpoints": list(mounted or (None,))}


def carrying(of: Disk, name: str = "vm:kimi") -> list[Disk]:
    return [disk(each, fstype=RAID, label=name, children=[of]) for each in EIGHT]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """As after a deallocation: an OS disk, and eight blank local ones."""
    return Machine(tmp_path, system(), *local())


def test_blank_disks_become_the_mount(machine: Machine) -> None:
    """One array, one filesystem, a mount point that nobody can write to; no fstab."""
    done = machine.run()
    assert (done.returncode, done.stderr) == (0, "")
    assert MADE in done.stdout
    create, make, guard, mount = machine.calls
    assert create.startswith("mdadm --create /dev/md/kimi --run --force --level=0")
    assert create.endswith(" ".join(f"/dev/{name}" for name in EIGHT))
    assert make == f"mkfs.xfs -q -L {LABEL} /dev/md127"
    assert guard == f"chattr +i {machine.mount}"
    assert mount.startswith("mount -o noatime,nodev,nosuid /dev/md127")
    assert "/dev/sda" not in machine.log.read_text()


def test_a_second_run_does_nothing(machine: Machine) -> None:
    """However often it is called."""
    machine.run()
    calls = machine.calls
    again = machine.run()
    assert again.returncode == 0
    assert "it was already" in again.stdout
    assert machine.calls == calls


def test_a_plain_reboot_keeps_the_array(machine: Machine) -> None:
    """The seed's script ended with `not blank` here: nothing is made anew."""
    machine.run()
    machine.reboot()
    made = len(machine.calls)
    done = machine.run()
    assert done.returncode == 0, done.stderr
    assert "assembled the array, mounted /dev/md127" in done.stdout
    assert not [each for each in machine.calls[made:] if "mkfs" in each]


def test_f03_after_a_deallocation_everything_is_made_again(machine: Machine) -> None:
    """F03: what the OS disk remembers of the life before does not count."""
    machine.run()
    machine.put(system(), *local())
    assert MADE in machine.run().stdout


@pytest.mark.parametrize("by", ["/mnt/nvme", "/mnt/resource_nvme"])
def test_what_the_image_mounted_itself_is_adopted(machine: Machine, by: str) -> None:
    """Over all local disks, at its own place: shown at ours too."""
    of = array("scratch", by, filesystem="ext4")
    machine.put(system(), *carrying(of, "localhost:127"))
    done = machine.run()
    assert f"adopted {by}" in done.stdout
    assert machine.calls[-1] == f"mount --bind {by} {machine.mount}"


def test_a_crash_before_the_filesystem_is_mended(machine: Machine) -> None:
    """The array is ours by its members' mark; it only lacks its filesystem."""
    machine.fail("mkfs.xfs")
    assert machine.run().returncode == 1
    machine.fail()
    assert "(made the filesystem, mounted /dev/md127)" in machine.run().stdout


def test_an_array_that_lost_disks_is_made_anew(machine: Machine) -> None:
    """A host moved four of its disks: no data can be left in a stripe."""
    machine.run()
    machine.reboot()
    before = machine.disks[:5]
    machine.put(*before, *local(*EIGHT[4:]))
    done = machine.run()
    assert done.returncode == 0, done.stderr
    assert "cleared what was left of an array, made an array of 8 disks" in done.stdout


def test_an_array_that_was_begun_with_too_few_disks_is_let_go(machine: Machine) -> None:
    """Udev puts together what it finds; that holds the disks, and lsblk hides it."""
    machine.run()
    machine.reboot()
    before = [each | {"begun": True} for each in machine.disks[:5]]
    machine.put(*before, *local(*EIGHT[4:]))
    done = machine.run()
    assert done.returncode == 0, done.stderr
    assert "made an array of 8 disks" in done.stdout


HELD: dict[str, tuple[Disk, str]] = {
    "a filesystem": (disk("nvme4n1", fstype="xfs", label="data"), "holds xfs “data”"),
    "partitions": (disk("nvme4n1", children=[part("nvme4n1p1")]), "has partitions"),
    "a partition table": (disk("nvme4n1", pttype="gpt"), "has partitions"),
    "a mount": (disk("nvme4n1", mountpoints=["/data"]), "is mounted at /data"),
    "a signature": (disk("nvme4n1", signed="LVM2_member"), "carries a signature"),
    "another array": (disk("nvme4n1", fstype=RAID, label="db:0"), "holds linux_raid"),
}


@pytest.mark.parametrize("what", HELD)
def test_f01_what_holds_data_is_refused(machine: Machine, what: str) -> None:
    """F01: one local disk that is not blank keeps all of them as they are."""
    held, words = HELD[what]
    machine.put(system(), *local(*EIGHT[:3]), held, *local(*EIGHT[4:]))
    done = machine.run()
    assert done.returncode == 1
    assert done.stderr.startswith(f"disk: the local disk /dev/nvme4n1 {words}")
    assert "nothing was changed" in done.stderr
    assert machine.calls == []


@pytest.mark.parametrize(
    "of",
    [array("scratch"), array(None, filesystem="btrfs"), array("data", "/data")],
    ids=["unmounted", "another filesystem", "not over all disks"],
)
def test_another_array_is_refused(machine: Machine, of: Disk) -> None:
    """It is neither ours nor the image's own."""
    machine.put(system(), *carrying(of, "db:0")[:7], disk("nvme8n1"))
    done = machine.run()
    assert done.returncode == 1
    assert "which is not ours; nothing was changed" in done.stderr
    assert machine.calls == []


@pytest.mark.parametrize("at", [0, 8])
def test_f01_the_os_disk_may_be_nvme_at_any_number(machine: Machine, at: int) -> None:
    """F01: by model, and never a parent of `/`, even with a local disk's model."""
    names = [f"nvme{number}n1" for number in range(9)]
    root = names.pop(at)
    for model in (ACCELERATOR, DIRECT):
        data = disk("nvme9n1", ACCELERATOR, fstype=None)
        machine.put(system(root, model), *local(*names), data)
        assert "made an array of 8 disks" in machine.run().stdout
        assert not any(root in call or "nvme9n1" in call for call in machine.calls)


def test_f01_no_local_disk_is_said(machine: Machine) -> None:
    """F01: a machine of another size; nothing is formatted instead."""
    machine.put(system(), disk("nvme0n1", ACCELERATOR))
    done = machine.run()
    assert done.returncode == 1
    assert "no local NVMe disk was found" in done.stderr
    assert machine.calls == []


def test_something_else_at_our_place_is_refused(machine: Machine) -> None:
    """A disk of somebody's at /mnt/kimi is not the NVMe."""
    machine.put(system(), *local(), disk("sdc", None, mountpoints=["/mnt/kimi"]))
    assert "no local disk is mounted at /mnt/kimi" in machine.run().stderr


@pytest.mark.parametrize("program", ["lsblk", "mdadm", "mount", "chattr", "wipefs"])
def test_a_program_that_fails_is_named(machine: Machine, program: str) -> None:
    """One sentence with its own last words; the next run goes on from there."""
    machine.fail(program)
    done = machine.run()
    assert done.returncode == 1
    assert f"`{program}" in done.stderr
    assert done.stderr.count("\n") == 1
    machine.fail()
    assert machine.run().returncode == 0


def test_two_at_once_do_not_meet(machine: Machine) -> None:
    """The second ends with a sentence: a unit and a person, say."""
    state = machine.folder / "run/state"
    state.mkdir(parents=True)
    with (state / "disk.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another run is at work" in machine.run().stderr
    assert machine.run().returncode == 0


@pytest.mark.parametrize("version", OLDER)
def test_older_pythons_run_it_too(machine: Machine, version: str) -> None:
    """Ubuntu 24.04 has 3.12."""
    machine.python = older(version)
    done = machine.run()
    assert done.returncode == 0, done.stderr


def test_what_a_real_lsblk_prints_is_read() -> None:
    """Of this machine, which has no local NVMe disk of Azure's."""
    printed = subprocess.run(
        ["lsblk", "--json", "--output", COLUMNS],
        check=True,
        capture_output=True,
        text=True,
    )
    with pytest.raises(AgentError, match="no local NVMe disk was found"):
        next_step(parse(printed.stdout))


@pytest.mark.parametrize("printed", ["", "{}", '{"blockdevices": [{}]}', "[1]"])
def test_what_cannot_be_read_is_said(printed: str) -> None:
    """Never a guess about disks."""
    with pytest.raises(AgentError, match="can't be read"):
        parse(printed)


def trees() -> st.SearchStrategy[list[Disk]]:
    """Any disks with any marks, models and mounts."""
    marks: dict[str, Any] = {
        "fstype": st.sampled_from([None, "xfs", RAID]),
        "pttype": st.sampled_from([None, None, "gpt"]),
        "label": st.sampled_from([None, "vm:kimi", "data", LABEL]),
        "model": st.sampled_from([DIRECT, DIRECT, ACCELERATOR, None]),
        "mountpoints": st.sampled_from([[None], [None], ["/"], ["/data"]]),
    }
    one = st.fixed_dictionaries(marks)
    return st.lists(one, min_size=1, max_size=6).map(
        lambda found: [disk(f"nvme{at}n1", **each) for at, each in enumerate(found)]
    )


@given(disks=trees())
def test_f01_only_blank_local_disks_are_ever_taken(disks: list[Disk]) -> None:
    """F01: of whatever disks there are, in whatever state."""
    try:
        step = next_step(parse(json.dumps({"blockdevices": disks})))
    except AgentError:
        return
    if isinstance(step, Create):
        by_path = {each["path"]: each for each in disks}
        for path in step.members:
            taken = by_path[path]
            marks = (taken["fstype"], taken["pttype"], taken["mountpoints"])
            assert (*marks, taken["model"]) == (None, None, [None], DIRECT)
