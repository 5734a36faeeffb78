"""The verb `weights`, on real blobs: right files at the end, whatever comes between."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from agent import weights
from agent.errors import AgentError
from agent.marker import NAME as MARKER

from tests.payload.agent import Payload
from tests.payload.hub import FakeHub
from tests.payload.older import OLDER, older
from tests.payload.weights import MODEL, REVISION, SHARDS, Blobs

FIRST = "model-00001-of-000064.safetensors"
LAST = "model-00064-of-000064.safetensors"
ALL = len(MODEL.files)
NO_AZCOPY = {"PATH": "/usr/bin:/bin"}


def folder(payload: Payload) -> Path:
    return payload.folder / "data/models" / MODEL.folder


def stands(payload: Payload) -> bool:
    """Whether every file is there with its bytes, the marker, and nothing else."""
    found = {
        str(path.relative_to(folder(payload))): path.read_bytes()
        for path in folder(payload).rglob("*")
        if path.is_file()
    }
    marker = found.pop(MARKER, None)
    return marker is not None and found == MODEL.files


def wrong(body: bytes) -> bytes:
    """Keep the size, and zero the tail."""
    return body[:-64] + bytes(64)


def reboot(payload: Payload) -> None:
    """Give the marker the id of another boot, as a plain reboot does."""
    place = folder(payload) / MARKER
    said = json.loads(place.read_text()) | {"boot": "of another boot"}
    place.write_text(json.dumps(said))


def test_blobs_become_verified_files(payload: Payload, blobs: Blobs) -> None:
    """All of them; the marker names the revision; the phase told how far it is."""
    blobs.fill()
    done = payload.do("weights")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{SHARDS} shards are whole, {ALL} of {ALL} files" in done.stdout
    assert stands(payload)
    said = json.loads((folder(payload) / MARKER).read_text())
    assert said["revision"] == REVISION
    assert payload.phase["phase"] == "weights"
    assert payload.phase["progress"] == 1.0
    assert payload.phase["detail"].startswith("64 of 64 shards, 0 of 1 GB")


def test_a_second_run_of_one_boot_believes_the_marker(
    payload: Payload, blobs: Blobs
) -> None:
    """It does nothing; the same boot has read every byte."""
    blobs.fill()
    payload.do("weights")
    again = payload.do("weights")
    assert "verified in this boot already" in again.stdout
    assert stands(payload)


def test_f03_a_reboot_reads_everything_and_brings_nothing(
    payload: Payload, blobs: Blobs
) -> None:
    """F03: the disks kept the weights; what is right is not downloaded again."""
    blobs.fill()
    payload.do("weights")
    reboot(payload)
    blobs.remove(LAST)
    done = payload.do("weights", **NO_AZCOPY)
    assert f"0 of {ALL} files were brought" in done.stdout
    assert stands(payload)


def test_right_size_with_wrong_bytes_is_repaired(
    payload: Payload, blobs: Blobs
) -> None:
    """The seed's restore compared sizes: it would have served this."""
    blobs.fill()
    payload.do("weights")
    reboot(payload)
    place = folder(payload) / FIRST
    place.write_bytes(wrong(MODEL.files[FIRST]))
    done = payload.do("weights")
    assert f"1 of {ALL} files were brought" in done.stdout
    assert stands(payload)


def test_f03_a_half_filled_disk_is_completed(payload: Payload, blobs: Blobs) -> None:
    """F03: files that are whole stay, others come, and strangers go."""
    blobs.fill()
    half = dict(list(MODEL.files.items())[:30])
    folder(payload).mkdir(parents=True)
    for name, body in half.items():
        (folder(payload) / name).write_bytes(body)
    (folder(payload) / "sitecustomize.py").write_text("print('stranger')")
    done = payload.do("weights")
    assert f"{ALL - 30} of {ALL} files were brought" in done.stdout
    assert stands(payload)


def test_f03_blank_disks_are_filled_anew(payload: Payload, blobs: Blobs) -> None:
    """F03: after a deallocation nothing on the OS disk says that it is done."""
    blobs.fill()
    payload.do("weights")
    shutil.rmtree(payload.folder / "data")
    (payload.folder / "data/models").mkdir(parents=True)
    assert f"{ALL} of {ALL} files were brought" in payload.do("weights").stdout
    assert stands(payload)


PARTS = {
    "a right beginning": (MODEL.files[FIRST][:10_000], [10_000]),
    "a wrong beginning": (bytes(10_000), [10_000, 0]),
    "too long": (MODEL.files[FIRST] + b"more", [0]),
    "all of it": (MODEL.files[FIRST], []),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_file_that_was_cut_off_goes_on(
    payload: Payload, blobs: Blobs, hub: FakeHub, part: str
) -> None:
    """What is there of it is hashed; where that was wrong, the file comes anew."""
    content, begun = PARTS[part]
    blobs.fill()
    blobs.remove(FIRST)
    folder(payload).mkdir(parents=True)
    (folder(payload) / f"{FIRST}.part").write_bytes(content)
    assert payload.do("weights", **NO_AZCOPY).returncode == 0
    assert stands(payload)
    assert hub.ranges == [(FIRST, start) for start in begun]


def test_killed_in_the_middle_it_goes_on(payload: Payload, blobs: Blobs) -> None:
    """The seed's marker was one of the blobs: after this, it never tried again."""
    blobs.fill()
    with payload.start("weights") as process:
        while len(list(folder(payload).glob("*.safetensors"))) < 5:
            assert process.poll() is None
        process.kill()
    assert not (folder(payload) / MARKER).exists()
    assert payload.do("weights").returncode == 0
    assert stands(payload)


MANIFESTS: dict[str, tuple[Any, str]] = {
    "empty": (b"", "cut or empty"),
    "no files": ({"revision": REVISION, "files": []}, "0 of 64 shards"),
    "cut": (MODEL.manifest.text()[:3000], "cut or empty"),
}


@pytest.mark.parametrize("kind", MANIFESTS)
def test_a_manifest_that_is_not_whole_is_an_error(
    payload: Payload, blobs: Blobs, kind: str
) -> None:
    """The seed took an empty one for `nothing to do`, and ended with 0."""
    content, words = MANIFESTS[kind]
    blobs.fill()
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    blobs.put("manifest.json", text)
    done = payload.do("weights")
    assert done.returncode == 1
    assert words in done.stderr
    assert not folder(payload).exists()


@pytest.mark.parametrize("fault", ["missing", "wrong", "short"])
def test_what_blob_does_not_have_right_comes_from_the_hub(
    payload: Payload, blobs: Blobs, hub: FakeHub, fault: str
) -> None:
    """At the pinned revision, and only what is missing."""
    blobs.fill()
    body = MODEL.files[FIRST]
    if fault == "missing":
        blobs.remove(FIRST)
    else:
        blobs.put(FIRST, wrong(body) if fault == "wrong" else body[:-1])
    done = payload.do("weights", **NO_AZCOPY)
    assert (done.returncode, done.stderr) == (0, "")
    assert stands(payload)
    assert {each.rpartition("/")[2] for each in hub.asked} == {FIRST}


def test_without_blob_everything_comes_from_the_hub(
    payload: Payload, hub: FakeHub
) -> None:
    """The hub's own list is the manifest then; it is kept for the next time."""
    assert payload.do("weights", **NO_AZCOPY).returncode == 0
    assert stands(payload)
    assert f"GET /api/models/{MODEL.repo}/tree/{REVISION}" in hub.asked
    assert (payload.folder / f"lib/manifest-{REVISION}.json").exists()


def test_the_kept_manifest_stands_in_for_a_missing_one(
    payload: Payload, blobs: Blobs, hub: FakeHub
) -> None:
    """A revision never changes: what was whole once is as good as Blob's."""
    blobs.fill()
    payload.do("weights")
    blobs.remove("manifest.json")
    reboot(payload)
    assert payload.do("weights").returncode == 0
    assert hub.asked == []


def test_what_nobody_has_is_said(payload: Payload, blobs: Blobs, hub: FakeHub) -> None:
    """Which file, and what each way said; no marker."""
    blobs.fill()
    blobs.put(FIRST, wrong(MODEL.files[FIRST]))
    hub.broken[FIRST] = wrong(MODEL.files[FIRST])
    done = payload.do("weights", **NO_AZCOPY)
    assert done.returncode == 1
    assert f"1 files of the weights can't be had, such as {FIRST}" in done.stderr
    for words in ("Azure Blob with wrong bytes", "`azcopy` can't be run", "Hugging"):
        assert words in done.stderr
    assert not (folder(payload) / MARKER).exists()
    assert payload.board.get("failure-kimi-weights")["said"] in done.stderr


def test_a_full_disk_is_said(payload: Payload, blobs: Blobs) -> None:
    """A file that can't be written whole is no file."""
    blobs.fill()
    payload.command = ("prlimit", "--fsize=9000", *payload.command)
    done = payload.do("weights", **NO_AZCOPY)
    assert done.returncode == 1
    assert "File too large" in done.stderr
    assert not list(folder(payload).glob("*.safetensors"))


def test_f04_without_the_disks_nothing_is_written(
    payload: Payload, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F04: it waits a little for `disk`, then says what is missing."""
    monkeypatch.setattr("agent.model._DISKS_WITHIN", 0.5)
    (payload.folder / "data/models").rmdir()
    with pytest.raises(AgentError, match="the local disks are not mounted"):
        weights.run(payload.site)
    assert list((payload.folder / "data").iterdir()) == []


def test_two_at_once_do_not_meet(payload: Payload, blobs: Blobs) -> None:
    """The second says that the first is at work."""
    blobs.fill()
    with payload.start("weights") as process:
        while not (payload.folder / "run/state/weights.lock").exists():
            assert process.poll() is None
        second = payload.do("weights")
        assert process.wait(60) == 0
    assert second.returncode == 1
    assert "another run is at work on the weights" in second.stderr
    assert stands(payload)


@pytest.mark.parametrize("version", OLDER)
def test_older_pythons_run_it_too(payload: Payload, blobs: Blobs, version: str) -> None:
    """Processes, threads, TLS and all."""
    blobs.fill()
    payload.command = (older(version),)
    done = payload.do("weights")
    assert (done.returncode, done.stderr) == (0, "")
    assert stands(payload)
