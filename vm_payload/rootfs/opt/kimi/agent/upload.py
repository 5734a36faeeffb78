"""One file to its blob: in blocks with checksums, committed when its digest was right.

Until the list of its blocks is committed there is no blob: half of one is never seen.
https://learn.microsoft.com/rest/api/storageservices/put-block-list
"""

import base64
import hashlib
from pathlib import Path
from urllib.parse import quote

from agent.blob import Container, ForbiddenError
from agent.errors import AgentError
from agent.manifest import File
from agent.ranges import MissingError
from agent.web import Request

_BLOCK = 32 * 2**20
_DIGEST = "x-ms-meta-digest"
_PROBE = ".kimi-probe"


def is_there(blobs: Container, file: File) -> bool:
    """Whether a blob was committed as this very file."""
    try:
        reply = blobs.send(Request(method="HEAD", url=blobs.place(file.path).url))
    except MissingError:
        return False
    size = reply.headers.get("content-length")
    return (size, reply.headers.get(_DIGEST)) == (str(file.size), file.digest)


def upload(blobs: Container, file: File, place: Path) -> None:
    """Upload a file from a place.

    Raises:
        AgentError: its bytes are wrong, or it was not taken; there is no blob then.
    """
    digest, whole = file.hasher(), hashlib.md5(usedforsecurity=False)
    blocks: list[str] = []
    with place.open("rb") as content:
        while block := content.read(_BLOCK):
            digest.update(block)
            whole.update(block)
            blocks.append(_put(blobs, file.path, len(blocks), block))
    if digest.hexdigest() != file.digest:
        raise AgentError(f"{file.path} changed on the disk while it was uploaded.")
    _commit(blobs, file, blocks, _text(whole.digest()))


def may_write(blobs: Container) -> bool:
    """Try it, with a block that nobody commits: it is never a blob, and soon gone."""
    try:
        _put(blobs, _PROBE, 0, b"may this machine write?")
    except ForbiddenError:
        return False
    return True


def _put(blobs: Container, path: str, number: int, block: bytes) -> str:
    """Put one block; the service compares its checksum."""
    name = base64.b64encode(f"{number:06}".encode()).decode()
    checksum = _text(hashlib.md5(block, usedforsecurity=False).digest())
    url = f"{blobs.place(path).url}?comp=block&blockid={quote(name, safe='')}"
    headers = {"Content-MD5": checksum}
    blobs.send(Request(method="PUT", url=url, headers=headers, body=block))
    return name


def _commit(blobs: Container, file: File, blocks: list[str], checksum: str) -> None:
    names = "".join(f"<Latest>{name}</Latest>" for name in blocks)
    text = f'<?xml version="1.0" encoding="utf-8"?><BlockList>{names}</BlockList>'
    headers = {
        "x-ms-blob-content-md5": checksum,
        "x-ms-blob-content-type": "application/octet-stream",
        _DIGEST: file.digest,
    }
    url = f"{blobs.place(file.path).url}?comp=blocklist"
    body = text.encode()
    blobs.send(Request(method="PUT", url=url, headers=headers, body=body))


def _text(checksum: bytes) -> str:
    return base64.b64encode(checksum).decode()
