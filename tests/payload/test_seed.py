"""The verb `seed`: from the hub to real blobs, over several sessions, then sealed."""

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent import boot, seed
from agent.errors import AgentError
from agent.manifest import parse

from local.azurite import ACCOUNT
from local.certificate import Certificate
from tests.payload.agent import Payload
from tests.payload.hub import FakeHub
from tests.payload.relay import Relay, relaying
from tests.payload.test_weights import FIRST, LAST, stands, wrong
from tests.payload.weights import MODEL, Blobs
from tests.soon import soon

ANSWER = {"now": "2026-11-30T10:00:00Z", "expires_at": "2026-11-30T12:00:00Z"}


@pytest.fixture
def gate(payload: Payload, blobs: Blobs, certificate: Certificate) -> Iterator[Relay]:
    """A machine in a set-up session, and the role that it does or does not have."""
    root, _, container = blobs.url.rpartition(f"/{ACCOUNT}/")
    with relaying(root, certificate) as relay:
        payload.environ["WEIGHTS_URL"] = f"{relay.url}/{ACCOUNT}/{container}"
        tell(payload, "setup")
        yield relay


def tell(payload: Payload, purpose: str | None) -> None:
    """Let the control plane have answered."""
    body = {**ANSWER, "purpose": purpose}
    payload.board.put("answer", {"heard_at": boot.uptime(), "body": body})


def seeded(payload: Payload, gate: Relay) -> str:
    """Run it to its end, with an operator who seals when the manifest is there."""
    with payload.start("seed") as process:
        soon(lambda: "manifest.json" in gate.written or process.poll() is not None, 60)
        gate.open = False
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out


def test_the_hubs_files_come_to_blob_and_are_sealed(
    payload: Payload, gate: Relay, blobs: Blobs, hub: FakeHub
) -> None:
    """Verified against the hub's list, with checksums; the manifest comes last."""
    said = seeded(payload, gate)
    assert "files were put into Blob, and nobody can write there any more" in said
    assert {name: blobs.get(name) for name in MODEL.files} == MODEL.files
    assert gate.written[-1] == "manifest.json"
    whole = parse(blobs.get("manifest.json") or b"", MODEL.shape)
    assert all(file.is_sha256 for file in whole.files)
    for file in whole.files:
        assert hashlib.sha256(MODEL.files[file.path]).hexdigest() == file.digest
    blocks = [each for each in gate.seen if each.query.get("comp") == "block"]
    assert all("content-md5" in each.headers for each in blocks)
    assert blobs.names() == {*MODEL.files, "manifest.json"}
    assert f"HEAD /{MODEL.repo}/resolve/{MODEL.revision}/{FIRST}" in hub.asked


def test_a_manifest_that_was_cut_is_written_anew(
    payload: Payload, gate: Relay, blobs: Blobs
) -> None:
    """It would have been called seeded here, and broken at every boot that follows."""
    blobs.put("manifest.json", MODEL.manifest.text()[:500])
    assert "left to the first download" in payload.do("weights").stdout
    seeded(payload, gate)
    assert parse(blobs.get("manifest.json") or b"", MODEL.shape)


def test_then_the_weights_are_whole_without_the_hub(
    payload: Payload, gate: Relay, hub: FakeHub
) -> None:
    """What was seeded is what the restore takes; here it is still on the disks."""
    seeded(payload, gate)
    hub.asked.clear()
    done = payload.do("weights")
    assert "0 of" in done.stdout
    assert stands(payload)
    assert hub.asked == []


def test_it_goes_on_in_the_next_session(
    payload: Payload, gate: Relay, blobs: Blobs, hub: FakeHub
) -> None:
    """The disks are blank then; no shard is brought twice."""
    hub.broken[LAST] = wrong(MODEL.files[LAST])
    first = payload.do("seed")
    assert first.returncode == 1
    assert f"1 of {len(MODEL.files)} files are not in Blob yet" in first.stderr
    assert f"such as {LAST}" in first.stderr
    assert blobs.get("manifest.json") is None
    shutil.rmtree(payload.folder / "data")
    (payload.folder / "data/models").mkdir(parents=True)
    hub.broken.clear()
    hub.ranges.clear()
    seeded(payload, gate)
    shards = {name for name, _ in hub.ranges if name.endswith(".safetensors")}
    assert shards == {LAST}
    assert {name: blobs.get(name) for name in MODEL.files} == MODEL.files


def test_weights_are_left_to_a_first_download_that_goes_on(
    payload: Payload, gate: Relay, hub: FakeHub
) -> None:
    """A try of it failed: the two would write into one folder, for one hub."""
    hub.broken[LAST] = wrong(MODEL.files[LAST])
    assert payload.do("seed").returncode == 1
    phase = payload.phase
    asked = len(hub.asked)
    done = payload.do("weights")
    assert done.returncode == 0
    assert "left to the first download" in done.stdout
    assert (payload.phase, len(hub.asked)) == (phase, asked)
    hub.broken.clear()
    seeded(payload, gate)
    assert payload.do("weights").returncode == 0
    assert stands(payload)


def test_a_blob_of_another_size_or_origin_is_put_anew(
    payload: Payload, gate: Relay, blobs: Blobs
) -> None:
    """Only what was committed with this digest counts as there."""
    blobs.put(FIRST, wrong(MODEL.files[FIRST]))
    seeded(payload, gate)
    assert blobs.get(FIRST) == MODEL.files[FIRST]


def test_without_the_permission_it_says_what_to_do(
    payload: Payload, gate: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the phase while it waits, and as its last sentence."""
    gate.open = False
    monkeypatch.setattr(seed, "_PERMISSION_WITHIN", 0.5)
    for name, value in payload.environ.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(AgentError, match="control weights open"):
        seed.run(payload.site)
    assert payload.phase["phase"] == "seeding"
    assert "control weights open" in payload.phase["detail"]
    assert gate.written == []


def test_it_is_not_done_while_writing_is_allowed(
    payload: Payload, gate: Relay, blobs: Blobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof is that a write fails, not that somebody says so."""
    blobs.fill()
    monkeypatch.setattr(seed, "_PERMISSION_WITHIN", 0.5)
    for name, value in payload.environ.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(AgentError, match="weights seal`: Blob can be written to"):
        seed.run(payload.site)
    gate.open = False
    assert "nobody can write there any more" in seed.run(payload.site)


@pytest.mark.parametrize("purpose", [None, "setup"])
def test_an_ordinary_boot_passes_in_a_moment(
    payload: Payload, gate: Relay, blobs: Blobs, hub: FakeHub, purpose: str | None
) -> None:
    """One small read; the phase is not touched; set-up or not, nothing is brought."""
    blobs.fill()
    tell(payload, purpose)
    gate.open = False
    assert payload.do("seed").returncode == 0
    assert payload.phase == {}
    assert hub.asked == []
    reads = [each for each in gate.seen if each.method == "GET"]
    assert len(reads) == 1


def test_without_a_set_up_session_it_does_nothing(
    payload: Payload, gate: Relay, hub: FakeHub
) -> None:
    """Seeding costs hours: it is never begun by chance."""
    tell(payload, None)
    assert "purpose setup" in payload.do("seed").stdout
    assert hub.asked == []
    assert gate.written == []


def test_a_blob_service_that_sleeps_is_left_to_the_restore(
    payload: Payload, hub: FakeHub
) -> None:
    """It is no proof that the weights are missing."""
    payload.environ["AZURE_CLIENT_ID"] = "00000000-0000-0000-0000-000000000000"
    tell(payload, "work")
    done = payload.do("seed")
    assert (done.returncode, "left to the restore" in done.stdout) == (0, True)
    tell(payload, "setup")
    done = payload.do("seed")
    assert (done.returncode, "Blob can't be read" in done.stderr) == (1, True)
    assert "left to the first download" in payload.do("weights").stdout
    assert hub.asked == []


def test_the_machine_cannot_give_itself_the_role() -> None:
    """No verb knows of role assignments."""
    for place in Path(seed.__file__).parent.glob("*.py"):
        assert "roleAssignments" not in place.read_text()
