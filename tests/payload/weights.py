"""A model as small as can be (64 shards, 9 files of code, a licence), and its blobs."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import httpx
from agent.manifest import Manifest, Shape, from_hub

from local.azure import LocalAzure
from local.azurite import Azurite
from tests.payload.store import container

REVISION = "4d01dfe0332d63057c186e0b262165819efb6611"
SHARDS, CODE = 64, 9


@dataclass(frozen=True)
class Model:
    """All files of a revision; each shard has bytes of its own."""

    repo: str = "moonshotai/Kimi-K2.5"
    revision: str = REVISION
    shard_size: int = 40_000

    @cached_property
    def files(self) -> Mapping[str, bytes]:
        shards = {
            f"model-{at:05}-of-{SHARDS:06}.safetensors": hashlib.sha256(
                str(at).encode()
            ).digest()
            * (self.shard_size // 32)
            for at in range(1, SHARDS + 1)
        }
        code = {f"modeling_{at}.py": f"VALUE = {at}\n".encode() for at in range(CODE)}
        return {
            **shards,
            **code,
            "LICENSE": b"Modified MIT\n",
            "config.json": b"{}\n",
            "figures/empty.txt": b"",
            "model.safetensors.index.json": b'{"weight_map": {}}\n',
        }

    @property
    def folder(self) -> str:
        return f"Kimi-K2.5/{self.revision}"

    @property
    def shape(self) -> Shape:
        return Shape(self.revision, SHARDS, CODE, "LICENSE")

    @property
    def pins(self) -> dict[str, str]:
        return {
            "MODEL_REPO": self.repo,
            "MODEL_REV": self.revision,
            "MODEL_SHARDS": str(SHARDS),
            "MODEL_CODE_FILES": str(CODE),
            "MODEL_LICENSE_FILE": "LICENSE",
        }

    @cached_property
    def tree(self) -> list[dict[str, Any]]:
        """The hub's list: a SHA-256 for large files, git's object id for the others."""
        folders = [{"type": "directory", "path": "figures", "oid": "0" * 40, "size": 0}]
        return folders + [_listed(name, body) for name, body in self.files.items()]

    @cached_property
    def manifest(self) -> Manifest:
        return from_hub(self.tree, self.shape)


def _listed(name: str, body: bytes) -> dict[str, Any]:
    git = hashlib.sha1(b"blob %d\0" % len(body) + body, usedforsecurity=False)
    said = {"type": "file", "path": name, "size": len(body), "oid": git.hexdigest()}
    if name.endswith(".safetensors"):
        said["lfs"] = {"oid": hashlib.sha256(body).hexdigest(), "size": len(body)}
    return said


MODEL = Model()


@dataclass
class Blobs:
    """One container as an operator fills it."""

    url: str
    client: httpx.Client

    @classmethod
    @contextmanager
    def made(cls, storage: Azurite, azure: LocalAzure) -> Iterator["Blobs"]:
        """Make a container in Azurite."""
        with container(storage, azure, "models") as (url, client):
            yield cls(url, client)

    def put(self, name: str, body: bytes, model: Model = MODEL) -> None:
        kind = {"x-ms-blob-type": "BlockBlob"}
        place = f"{self.url}/{model.folder}/{name}"
        self.client.put(place, content=body, headers=kind).raise_for_status()

    def get(self, name: str, model: Model = MODEL) -> bytes | None:
        reply = self.client.get(f"{self.url}/{model.folder}/{name}")
        if reply.status_code == httpx.codes.NOT_FOUND:
            return None
        return reply.raise_for_status().content

    def names(self) -> set[str]:
        """What a list of the container shows, without the folder."""
        query = {"restype": "container", "comp": "list"}
        listed = self.client.get(self.url, params=query).raise_for_status()
        found = re.findall("<Name>(.*?)</Name>", listed.text)
        return {name.removeprefix(f"{MODEL.folder}/") for name in found}

    def remove(self, name: str, model: Model = MODEL) -> None:
        self.client.delete(f"{self.url}/{model.folder}/{name}").raise_for_status()

    def fill(self, model: Model = MODEL) -> None:
        """Put a whole model there, as `seed` leaves it."""
        for name, body in model.files.items():
            self.put(name, body, model)
        self.put("manifest.json", model.manifest.text(), model)


def text(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content).encode()
