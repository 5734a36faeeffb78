"""Brings this machine its payload: the archive that its blob names, unpacked to `/`.

It comes with the custom data, which can never change, so it knows no version and needs
nothing but Python. It runs at each boot, before all else of ours. Called with `watch`
it gives back a machine whose payload keeps no lease: nobody else sees what that costs.
"""
# ruff: noqa: INP001

import filecmp
import hashlib
import http.client
import io
import json
import os
import posixpath
import re
import subprocess
import sys
import tarfile
import threading
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn
from urllib.parse import quote, urlencode, urlsplit

UNITS = PurePosixPath("etc/systemd/system")
TMPFILES = {PurePosixPath("etc/tmpfiles.d"), PurePosixPath("usr/lib/tmpfiles.d")}
PINS = "etc/kimi-pins.env"
RECORD = "var/lib/kimi/payload.json"
# An update that leaves them out must not take away the way to the next one.
OURS = {f"{UNITS}/kimi-bootstrap.service", f"{UNITS}/kimi-watch.service"}
KEPT = {PINS, "usr/local/lib/kimi/bootstrap.py", *OURS}
KEEPER = "kimi-lease.service"
LARGEST, LARGEST_UNPACKED = 64 * 2**20, 512 * 2**20
REQUEST_SECONDS, PROGRAM_SECONDS, LONGEST_PAUSE = 10.0, 90.0, 10.0
_BUSY = {408, 429, *range(500, 600)}
# A role is known at the storage account, and a blob is written, minutes after a boot.
_NOT_YET = {401, 403, 404}


class Failure(Exception):
    """Not done, and why."""


class Passing(Failure):
    """Not done, and it may well be soon; `after` is how long to wait, in seconds."""

    def __init__(self, said: str, after: float = 0.0) -> None:
        super().__init__(said)
        self.after = after


@dataclass(frozen=True)
class Limits:
    """Seconds to try without a payload, and with one.

    Then when the lease must be kept since boot, how long it may be left, and how often
    that is looked at.
    """

    patience: float = 600.0
    brief: float = 60.0
    hour: float = 3600.0
    left: float = 600.0
    every: float = 60.0


@dataclass(frozen=True)
class Record:
    """The payload on the disk; one that was not unpacked to its end has no hash."""

    sha256: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Site:
    """The environment of the unit, and the instant by which all must be done."""

    environ: Mapping[str, str]
    until: float

    def __getitem__(self, name: str) -> str:
        value = self.environ.get(name, "").strip().rstrip("/")
        if not value:
            raise Failure(f"{name} is missing in /etc/kimi-bootstrap.env")
        return value

    def ask(
        self,
        url: str,
        headers: Mapping[str, str],
        passing: Collection[int] = _BUSY,
        method: str = "GET",
    ) -> bytes:
        """Return the body of a good answer; no proxy is used, no redirect followed."""
        parts = urlsplit(url)
        tls = parts.scheme == "https"
        kind = http.client.HTTPSConnection if tls else http.client.HTTPConnection
        left = self.until - time.monotonic()
        connection = kind(parts.netloc, timeout=max(min(REQUEST_SECONDS, left), 1.0))
        target = f"{parts.path}?{parts.query}".rstrip("?")
        try:
            connection.request(method, target, headers=dict(headers))
            got = connection.getresponse()
            body = self._read(got)
        except (OSError, http.client.HTTPException) as error:
            raise Passing(f"{parts.hostname} can't be reached ({error})") from None
        finally:
            connection.close()
        if got.status in {200, 202}:
            return body
        said = f"{parts.hostname} refuses {parts.path} with {got.status}"
        after = got.headers.get("Retry-After", "")
        if got.status in passing:
            raise Passing(said, float(after) if after.isdecimal() else 0.0)
        raise Failure(f"{said} {_object(body).get('error_description', '')}".rstrip())

    def _read(self, got: http.client.HTTPResponse) -> bytes:
        body = b""
        while chunk := got.read(2**16):
            body += chunk
            if len(body) > LARGEST:
                raise Failure("the payload is larger than 64 MiB")
            if time.monotonic() > self.until:
                raise TimeoutError("too slow")
        if got.length:
            raise ConnectionError("it hung up")
        return body

    def imds(self, path: str, what: str) -> str:
        """Ask the metadata service, which may be missing for a boot's first minute."""
        base = self.environ.get("IMDS_ENDPOINT") or "http://169.254.169.254"
        url, passing = f"{base}/metadata/{path}", {404, 410, *_BUSY}
        said = _object(self.ask(url, {"Metadata": "true"}, passing)).get(what)
        if not isinstance(said, str) or not said:
            raise Passing(f"the metadata service does not say the {what}")
        return said

    def instance(self, what: str) -> str:
        return self.imds("instance/compute?api-version=2021-02-01", what)

    def bearer(self, resource: str, identity: str) -> dict[str, str]:
        """Return the header with a fresh token; without an id, of the only identity."""
        asked = {"api-version": "2018-02-01", "resource": resource}
        if identity:
            asked["client_id"] = identity
        query = urlencode(asked)
        token = self.imds(f"identity/oauth2/token?{query}", "access_token")
        return {"Authorization": f"Bearer {token}"}


def _object(body: bytes) -> dict[str, Any]:
    try:
        read = json.loads(body)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def bring(site: Site, root: Path, there: Record) -> str:
    """Fetch the payload that this machine shall have, unless it has it."""
    store, name = site["PAYLOAD_URL"], quote(site.instance("name"), safe="")
    if not store.startswith("https://"):
        raise Failure("PAYLOAD_URL must start with https://")
    token = site.bearer("https://storage.azure.com", site["AZURE_CLIENT_ID"])
    headers = token | {"x-ms-version": "2021-08-06"}
    passing = _BUSY if there.sha256 else _BUSY | _NOT_YET
    pointer = site.ask(f"{store}/machines/{name}.json", headers, passing)
    sha256 = str(_object(pointer).get("sha256"))
    if not re.fullmatch("[0-9a-f]{64}", sha256):
        raise Failure(f"machines/{name}.json names no payload")
    if sha256 == there.sha256:
        return f"payload {sha256[:12]} is here already."
    archive = site.ask(f"{store}/archives/{sha256}.tar.gz", headers, passing)
    if hashlib.sha256(archive).hexdigest() != sha256:
        raise Failure(f"archive {sha256[:12]} has another hash than its name")
    with tarfile.open(fileobj=io.BytesIO(_plain(archive)), mode="r:") as tar:
        return unpack(tar, sha256, root, there)


def _plain(archive: bytes) -> bytes:
    gzip = zlib.decompressobj(31)
    plain = gzip.decompress(archive, LARGEST_UNPACKED)
    if not gzip.eof:
        raise Failure("the archive is cut, or larger than 512 MiB when unpacked")
    return plain


def unpack(tar: tarfile.TarFile, sha256: str, root: Path, there: Record) -> str:
    """Replace files; an update that is cut short leaves a record without a hash."""
    members = checked(tar)
    staged = stage(tar, members, root)
    names = {each.name for each in members if not each.isdir()} - {PINS}
    changed = sorted(name for name in staged if os.path.lexists(root / name))
    gone = set(there.files) - names - KEPT
    before = installed(root, {*there.files} - KEPT)
    if there.files:
        record(root, Record(files=(*there.files, *names)))
    for name, beside in staged.items():
        beside.replace(root / name)
    after = installed(root, names)
    systemctl("disable", *sorted(before - after))
    for name in gone:
        (root / name).unlink(missing_ok=True)
    systemctl("daemon-reload")
    systemctl("enable", *sorted(after))
    wanted = sorted(each for each in names if PurePosixPath(each).parent in TMPFILES)
    if wanted:
        run("systemd-tmpfiles", "--create", *(str(root / each) for each in wanted))
    systemctl("start", "--no-block", "kimi.target")
    record(root, Record(sha256, tuple(names)))
    new = len(staged) - len(changed)
    counts = f"{new} new, {len(changed)} changed, {len(gone)} removed"
    units = ", ".join(each for each in changed if each.startswith(f"{UNITS}/"))
    old = f" What runs keeps to the old {units} until a restart." if units else ""
    return f"payload {sha256[:12]} is unpacked: {counts}.{old}"


def checked(tar: tarfile.TarFile) -> list[tarfile.TarInfo]:
    """Return what is in the archive; one evil or odd member refuses all of it."""
    members = tar.getmembers()
    for each in members:
        parts = PurePosixPath(each.name).parts
        known = each.isreg() or each.isdir() or (each.issym() and _stays_inside(each))
        if each.name.startswith("/") or ".." in parts or not known:
            raise Failure(f"the archive holds {each.name}, which it must not")
        each.name = "/".join(parts)
    names = [each.name for each in members if not each.isdir()]
    above = {str(path) for each in members for path in PurePosixPath(each.name).parents}
    if not names or len(set(names)) < len(names) or above & set(names):
        raise Failure("the archive is empty, or has two things at one place")
    return [each for each in members if each.name]


def _stays_inside(link: tarfile.TarInfo) -> bool:
    """Whether a link leads nowhere else; systemd masks a unit by one to /dev/null."""
    target = posixpath.join(posixpath.dirname(link.name), link.linkname)
    inside = not posixpath.normpath(target).startswith(("/", ".."))
    return inside or link.linkname == os.devnull


def stage(
    tar: tarfile.TarFile, members: Iterable[tarfile.TarInfo], root: Path
) -> dict[str, Path]:
    """Write beside its place what is not there just so: all of it, or nothing."""
    staged: dict[str, Path] = {}
    try:
        for each in members:
            place = root / each.name
            if each.isdir():
                place.mkdir(each.mode & 0o755, parents=True, exist_ok=True)
                continue
            beside = staged[each.name] = place.with_name(f".{place.name}.kimi-new")
            _put(tar, each, beside, place)
            if _same(beside, place):
                staged.pop(each.name).unlink()
    except BaseException:
        for beside in staged.values():
            beside.unlink(missing_ok=True)
        raise
    return staged


def _put(
    tar: tarfile.TarFile, each: tarfile.TarInfo, beside: Path, place: Path
) -> None:
    if place.is_dir() and not place.is_symlink():
        raise Failure(f"{place} is a folder on the disk, and a file to be")
    if each.issym():
        beside.parent.mkdir(parents=True, exist_ok=True)
        beside.unlink(missing_ok=True)
        beside.symlink_to(each.linkname)
        return
    file = tar.extractfile(each)
    content = file.read() if file else b""
    if each.name == PINS and place.exists():
        there = place.read_text(errors="surrogateescape")
        content = merged(there, content.decode()).encode(errors="surrogateescape")
    _write(beside, content, each.mode & 0o755)


def merged(there: str, new: str) -> str:
    """Replace lines by those of the same name; what only the disk has stays."""
    fresh = {_name(line): line for line in new.splitlines()}
    kept = [fresh.get(_name(line), line) for line in there.splitlines()]
    held = {_name(line) for line in kept}
    added = [line for name, line in fresh.items() if name not in held]
    return "".join(f"{line}\n" for line in [*kept, *added])


def _name(line: str) -> str:
    return line.partition("=")[0].strip()


def _same(new: Path, old: Path) -> bool:
    if new.is_symlink() or old.is_symlink():
        both = new.is_symlink() and old.is_symlink()
        return both and new.readlink() == old.readlink()
    alike = old.is_file() and new.stat().st_mode == old.stat().st_mode
    return alike and filecmp.cmp(new, old, shallow=False)


def _write(path: Path, content: bytes, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    path.chmod(mode)


def installed(root: Path, names: Iterable[str]) -> set[str]:
    """Return the units among these files that say what starts them; no templates."""
    units = (PurePosixPath(name) for name in names if "@" not in name)
    places = (root / unit for unit in units if unit.parent == UNITS)
    return {
        place.name
        for place in places
        if place.is_file() and "[Install]" in place.read_text().splitlines()
    }


def systemctl(verb: str, *units: str) -> None:
    if units or verb == "daemon-reload":
        run("systemctl", verb, *units)


def run(*arguments: str) -> None:
    """Run a program of the system, which must end well."""
    done = subprocess.run(
        arguments,
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=PROGRAM_SECONDS,
    )
    if done.returncode != 0:
        said = " ".join(done.stderr.split())[-200:]
        called = " ".join(arguments[:2])
        raise Failure(f"`{called}` ended with {done.returncode}: {said}")


def recorded(root: Path) -> Record:
    """Return what is on the disk: no files where nothing is."""
    try:
        read = json.loads((root / RECORD).read_bytes())
        files = tuple(name for name in map(str, read["files"]) if _is_inside(name))
        is_whole = all(os.path.lexists(root / name) for name in files)
        return Record(str(read["sha256"]) if is_whole else "", files)
    except (OSError, ValueError, KeyError, TypeError):
        return Record()


def _is_inside(name: str) -> bool:
    """Whether a name of the record stays below the root: it is unlinked by root."""
    return not name.startswith("/") and ".." not in PurePosixPath(name).parts


def record(root: Path, now: Record) -> None:
    place = root / RECORD
    beside = place.with_suffix(".new")
    told = {"sha256": now.sha256, "files": sorted(set(now.files))}
    _write(beside, json.dumps(told, indent=1).encode() + b"\n")
    beside.replace(place)


def patiently(attempt: Callable[[], str], until: float) -> str:
    """Repeat an attempt after 1, 2, 4, 8, 10... seconds, or as it is told to."""
    pause = 1.0
    while True:
        try:
            return attempt()
        except Passing as error:
            wait = min(error.after or pause, LONGEST_PAUSE)
            if time.monotonic() + wait >= until:
                raise
        threading.Event().wait(wait)
        pause = min(pause * 2, LONGEST_PAUSE)


def since_boot() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def watch(
    limits: Limits = Limits(), uptime: Callable[[], float] = since_boot
) -> NoReturn:
    """Give the machine back while nobody keeps its lease; only power off ends it."""
    kept_at = uptime()
    while True:
        now = uptime()
        if is_kept():
            kept_at = now
        elif now >= limits.hour and now - kept_at >= limits.left:
            say(leave(os.environ))
        threading.Event().wait(limits.every)


def is_kept() -> bool:
    """Whether the payload's keeper of the lease is up; one that falls over is not."""
    try:
        run("systemctl", "is-active", KEEPER)
    except (Failure, OSError, subprocess.SubprocessError):
        return False
    return True


def leave(environ: Mapping[str, str]) -> str:
    """Ask Azure once to deallocate this machine, and say what it answers."""
    site = Site(environ, time.monotonic() + REQUEST_SECONDS)
    arm, identity = environ.get("ARM_ENDPOINT", ""), environ.get("AZURE_CLIENT_ID", "")
    if not re.fullmatch(r"https?://[A-Za-z0-9.:-]+/*", arm):
        arm = "https://management.azure.com"
    try:
        url = f"{arm.rstrip('/')}{site.instance('resourceId')}/deallocate"
        url += "?api-version=2024-07-01"
        headers = site.bearer("https://management.azure.com", identity)
        site.ask(url, headers, method="POST")
    except Exception as error:  # noqa: BLE001 - it is asked again, whatever it was
        return f"nobody keeps the lease, and Azure does not take the machine: {error}."
    return "nobody keeps the lease: the machine gives itself back, and Azure takes it."


def say(sentence: str) -> None:
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


def main(limits: Limits = Limits()) -> int:
    """Return 0 where a whole payload is on the disk, and 1 to be started again."""
    os.umask(0o022)
    environ, root = os.environ, Path(os.environ.get("KIMI_ROOT") or "/")
    there = recorded(root)
    patience = limits.brief if there.sha256 else limits.patience
    until = time.monotonic() + patience
    try:
        say(patiently(lambda: bring(Site(environ, until), root, there), until))
    except (Failure, OSError, ValueError, subprocess.SubprocessError) as error:
        said = str(error)
    except (tarfile.TarError, zlib.error) as error:
        said = f"the archive can't be read ({error})"
    else:
        return 0
    if recorded(root).sha256:
        say(f"{said}; the payload on the disk is good, and stays.")
        return 0
    say(f"{said}; no whole payload is on the disk.")
    return 1


if __name__ == "__main__":
    if sys.argv[1:] == ["watch"]:
        watch()
    sys.exit(main())
