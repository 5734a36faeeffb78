"""The payload's container: archives named by their content, and a pointer a machine.

An archive is never written twice, and the pointer is written last: whoever reads it
finds what it names.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING

from azure.core.exceptions import HttpResponseError

from control.azure.answers import Said
from control.azure.arm import call_options
from control.azure.deadline import within
from control.azure.faults import error, table_code, translated
from control.azure.lazy import Lazy
from control.azure.sentences import needs, silence_named
from control.errors import Evidence, Failed

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential
    from azure.storage.blob import ContainerClient

_SECONDS = 30.0
_MOST = 120.0
_ABSENT = "BlobNotFound"
_EXISTS = {"BlobAlreadyExists", "ConditionNotMet", "TargetConditionNotMet"}
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SENTENCES = {
    "AuthorizationPermissionMismatch": "your Azure login may not do this in the "
    "payload's container: it needs the role Storage Blob Data Contributor there, and "
    "roles take minutes to work.",
    "AuthorizationFailure": "the payload's storage account refuses this network or "
    "login: look at its firewall and at your roles there.",
    "ContainerNotFound": "there is no such container: look at PAYLOAD_URL.",
}


class PayloadContainer:
    """One container, by its address, as the person at the command line."""

    def __init__(self, *, credential: "TokenCredential", url: str) -> None:
        self._client = Lazy(partial(_container, credential, url))

    def pointer(self, machine: str) -> str | None:
        """Return the SHA-256 that a machine's pointer names; None without a pointer."""
        body = self._read(_pointer_of(machine))
        return None if body is None else _named(machine, body)

    def archive(self, sha256: str) -> bytes | None:
        """Return an archive; None when it is not there."""
        return self._read(_archive_of(sha256))

    def put(self, sha256: str, archive: bytes) -> bool:
        """Write an archive unless it is there; say whether it was written."""

        def write(client: "ContainerClient") -> bool:
            try:
                client.upload_blob(_archive_of(sha256), archive, overwrite=False)
            except HttpResponseError as refusal:
                if table_code(refusal) in _EXISTS:
                    return False
                raise
            return True

        return self._call(write)

    def point(self, machine: str, sha256: str) -> None:
        """Let a machine's pointer name an archive from now on."""
        name, body = _pointer_of(machine), json.dumps({"sha256": sha256}).encode()
        self._call(lambda client: client.upload_blob(name, body, overwrite=True))

    def _read(self, name: str) -> bytes | None:
        def read(client: "ContainerClient") -> bytes | None:
            try:
                return client.download_blob(name).readall()
            except HttpResponseError as refusal:
                if table_code(refusal) == _ABSENT:
                    return None
                raise

        return self._call(read)

    def _call[T](self, call: "Callable[[ContainerClient], T]") -> T:
        silence = silence_named("the payload's container", "PAYLOAD_URL")
        with silence, translated(), _in_sentences():
            client = self._client()
            return within(_MOST, lambda _: call(client))


def _pointer_of(machine: str) -> str:
    return f"machines/{machine}.json"


def _archive_of(sha256: str) -> str:
    return f"archives/{sha256}.tar.gz"


def _named(machine: str, body: bytes) -> str:
    """Read a pointer: anything but a SHA-256 would lead anywhere."""
    try:
        found = json.loads(body)
    except ValueError:
        found = None
    named = found.get("sha256") if isinstance(found, dict) else None
    if not isinstance(named, str) or not _SHA256.fullmatch(named):
        raise Failed(
            Evidence(
                message=f"the pointer {_pointer_of(machine)} names no SHA-256; delete "
                "it and run `update`."
            )
        )
    return named


@contextmanager
def _in_sentences() -> Iterator[None]:
    """Say what the service refused: its own words are XML, and for programs."""
    try:
        yield
    except HttpResponseError as refusal:
        status, code = refusal.status_code, table_code(refusal)
        if status is None or status < HTTPStatus.MULTIPLE_CHOICES:
            raise
        said = f"the payload's container answered {status} {code or ''}".rstrip() + "."
        message = _SENTENCES.get(code or "", said)
        raise error(status, Said(code=code, message=message)) from None


def _container(credential: "TokenCredential", url: str) -> "ContainerClient":
    """Return a client that asks once: no retry, no redirect."""
    with needs("azure-storage-blob"):
        from azure.storage.blob import (  # noqa: PLC0415 - slow: made at first use
            ContainerClient,
        )

    return ContainerClient.from_container_url(
        url,
        credential,
        retry_total=0,
        permit_redirects=False,
        **call_options(_SECONDS),
    )
