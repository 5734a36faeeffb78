"""Containers of Azurite's, and the operator's own way into them."""

import hashlib
import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

import httpx

from local.azure import LocalAzure
from local.azurite import Azurite

NAME = "vm-kimi-01"


@contextmanager
def container(
    storage: Azurite, azure: LocalAzure, kind: str
) -> Iterator[tuple[str, httpx.Client]]:
    """Make an empty container; yield its address and a client that may do all."""
    url = f"{storage.endpoint}/{kind}-{uuid4().hex[:12]}"
    life = timedelta(hours=1)
    token = azure.identity.issue("operator", "https://storage.azure.com", life)
    headers = {"Authorization": f"Bearer {token.text}", "x-ms-version": "2021-08-06"}
    trust = ssl.create_default_context(cafile=azure.certificate.authority)
    with httpx.Client(verify=trust, headers=headers, trust_env=False) as client:
        client.put(f"{url}?restype=container").raise_for_status()
        yield url, client


@dataclass
class Store:
    """The container of payloads, as an operator fills it."""

    url: str
    client: httpx.Client

    def put(self, name: str, body: bytes) -> None:
        kind = {"x-ms-blob-type": "BlockBlob"}
        put = self.client.put(f"{self.url}/{name}", content=body, headers=kind)
        put.raise_for_status()

    def name(self, sha256: str, machine: str = NAME) -> None:
        pointer = json.dumps({"sha256": sha256}).encode()
        self.put(f"machines/{machine}.json", pointer)

    def publish(self, archive: bytes, machine: str = NAME) -> str:
        sha256 = hashlib.sha256(archive).hexdigest()
        self.put(f"archives/{sha256}.tar.gz", archive)
        self.name(sha256, machine)
        return sha256
