"""The second way, azcopy: the real one, and stand-ins that lie as it does."""

import sys
from pathlib import Path

import pytest
from agent import azcopy
from agent.errors import AgentError
from agent.manifest import File

from local.azure import LocalAzure
from local.node import AZCOPY
from tests.payload.agent import Payload
from tests.payload.hub import FakeHub
from tests.payload.test_weights import FIRST, folder, stands
from tests.payload.weights import MODEL, Blobs


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the real azcopy, as the package from npm brings it."""
    place = tmp_path_factory.mktemp("azcopy") / "azcopy"
    place.symlink_to(AZCOPY.install() / "dist/bin/azcopy_linux_amd64")
    place.resolve().chmod(0o755)
    return place.parent


@pytest.fixture
def copying(payload: Payload, azure: LocalAzure) -> Payload:
    """A machine whose identity azcopy finds too: it knows no other IMDS address."""
    payload.environ |= {
        "IDENTITY_ENDPOINT": azure.identity_url,
        "IDENTITY_HEADER": azure.identity_secret,
    }
    return payload


def test_the_real_one_brings_what_is_asked_for(
    copying: Payload, blobs: Blobs, real: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the machine's identity, from real blobs, and only the files that are named."""
    blobs.fill()
    for name, value in copying.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{real}:/usr/bin:/bin")
    beside = copying.folder / "data/beside"
    named = [file for file in MODEL.manifest.files if file.path in {FIRST, "LICENSE"}]
    url = f"{blobs.url}/{MODEL.folder}/"
    azcopy.bring(url, copying.environ["AZURE_CLIENT_ID"], named, beside)
    found = {
        path.name: path.read_bytes() for path in beside.iterdir() if path.is_file()
    }
    assert found == {name: MODEL.files[name] for name in (FIRST, "LICENSE")}


# What each stand-in does, in Python: `true` has the file, `beside` is its goal.
LIES = {
    "says 0 and brings nothing": "pass",
    "is cancelled and says 0": "print('Final Job Status: Cancelled')",
    "brings a file that is one byte short": (
        "(beside / FIRST).write_bytes((true / FIRST).read_bytes()[:-1])"
    ),
    "was killed: right size, wrong bytes": (
        "(beside / FIRST).write_bytes(bytes(40000)); os.kill(os.getpid(), 9)"
    ),
    "leaves its own files behind": (
        "(beside / '.azDownload-1-x').write_bytes(bytes(40000)); sys.exit(1)"
    ),
}
HONEST = "(beside / FIRST).write_bytes((true / FIRST).read_bytes())"


def stand_in(payload: Payload, what: str) -> dict[str, str]:
    """Put an azcopy on the path that does this."""
    true, programs = payload.folder / "true", payload.folder / "programs"
    for place in (true, programs):
        place.mkdir()
    (true / FIRST).write_bytes(MODEL.files[FIRST])
    head = (
        f"#!{sys.executable}\nimport os, pathlib, sys, time\n"
        f"FIRST = {FIRST!r}\ntrue = pathlib.Path({str(true)!r})\n"
        "beside = pathlib.Path(sys.argv[3])\n"
    )
    program = programs / "azcopy"
    program.write_text(head + what + "\n")
    program.chmod(0o755)
    return {"PATH": f"{programs}:/usr/bin:/bin"}


@pytest.mark.parametrize("ends", [0, 1])
def test_f07_what_it_brought_right_is_taken(
    payload: Payload, blobs: Blobs, hub: FakeHub, ends: int
) -> None:
    """F07: whatever it says of itself; then nothing is asked of the hub."""
    blobs.fill()
    blobs.remove(FIRST)
    done = payload.do("weights", **stand_in(payload, f"{HONEST}; sys.exit({ends})"))
    assert (done.returncode, done.stderr) == (0, "")
    assert stands(payload)
    assert hub.asked == []


@pytest.mark.parametrize("lie", LIES)
def test_f07_what_it_says_counts_for_nothing(
    payload: Payload, blobs: Blobs, hub: FakeHub, lie: str
) -> None:
    """F07: only bytes that are right count, and the marker is not written for less."""
    blobs.fill()
    blobs.remove(FIRST)
    hub.status = 404
    done = payload.do("weights", **stand_in(payload, LIES[lie]))
    assert done.returncode == 1
    assert f"such as {FIRST}" in done.stderr
    names = {path.name for path in folder(payload).rglob("*")}
    assert FIRST not in names
    assert not any(name.startswith(".") for name in names)
    assert [path.name for path in folder(payload).parent.iterdir()] == [MODEL.revision]


def test_f07_it_may_not_hang(
    payload: Payload, blobs: Blobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F07: it is ended, and the next way is taken."""
    monkeypatch.setattr(azcopy, "_LEAST", 0.5)
    environ = stand_in(payload, "time.sleep(60)")
    monkeypatch.setenv("PATH", environ["PATH"])
    named = [file for file in MODEL.manifest.files if file.path == FIRST]
    beside = payload.folder / "data/beside"
    with pytest.raises(AgentError, match="`azcopy` was not done in time"):
        azcopy.bring(blobs.url, "x", named, beside)


def test_its_time_grows_with_the_bytes() -> None:
    """The whole model: less than an hour; a small one: two minutes."""
    whole = File("all", 595_200_000_000, "0" * 64)
    assert 2900 < azcopy.seconds([whole]) < 3600
    assert azcopy.seconds([]) == 120
