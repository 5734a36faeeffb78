"""The manifest: every file of one revision with its size and digest, the only truth.

A revision never changes, so one of its manifests is as good as another; one that is
empty, cut or strange is an error and never "nothing to do".
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Protocol

from agent.errors import AgentError

NAME = "manifest.json"
_SHARD = ".safetensors"
_INDEX = "model.safetensors.index.json"
_CODE = ".py"
_SHA256, _GIT = 64, 40
_HEX = frozenset("0123456789abcdef")


class Hash(Protocol):
    """What hashlib makes."""

    def update(self, data: bytes | bytearray, /) -> None:
        """Take more bytes."""

    def hexdigest(self) -> str:
        """Return the digest of all bytes so far."""
        ...


@dataclass(frozen=True)
class File:
    """One file: its path below the model's folder, bytes, and digest in hex.

    64 digits are a SHA-256; 40 are the object id that git has for small files.
    """

    path: str
    size: int
    digest: str

    @property
    def is_shard(self) -> bool:
        return self.path.endswith(_SHARD)

    @property
    def is_sha256(self) -> bool:
        return len(self.digest) == _SHA256

    def hasher(self) -> Hash:
        """Return what its bytes are fed to, in order, to get its digest."""
        if self.is_sha256:
            return hashlib.sha256()
        header = f"blob {self.size}\0".encode()
        return hashlib.sha1(header, usedforsecurity=False)


@dataclass(frozen=True)
class Shape:
    """What a whole manifest of this model must have, as the pins say."""

    revision: str
    shards: int
    code_files: int
    license_file: str


@dataclass(frozen=True)
class Manifest:
    """All files of a revision, in the order of their paths."""

    revision: str
    files: tuple[File, ...]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    @property
    def shards(self) -> int:
        return sum(file.is_shard for file in self.files)

    @property
    def digest(self) -> str:
        """The SHA-256 of its own text."""
        return hashlib.sha256(self.text()).hexdigest()

    def text(self) -> bytes:
        """Return it as it is stored; the same files give the same bytes."""
        files = [vars(file) for file in self.files]
        content = {"revision": self.revision, "files": files}
        return json.dumps(content, indent=1).encode() + b"\n"


def parse(text: bytes, shape: Shape) -> Manifest:
    """Read a stored manifest.

    Raises:
        AgentError: it is cut, empty, of another revision, or lacks a file.
    """
    try:
        content = json.loads(text)
        revision = str(content["revision"])
        files = [_file(each, each["digest"]) for each in content["files"]]
    except (ValueError, KeyError, TypeError):
        raise AgentError("the manifest of the weights is cut or empty.") from None
    return _whole(Manifest(revision, _sorted(files)), shape)


def from_hub(tree: Sequence[Mapping[str, Any]], shape: Shape) -> Manifest:
    """Read the tree of a revision as Hugging Face's API tells it.

    Large files have a SHA-256, the others git's object id.

    Raises:
        AgentError: it is no whole tree.
    """
    try:
        files = [
            _file(each, (each.get("lfs") or each)["oid"])
            for each in tree
            if each["type"] == "file"
        ]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise AgentError("the hub's list of the model's files can't be read.") from None
    return _whole(Manifest(shape.revision, _sorted(files)), shape)


def _file(said: Mapping[str, Any], digest: object) -> File:
    file = File(path=said["path"], size=said["size"], digest=str(digest))
    number = isinstance(file.size, int) and not isinstance(file.size, bool)
    if not isinstance(file.path, str) or not number or file.size < 0:
        raise ValueError(file.path)
    if len(file.digest) not in {_SHA256, _GIT} or not set(file.digest) <= _HEX:
        raise ValueError(file.digest)
    return file


def _sorted(files: list[File]) -> tuple[File, ...]:
    return tuple(sorted(files, key=lambda file: file.path))


def _whole(manifest: Manifest, shape: Shape) -> Manifest:
    fault = next(_faults(manifest, shape), None)
    if fault is not None:
        raise AgentError(f"the manifest of the weights is not whole: {fault}.")
    return manifest


def _faults(manifest: Manifest, shape: Shape) -> Iterator[str]:
    paths = [file.path for file in manifest.files]
    code = sum(path.endswith(_CODE) for path in paths)
    if manifest.revision != shape.revision:
        yield f"it is of the revision {manifest.revision}, not {shape.revision}"
    if manifest.shards != shape.shards:
        yield f"{manifest.shards} of {shape.shards} shards"
    if code != shape.code_files:
        yield f"{code} .py files instead of exactly {shape.code_files}"
    for needed in (_INDEX, shape.license_file):
        if needed not in paths:
            yield f"{needed} is missing"
    if len(set(paths)) != len(paths):
        yield "a file is in it twice"
    for file in manifest.files:
        if not _is_safe(file.path):
            yield f"a file is called “{file.path}”"
        if file.is_shard and not file.size:
            yield f"{file.path} is empty"


def _is_safe(path: str) -> bool:
    """Whether it stays below the model's folder, and is no file of ours."""
    parts = PurePosixPath(path).parts
    plain = str(PurePosixPath(*parts)) == path if parts else False
    ours = any(part.startswith(".kimi") for part in parts) or path.endswith(".part")
    return plain and not path.startswith("/") and ".." not in parts and not ours
