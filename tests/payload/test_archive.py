"""The payload's archive: the same bytes everywhere, and what differs between two."""

import os
import shutil
import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control.errors import CommandError
from control.payload import archive, units
from control.payload.bundle import ROOTFS

EXTRA = {"etc/kimi-pins.env": b"MODEL_REV=1\n"}
UNIT = "etc/systemd/system/kimi-disk.service"


def test_it_is_the_same_in_another_checkout(tmp_path: Path) -> None:
    """Whatever times, modes and caches a checkout has."""
    made = archive.build(ROOTFS, EXTRA)
    copy = tmp_path / "elsewhere"
    shutil.copytree(ROOTFS, copy, symlinks=True)
    (copy / "opt/kimi/agent/__pycache__").mkdir(exist_ok=True)
    (copy / "opt/kimi/agent/__pycache__/x.pyc").write_bytes(b"x")
    for path in copy.rglob("*"):
        os.utime(path, (0, 0))
        path.chmod(0o700 if path.is_dir() else 0o600)
    assert archive.build(copy, EXTRA) == made
    assert archive.sha256(made) == archive.sha256(archive.build(ROOTFS, EXTRA))


def test_the_real_tar_reads_it(tmp_path: Path) -> None:
    """Root's, readable, with the bit that makes a program."""
    (tmp_path / "tree/bin").mkdir(parents=True)
    (tmp_path / "tree/bin/program").write_text("#!/bin/sh\n")
    (tmp_path / "tree/bin/program").chmod(0o770)
    (tmp_path / "tree/masked").symlink_to("/dev/null")
    made = archive.build(tmp_path / "tree", EXTRA)
    listed = subprocess.run(
        ["tar", "-tvzf", "-"], input=made, check=True, capture_output=True
    )
    lines = [line.split() for line in listed.stdout.decode().splitlines()]
    told = [(line[0], line[1], " ".join(line[5:])) for line in lines]
    assert told == [
        ("-rwxr-xr-x", "root/root", "bin/program"),
        ("-rw-r--r--", "root/root", "etc/kimi-pins.env"),
        ("lrwxrwxrwx", "root/root", "masked -> /dev/null"),
    ]


def test_what_the_deployment_says_is_not_in_the_tree(tmp_path: Path) -> None:
    """Two truths of one file would be one too many."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/kimi-pins.env").write_text("MODEL_REV=2\n")
    with pytest.raises(CommandError, match="must not be in"):
        archive.build(tmp_path, EXTRA)


def test_what_the_machine_would_refuse_is_not_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here it is a sentence; there it would be a boot without a payload."""
    with pytest.raises(CommandError, match="is no name for an archive"):
        archive.build(tmp_path, {"x" * 300: b""})
    with monkeypatch.context() as small:
        small.setattr(archive, "_LARGEST", 1_000)
        with pytest.raises(CommandError, match="larger than"):
            archive.build(tmp_path, {"large": bytes(2_000)})
    for target in ("/etc/shadow", "../../etc/shadow"):
        (tmp_path / "link").symlink_to(target)
        with pytest.raises(CommandError, match="link leads out of the payload"):
            archive.build(tmp_path, {})
        (tmp_path / "link").unlink()


@pytest.mark.parametrize("body", [b"", b"PK\3\4", archive.build(ROOTFS, EXTRA)[:-9]])
def test_what_is_no_archive_is_said(body: bytes) -> None:
    """Cut, empty or something else."""
    with pytest.raises(CommandError, match="can't be read"):
        archive.listing(body)


@given(
    st.dictionaries(st.sampled_from("abcde"), st.binary(max_size=3)),
    st.dictionaries(st.sampled_from("abcde"), st.binary(max_size=3)),
)
def test_differences_are_those_of_the_contents(
    before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    """Added, changed and removed, and together all that differ."""
    empty = ROOTFS / "usr/lib/tmpfiles.d"
    first, second = (
        archive.listing(archive.build(empty, files)) for files in (before, after)
    )
    found = archive.diff(first, second)
    assert set(found.added) == after.keys() - before.keys()
    assert set(found.removed) == before.keys() - after.keys()
    both = before.keys() & after.keys()
    assert set(found.changed) == {name for name in both if before[name] != after[name]}


def test_the_whole_payload_is_small() -> None:
    """It is fetched at a boot that costs 1.41 USD a minute."""
    made = archive.build(ROOTFS, EXTRA)
    assert len(made) < 2**20
    with tarfile.open(fileobj=BytesIO(made), mode="r:gz") as tar:
        assert all(member.mtime == 0 for member in tar)


def touched(*paths: str) -> tuple[str, ...]:
    contents = archive.contents(archive.build(ROOTFS, EXTRA))
    return units.touched(units.texts(contents), paths)


def test_a_unit_is_touched_by_its_file_alone() -> None:
    """Its neighbours go on."""
    assert touched(UNIT) == ("kimi-disk.service",)


def test_the_agent_touches_every_unit_that_runs_it() -> None:
    """The bootstrap runs none of it."""
    found = touched("opt/kimi/agent/web.py")
    assert {"kimi-lease.service", "kimi-failed@.service"} <= set(found)
    assert "kimi-bootstrap.service" not in found
    assert "kimi.target" not in found


def test_pins_touch_who_reads_them() -> None:
    """Through the drop-in that all services share."""
    found = touched("etc/systemd/system/kimi-.service.d/10-all.conf")
    assert "kimi-weights.service" in found
    assert all(name.startswith("kimi-") for name in found)
    assert touched("etc/kimi-pins.env") == found


def test_what_no_unit_names_touches_none() -> None:
    """A comment in the tree is no reason to restart a model."""
    assert touched("usr/share/doc/kimi") == ()
