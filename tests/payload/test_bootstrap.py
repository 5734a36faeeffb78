"""The bootstrap as its unit runs it: real blobs, a real archive, a root of its own."""

import gzip
import hashlib
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.azure import Kind, LocalAzure
from local.azure.server import Listener
from local.azure.wire import HANG_UP, Reply, Request
from local.azurite import Azurite
from local.certificate import Certificate
from tests.payload.agent import LATE
from tests.payload.older import OLDER, older
from tests.payload.store import NAME, Store
from tests.soon import soon

PROGRAM = (
    Path(__file__).parents[2] / "vm_payload/rootfs/usr/local/lib/kimi/bootstrap.py"
)
UNITS = "etc/systemd/system"
ENABLED = b"[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=kimi.target\n"
PLAIN = b"[Service]\nExecStart=/bin/true\n"
# Nobody listens there: what asks through it gets no answer.
NOWHERE = "http://127.0.0.1:9"

type Files = dict[str, bytes]

FIRST: Files = {
    f"{UNITS}/kimi-a.service": ENABLED,
    f"{UNITS}/kimi-b.service": ENABLED,
    f"{UNITS}/kimi-worker.service": PLAIN,
    f"{UNITS}/kimi-each@.service": ENABLED,
    "etc/kimi-pins.env": b"MODEL=one\nIMAGE=two\n",
    "opt/kimi/agent/old.py": b"OLD = 1\n",
    "opt/kimi/agent/run.py": b"RUN = 1\n",
    "usr/lib/tmpfiles.d/kimi.conf": b"d /run/kimi 0755 root root\n",
}


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.mode = kind, link, 0o644
    return made


def pack(files: Files, *more: tarfile.TarInfo) -> bytes:
    """Make an archive of files, and of members as odd as can be."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, body in files.items():
            made = member(name)
            made.size = len(body)
            tar.addfile(made, io.BytesIO(body))
        for each in more:
            tar.addfile(each, io.BytesIO(b"x" * each.size))
    return gzip.compress(packed.getvalue(), mtime=0)


@dataclass
class Machine:
    """One OS disk, its environment, and programs of systemd's that only log."""

    folder: Path
    environ: dict[str, str]
    python: str = sys.executable
    setup: str = "pass"
    root: Path = field(init=False)
    log: Path = field(init=False)

    def __post_init__(self) -> None:
        self.root, self.log = self.folder / "root", self.folder / "log"
        programs = self.folder / "programs"
        for made in (self.root, programs):
            made.mkdir(parents=True)
        self.log.touch()
        for name in ("systemctl", "systemd-tmpfiles"):
            place = programs / name
            place.write_text(
                f'#!/bin/sh\necho "{name} $*" >> {self.log}\n'
                f'if [ -e "{self.folder}/fail-$1" ]; then echo no >&2; exit 3; fi\n'
            )
            place.chmod(0o755)
        self.environ |= {
            "KIMI_ROOT": str(self.root),
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HTTP_PROXY": NOWHERE,
            "HTTPS_PROXY": NOWHERE,
        }

    def start(self, call: str) -> "subprocess.Popen[str]":
        """Begin to call something of the program."""
        code = (
            f"import sys; sys.path.insert(0, {str(PROGRAM.parent)!r});"
            f"import bootstrap; {self.setup}; sys.exit({call})"
        )
        return subprocess.Popen(
            [self.python, "-B", "-c", code],
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def boot(self, patience: float = 0.5) -> tuple[int, str]:
        """Boot, and return how the bootstrap ended: always with one line, no token."""
        limits = f"bootstrap.Limits({patience}, {patience})"
        with self.start(f"bootstrap.main({limits})") as process:
            try:
                said, _ = process.communicate(timeout=60)
            except BaseException:
                process.kill()
                raise
        assert said.count("\n") == 1, said
        assert "eyJ" not in said
        return process.returncode, said.strip()

    @contextmanager
    def watched(self, uptime: float, left: float = 0.0) -> Iterator[IO[str]]:
        """Watch a machine that has so long been on, until the power is off."""
        limits = f"bootstrap.Limits(left={left}, every=0.1)"
        since = time.monotonic() - uptime
        clock = f"lambda: bootstrap.time.monotonic() - {since}"
        with self.start(f"bootstrap.watch({limits}, {clock})") as process:
            assert process.stdout is not None
            try:
                yield process.stdout
                assert process.poll() is None
            finally:
                process.kill()

    def loses_its_keeper(self) -> None:
        """Let systemd say of every unit that it is not active."""
        (self.folder / "fail-is-active").touch()

    def keeps(self) -> None:
        (self.folder / "fail-is-active").unlink()

    @property
    def calls(self) -> list[str]:
        return self.log.read_text().splitlines()

    @property
    def record(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.there("var/lib/kimi/payload.json"))
        return read

    def there(self, name: str) -> bytes:
        return (self.root / name).read_bytes()

    @property
    def disk(self) -> dict[str, str]:
        """All that is on the disk, and how."""
        return {
            str(path.relative_to(self.root)): (
                f"{path.lstat().st_mode:o} "
                + (str(path.readlink()) if path.is_symlink() else path.read_text())
            )
            for path in self.root.rglob("*")
            if path.is_symlink() or path.is_file()
        }


@pytest.fixture
def machine(tmp_path: Path, azure: LocalAzure, store: Store) -> Machine:
    """A machine before its first boot."""
    azure.vm.come_on()
    environ = {
        "PAYLOAD_URL": store.url,
        "AZURE_CLIENT_ID": azure.identity.client_id("vm"),
        "IMDS_ENDPOINT": azure.vm.imds_url,
        "ARM_ENDPOINT": azure.arm_url,
        "SSL_CERT_FILE": str(azure.certificate.authority),
    }
    return Machine(tmp_path / "machine", environ)


@pytest.fixture
def front(
    machine: Machine, certificate: Certificate
) -> Iterator[Callable[..., list[str]]]:
    """Put a storage account in front that answers what Azurite can't be made to."""
    listeners: list[Listener] = []

    def answer(reply: Reply, **later: Any) -> list[str]:
        asked: list[str] = []

        def each(request: Request) -> Reply:
            asked.append(request.path)
            bodies = later.get("bodies", {})
            if len(asked) > later.get("times", 1_000):
                return Reply(status=200, body=bodies[request.path])
            return reply

        listeners.append(Listener(each, certificate))
        machine.environ["PAYLOAD_URL"] = listeners[-1].url
        return asked

    yield answer
    for each in listeners:
        each.close()


def test_f03_a_first_boot_brings_the_payload(machine: Machine, store: Store) -> None:
    """F03: files in their places, units told, the record last; no proxy is asked."""
    mask = member(f"{UNITS}/apt-daily.timer", tarfile.SYMTYPE, "/dev/null")
    link = member("opt/kimi/now.py", tarfile.SYMTYPE, "agent/run.py")
    folder = member("opt/kimi/empty", tarfile.DIRTYPE)
    sha256 = store.publish(pack(FIRST, mask, link, folder))
    code, said = machine.boot()
    assert (code, said) == (
        0,
        f"payload {sha256[:12]} is unpacked: 10 new, 0 changed, 0 removed.",
    )
    for name, body in FIRST.items():
        assert machine.there(name) == body
    assert (machine.root / f"{UNITS}/apt-daily.timer").readlink() == Path("/dev/null")
    assert machine.there("opt/kimi/now.py") == b"RUN = 1\n"
    assert (machine.root / "opt/kimi/empty").is_dir()
    assert machine.calls == [
        "systemctl daemon-reload",
        "systemctl enable kimi-a.service kimi-b.service",
        f"systemd-tmpfiles --create {machine.root}/usr/lib/tmpfiles.d/kimi.conf",
        "systemctl start --no-block kimi.target",
    ]
    assert machine.record["sha256"] == sha256
    assert "etc/kimi-pins.env" not in machine.record["files"]
    assert len(machine.record["files"]) == 9


def test_it_runs_as_its_unit_runs_it(machine: Machine, store: Store) -> None:
    """Isolated, with its own limits, from its own file."""
    store.publish(pack(FIRST))
    done = subprocess.run(
        [sys.executable, "-I", str(PROGRAM)],
        check=False,
        capture_output=True,
        env=machine.environ,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout
    assert machine.there("opt/kimi/agent/run.py") == b"RUN = 1\n"


def test_f03_a_later_boot_changes_nothing(machine: Machine, store: Store) -> None:
    """F03: the same payload is not fetched again, and no unit is told anything."""
    sha256 = store.publish(pack(FIRST))
    machine.boot()
    before, calls = machine.disk, machine.calls
    store.client.delete(f"{store.url}/archives/{sha256}.tar.gz").raise_for_status()
    assert machine.boot() == (0, f"payload {sha256[:12]} is here already.")
    assert (machine.disk, machine.calls) == (before, calls)


def test_an_update_adds_changes_and_removes(machine: Machine, store: Store) -> None:
    """What goes is disabled while it is there; what runs is named, never restarted."""
    store.publish(pack(FIRST))
    machine.boot()
    first = len(machine.calls)
    kept = (machine.root / "opt/kimi/agent/run.py").stat().st_ino
    second = FIRST | {
        f"{UNITS}/kimi-a.service": ENABLED + b"# another\n",
        f"{UNITS}/kimi-b.service": PLAIN,
        f"{UNITS}/kimi-c.service": ENABLED,
        "opt/kimi/agent/new.py": b"NEW = 1\n",
    }
    del second["opt/kimi/agent/old.py"], second[f"{UNITS}/kimi-worker.service"]
    store.publish(pack(second))
    code, said = machine.boot()
    assert code == 0
    assert "2 new, 2 changed, 2 removed. What runs keeps to the old" in said
    assert f"{UNITS}/kimi-a.service, {UNITS}/kimi-b.service until a restart." in said
    assert "kimi-c" not in said
    assert machine.calls[first:] == [
        "systemctl disable kimi-b.service",
        "systemctl daemon-reload",
        "systemctl enable kimi-a.service kimi-c.service",
        f"systemd-tmpfiles --create {machine.root}/usr/lib/tmpfiles.d/kimi.conf",
        "systemctl start --no-block kimi.target",
    ]
    assert not (machine.root / "opt/kimi/agent/old.py").exists()
    assert machine.there("opt/kimi/agent/new.py") == b"NEW = 1\n"
    assert (machine.root / "opt/kimi/agent/run.py").stat().st_ino == kept


def test_an_update_without_a_unit_disables_it(machine: Machine, store: Store) -> None:
    """Else its link would start nothing at each boot."""
    store.publish(pack(FIRST))
    machine.boot()
    store.publish(pack({f"{UNITS}/kimi-b.service": ENABLED}))
    machine.boot()
    assert "systemctl disable kimi-a.service" in machine.calls
    assert not (machine.root / f"{UNITS}/kimi-a.service").exists()


def test_an_update_never_takes_the_bootstrap_away(
    machine: Machine, store: Store
) -> None:
    """The way to the next payload stays, and the pins do."""
    own = "usr/local/lib/kimi/bootstrap.py"
    unit = f"{UNITS}/kimi-watch.service"
    store.publish(pack(FIRST | {own: b"pass\n", unit: ENABLED}))
    machine.boot()
    store.publish(pack({"opt/kimi/agent/run.py": b"RUN = 2\n"}))
    assert machine.boot()[0] == 0
    assert machine.there(own) == b"pass\n"
    assert machine.there(unit) == ENABLED
    assert "systemctl disable kimi-a.service kimi-b.service" in machine.calls
    assert machine.there("etc/kimi-pins.env") == b"MODEL=one\nIMAGE=two\n"


@pytest.mark.parametrize("later", [False, True], ids=["first", "update"])
def test_another_hash_is_never_unpacked(
    machine: Machine, store: Store, *, later: bool
) -> None:
    """The archive is not what its name says: nothing on the disk changes."""
    if later:
        store.publish(pack(FIRST))
        machine.boot()
    before = machine.disk
    sha256 = store.publish(pack({"opt/kimi/agent/evil.py": b""}))
    store.put(f"archives/{sha256}.tar.gz", pack({"opt/kimi/agent/evil.py": b"1"}))
    code, said = machine.boot()
    assert said.startswith(f"archive {sha256[:12]} has another hash than its name;")
    assert code == (0 if later else 1)
    assert machine.disk == before


WHOLE = pack(FIRST)
EVIL: dict[str, bytes] = {
    "cut": WHOLE[: len(WHOLE) // 2],
    "a cut tar": gzip.compress(gzip.decompress(WHOLE)[:700]),
    "no archive": b"<html>503</html>",
    "no tar": gzip.compress(b"hello" * 500),
    "empty": pack({}),
    "absolute": pack(FIRST, member("/etc/evil")),
    "outside": pack(FIRST, member("opt/../../evil")),
    "a device": pack(FIRST, member("dev/evil", tarfile.CHRTYPE)),
    "a pipe": pack(FIRST, member("run/evil", tarfile.FIFOTYPE)),
    "a hard link": pack(FIRST, member("opt/evil", tarfile.LNKTYPE, "etc/passwd")),
    "a link outside": pack(FIRST, member("opt/evil", tarfile.SYMTYPE, "../../etc")),
    "an absolute link": pack(FIRST, member("opt/evil", tarfile.SYMTYPE, "/etc")),
    "below a link": pack(
        {"opt/evil/file": b""}, member("opt/evil", tarfile.SYMTYPE, "../etc")
    ),
    "twice": pack(FIRST, member("opt/kimi/agent/run.py")),
}


@pytest.mark.parametrize("what", EVIL)
def test_an_evil_archive_is_refused_whole(
    machine: Machine, store: Store, what: str
) -> None:
    """Its hash is right and it is still no payload: not one file of it is written."""
    store.publish(EVIL[what])
    code, said = machine.boot()
    assert code == 1
    assert said.startswith("the archive ")
    assert said.endswith("; no whole payload is on the disk.")
    assert (machine.disk, machine.calls) == ({}, [])


def test_a_payload_too_large_is_not_read(machine: Machine, store: Store) -> None:
    """The limit is on what is read, whatever the server says of its length."""
    machine.setup = "bootstrap.LARGEST = 200"
    store.publish(WHOLE)
    assert "larger than 64 MiB" in machine.boot()[1]


def test_a_folder_in_the_way_is_said(machine: Machine, store: Store) -> None:
    """Before anything is changed, and nothing is left beside."""
    (machine.root / "usr/lib/tmpfiles.d/kimi.conf").mkdir(parents=True)
    store.publish(WHOLE)
    code, said = machine.boot()
    assert code == 1
    assert "kimi.conf is a folder on the disk" in said
    assert machine.disk == {}


def test_a_cut_update_is_done_again(machine: Machine, store: Store) -> None:
    """Even if the payload before is wanted back: half of each is none of both."""
    first = store.publish(WHOLE)
    machine.boot()
    (machine.folder / "fail-daemon-reload").touch()
    store.publish(pack(FIRST | {"opt/kimi/agent/run.py": b"RUN = 2\n"}))
    code, said = machine.boot()
    assert code == 1
    assert said.startswith("`systemctl daemon-reload` ended with 3: no;")
    assert machine.record["sha256"] == ""
    (machine.folder / "fail-daemon-reload").unlink()
    store.name(first)
    code, said = machine.boot()
    assert (code, "1 changed" in said) == (0, True)
    assert machine.there("opt/kimi/agent/run.py") == b"RUN = 1\n"


def test_pins_are_merged(machine: Machine, store: Store) -> None:
    """The archive's lines replace those of their name; no other line is ever lost."""
    pins = machine.root / "etc/kimi-pins.env"
    pins.parent.mkdir(parents=True)
    pins.write_text("# by hand\nMODEL=mine\n\nKEPT=1\n")
    store.publish(WHOLE)
    machine.boot()
    assert pins.read_text() == "# by hand\nMODEL=one\n\nKEPT=1\nIMAGE=two\n"


LINES = st.lists(
    st.one_of(
        st.from_regex(r"[A-C]=[a-z]{0,3}", fullmatch=True),
        st.sampled_from(["", "# a remark", "# A=b"]),
    )
)


@given(there=LINES, new=LINES)
def test_pins_never_lose_a_line(there: list[str], new: list[str]) -> None:
    """Of whatever lines: all new ones are in, and none of another name is out."""
    old, fresh = ("".join(f"{line}\n" for line in lines) for lines in (there, new))
    text = bootstrap.merged(old, fresh)
    names = {line.partition("=")[0] for line in new}
    got = text.splitlines()
    last = {line.partition("=")[0]: line for line in new}
    assert set(last.values()) <= set(got)
    stays = [line for line in there if line.partition("=")[0] not in names]
    assert [line for line in got if line.partition("=")[0] not in names] == stays
    assert bootstrap.merged(text, fresh) == text


@pytest.mark.parametrize("fault", LATE)
def test_a_late_metadata_service_is_ridden_out(
    machine: Machine, azure: LocalAzure, store: Store, fault: str
) -> None:
    """404, 410, 429, 500 and no answer pass: a second later it is asked again."""
    azure.faults.arm(fault)
    store.publish(WHOLE)
    assert machine.boot(patience=20)[0] == 0


def test_a_missing_identity_is_named_at_once(
    machine: Machine, azure: LocalAzure, store: Store
) -> None:
    """400 does not pass by waiting."""
    azure.faults.arm("imds_no_identity", times=None)
    store.publish(WHOLE)
    code, said = machine.boot(patience=30)
    assert code == 1
    assert "with 400 Identity not found; no whole payload is on the disk." in said
    assert len(azure.log.of(Kind.IMDS_TOKEN)) == 1


def test_it_tries_for_a_while_where_nothing_is_there(
    machine: Machine, front: Callable[..., list[str]]
) -> None:
    """A role and a blob come minutes after the machine: 404 is asked for again."""
    asked = front(Reply(status=404))
    code, said = machine.boot(patience=3.5)
    assert code == 1
    assert "refuses /machines/vm-kimi-01.json with 404; no whole payload" in said
    assert len(asked) == 3


REFUSALS: dict[str, tuple[Reply, str]] = {
    "403": (Reply(status=403), "with 403"),
    "404": (Reply(status=404), "with 404"),
    "503": (Reply(status=503), "with 503"),
    "a redirect": (Reply(status=302, headers={"Location": "/x"}), "with 302"),
    "no answer": (HANG_UP, "127.0.0.1 can't be reached"),
    "no pointer": (Reply(status=200, body=b"[]"), "names no payload"),
    "a bad pointer": (
        Reply(status=200, body=b'{"sha256": "../../x"}'),
        "names no payload",
    ),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_a_storage_account_that_refuses(
    machine: Machine, store: Store, front: Callable[..., list[str]], what: str
) -> None:
    """Without a payload it fails; with one it is a sentence, and the boot goes on."""
    reply, words = REFUSALS[what]
    front(reply)
    code, said = machine.boot()
    assert (code, words in said) == (1, True), said
    machine.environ["PAYLOAD_URL"] = store.url
    store.publish(WHOLE)
    machine.boot()
    before = machine.disk
    front(reply)
    code, said = machine.boot()
    assert (code, words in said) == (0, True), said
    assert said.endswith("; the payload on the disk is good, and stays.")
    assert machine.disk == before


def test_a_role_that_is_late_is_waited_for(
    machine: Machine, front: Callable[..., list[str]]
) -> None:
    """403 once, as for the first minutes of a role."""
    sha256 = hashlib.sha256(WHOLE).hexdigest()
    pointer = json.dumps({"sha256": sha256}).encode()
    places = {f"/machines/{NAME}.json": pointer, f"/archives/{sha256}.tar.gz": WHOLE}
    front(Reply(status=403), times=1, bodies=places)
    assert machine.boot(patience=20)[0] == 0


def test_a_boot_without_the_metadata_service(
    machine: Machine, azure: LocalAzure, store: Store
) -> None:
    """With a payload on the disk the boot goes on, soon, and says why."""
    store.publish(WHOLE)
    machine.boot()
    azure.faults.arm("imds_unreachable", times=None)
    code, said = machine.boot()
    assert code == 0
    assert "127.0.0.1 can't be reached" in said


def test_a_storage_account_that_hangs_is_given_up(
    machine: Machine, store: Store, storage: Azurite
) -> None:
    """It takes connections and never answers: the boot goes on all the same."""
    store.publish(WHOLE)
    machine.boot()
    storage.freeze()
    try:
        code, said = machine.boot(patience=1)
    finally:
        storage.thaw()
    assert (code, "can't be reached" in said) == (0, True)


@pytest.mark.parametrize("name", ["PAYLOAD_URL", "AZURE_CLIENT_ID"])
def test_a_missing_line_is_named(machine: Machine, name: str) -> None:
    """It is in one file, which is named too."""
    machine.environ[name] = " "
    assert machine.boot()[1].startswith(f"{name} is missing in /etc/kimi-bootstrap.env")


def test_a_record_of_somebody_elses_removes_nothing(
    machine: Machine, store: Store
) -> None:
    """The agent's user can write it, and root unlinks what it names."""
    store.publish(pack(FIRST))
    machine.boot()
    victim = machine.folder / "victim"
    victim.touch()
    record = machine.record
    record["files"] += [str(victim), "../victim"]
    (machine.root / "var/lib/kimi/payload.json").write_text(json.dumps(record))
    store.publish(pack(FIRST | {"opt/kimi/agent/run.py": b"RUN = 2\n"}))
    assert machine.boot()[0] == 0
    assert victim.exists()


def test_a_token_goes_through_tls_only(machine: Machine) -> None:
    """An address without it is refused before anything is sent."""
    machine.environ["PAYLOAD_URL"] = "http://127.0.0.1:1/payload"
    assert "must start with https://" in machine.boot()[1]


def test_f03_a_machine_made_again_from_its_disk(machine: Machine, store: Store) -> None:
    """F03: no custom data, another instance: what is on the disk is all it needs."""
    store.publish(WHOLE)
    machine.boot()
    again = Machine(machine.folder.with_name("again"), dict(machine.environ))
    shutil.copytree(machine.root, again.root, dirs_exist_ok=True, symlinks=True)
    code, said = again.boot()
    assert (code, said.endswith("is here already.")) == (0, True)
    assert again.calls == []
    store.publish(pack(FIRST | {"opt/kimi/agent/run.py": b"RUN = 2\n"}))
    assert again.boot()[0] == 0
    assert again.there("opt/kimi/agent/run.py") == b"RUN = 2\n"


def test_what_was_deleted_comes_again(machine: Machine, store: Store) -> None:
    """By hand or by a fault of the disk: a file is missing, so all is unpacked anew."""
    sha256 = store.publish(WHOLE)
    machine.boot()
    before = machine.disk
    (machine.root / "opt/kimi/agent/run.py").unlink()
    said = machine.boot()[1]
    assert said == f"payload {sha256[:12]} is unpacked: 1 new, 0 changed, 0 removed."
    assert machine.disk == before


def test_a_machine_whose_lease_nobody_keeps_leaves(
    machine: Machine, azure: LocalAzure
) -> None:
    """Azure refuses, then takes it; it goes on asking until the power is off."""
    azure.faults.arm("permission", times=2, action="deallocate/action", caller="vm")
    machine.loses_its_keeper()
    with machine.watched(3_601) as said:
        lines = [said.readline() for _ in range(4)]
    assert "does not take the machine: 127.0.0.1 refuses" in lines[0]
    assert "Azure takes it" in lines[3]
    asked = azure.log.of(Kind.VM_DEALLOCATE, caller="vm")
    assert [each.status for each in asked][:4] == [403, 403, 202, 202]
    assert asked[0].query == {"api-version": "2024-07-01"}
    assert "systemctl is-active kimi-lease.service" in machine.calls


def test_it_leaves_without_any_setting(machine: Machine, azure: LocalAzure) -> None:
    """A machine whose custom data lacks its lines must not run for ever either."""
    machine.environ |= {"PAYLOAD_URL": "", "AZURE_CLIENT_ID": "", "PATH": "/nowhere"}
    azure.faults.arm("imds_missing", kinds=frozenset({Kind.IMDS_TOKEN}))
    with machine.watched(3_601) as said:
        assert "with 404" in said.readline()
        assert "Azure takes it" in said.readline()


@pytest.mark.parametrize("uptime", [100, 9_000], ids=["early", "kept"])
def test_it_does_not_leave_otherwise(
    machine: Machine, azure: LocalAzure, uptime: float
) -> None:
    """Not before the hour, and never while the lease is kept."""
    if uptime < 3_600:
        machine.loses_its_keeper()
    with machine.watched(uptime):
        soon(lambda: len(machine.calls) > 5)
    assert azure.log.of(Kind.VM_DEALLOCATE) == []


def test_a_keeper_that_comes_back_is_given_its_time_anew(
    machine: Machine, azure: LocalAzure
) -> None:
    """What was restarted, or stopped for a moment, takes no machine away."""
    with machine.watched(9_000, left=3.0) as said:
        for _ in range(3):
            machine.loses_its_keeper()
            threading.Event().wait(1.5)
            machine.keeps()
            soon(_after(machine, len(machine.calls)))
        assert azure.log.of(Kind.VM_DEALLOCATE) == []
        machine.loses_its_keeper()
        assert "Azure takes it" in said.readline()


def _after(machine: Machine, count: int) -> Callable[[], bool]:
    """Whether it has looked twice since then."""
    return lambda: len(machine.calls) > count + 1


@pytest.mark.parametrize("verb", ["enable", "start", "--create"])
def test_a_program_that_fails_is_named(
    machine: Machine, store: Store, verb: str
) -> None:
    """One sentence with its last words; the next start of the unit does all again."""
    store.publish(WHOLE)
    (machine.folder / f"fail-{verb}").touch()
    code, said = machine.boot()
    assert code == 1
    assert f"{verb}` ended with 3: no; no whole payload" in said
    (machine.folder / f"fail-{verb}").unlink()
    assert machine.boot()[0] == 0
    assert machine.calls[-1] == "systemctl start --no-block kimi.target"


@pytest.mark.parametrize("version", OLDER)
def test_older_pythons_run_it_too(machine: Machine, store: Store, version: str) -> None:
    """Ubuntu 24.04 has 3.12."""
    machine.python = older(version)
    store.publish(WHOLE)
    assert machine.boot()[0] == 0
    store.publish(EVIL["a cut tar"])
    assert "the archive can't be read" in machine.boot()[1]


def _loaded() -> Any:
    """The program as a module, without its folder on the path."""
    spec = importlib.util.spec_from_file_location("bootstrap", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bootstrap"] = module
    spec.loader.exec_module(module)
    return module


bootstrap = _loaded()
