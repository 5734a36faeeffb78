"""The payload as one file: the same bytes on every machine and in every checkout.

Names are sorted; owner, times and modes are ours, but for the executable bit; the gzip
is stored, not squeezed, for every zlib squeezes in its own way. So the SHA-256 names
the content and nothing else. It has files and links alone: the folders are the
machine's own, and the mode of one that was there before must stay.
"""

import gzip
import hashlib
import io
import posixpath
import stat
import struct
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from control.errors import CommandError

_JUNK = {"__pycache__", ".DS_Store"}
_BLOCK = 0xFFFF
_GZIP_HEAD = b"\x1f\x8b\x08" + bytes(5) + b"\x00\xff"
_LARGEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What one archive has otherwise than another, each by its path."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.added, *self.changed, *self.removed)


def build(rootfs: Path, extra: Mapping[str, bytes]) -> bytes:
    """Return the archive of a tree, and of files that only the deployment knows.

    Raises:
        CommandError: it holds what the machine would refuse.
    """
    found = {path.relative_to(rootfs).as_posix(): path for path in _files(rootfs)}
    if twice := sorted(found.keys() & extra.keys()):
        raise CommandError(f"{', '.join(twice)} must not be in {rootfs.name} itself.")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted([*found, *extra]):
            if name in extra:
                _add(tar, _entry(name, tarfile.REGTYPE, 0o644), extra[name])
            else:
                _add_file(tar, name, found[name])
    if packed.tell() > _LARGEST:
        raise CommandError("the payload is larger than 64 MiB.")
    return _stored(packed.getvalue())


def sha256(archive: bytes) -> str:
    """Return the archive's name: its SHA-256 in hexadecimal digits."""
    return hashlib.sha256(archive).hexdigest()


def contents(archive: bytes) -> Mapping[str, bytes]:
    """Return every regular file's content by its path."""
    return {entry.name: body for entry, body in _entries(archive) if entry.isreg()}


def listing(archive: bytes) -> Mapping[str, str]:
    """Return every path with a hash of its kind, mode, target and content."""
    return {
        entry.name: hashlib.sha256(
            f"{entry.type!r} {entry.mode:o} {entry.linkname}\0".encode() + body
        ).hexdigest()
        for entry, body in _entries(archive)
    }


def diff(before: Mapping[str, str], after: Mapping[str, str]) -> Changes:
    """Compare two listings."""
    both = before.keys() & after.keys()
    return Changes(
        added=tuple(sorted(after.keys() - before.keys())),
        changed=tuple(sorted(path for path in both if before[path] != after[path])),
        removed=tuple(sorted(before.keys() - after.keys())),
    )


def _files(folder: Path) -> Iterator[Path]:
    """Yield files and links; a link to a folder is a link."""
    for path in folder.iterdir():
        if path.name in _JUNK or path.suffix == ".pyc":
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _files(path)
        elif path.is_file() or path.is_symlink():
            yield path
        else:
            raise CommandError(f"{path} is neither a file, a folder nor a link.")


def _entry(name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.mtime = kind, mode, 0
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry


def _add(tar: tarfile.TarFile, entry: tarfile.TarInfo, body: bytes = b"") -> None:
    entry.size = len(body)
    try:
        tar.addfile(entry, io.BytesIO(body))
    except ValueError as why:
        raise CommandError(f"{entry.name} is no name for an archive: {why}.") from None


def _add_file(tar: tarfile.TarFile, name: str, path: Path) -> None:
    if path.is_symlink():
        entry = _entry(name, tarfile.SYMTYPE, 0o777)
        entry.linkname = path.readlink().as_posix()
        if not _stays_inside(entry):
            raise CommandError(f"{path} leads out of the payload.")
        _add(tar, entry)
        return
    executable = path.stat().st_mode & stat.S_IXUSR
    mode = 0o755 if executable else 0o644
    _add(tar, _entry(name, tarfile.REGTYPE, mode), path.read_bytes())


def _stays_inside(link: tarfile.TarInfo) -> bool:
    """Whether the machine takes a link: systemd masks a unit by one to /dev/null."""
    target = posixpath.join(posixpath.dirname(link.name), link.linkname)
    inside = not posixpath.normpath(target).startswith(("/", ".."))
    return inside or link.linkname == "/dev/null"


def _stored(data: bytes) -> bytes:
    """Wrap bytes as a gzip file of stored blocks, with no time and no system in it."""
    starts = range(0, len(data), _BLOCK)
    blocks = [data[start : start + _BLOCK] for start in starts]
    last = len(blocks) - 1
    body = b"".join(
        struct.pack("<BHH", at == last, len(block), len(block) ^ 0xFFFF) + block
        for at, block in enumerate(blocks)
    )
    return _GZIP_HEAD + body + struct.pack("<II", zlib.crc32(data), len(data))


def _entries(archive: bytes) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    """Yield what is in an archive, or say that it is none."""
    try:
        with gzip.open(io.BytesIO(archive)) as packed:
            data = packed.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise CommandError("the archive is larger than any payload of ours.")
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            for entry in tar:
                file = tar.extractfile(entry) if entry.isreg() else None
                yield entry, file.read() if file else b""
    except (OSError, EOFError, zlib.error, tarfile.TarError) as why:
        kind = type(why).__name__
        raise CommandError(f"the archive can't be read ({kind}).") from None
