"""A machine in a local Azure: real blobs, and what has no real one here."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from local.azure import LocalAzure
from local.azurite import Azurite, Service
from local.certificate import Certificate
from tests.payload.agent import Payload
from tests.payload.hub import FakeHub
from tests.payload.plane import Plane
from tests.payload.store import Store, container
from tests.payload.weights import MODEL, Blobs


@pytest.fixture(scope="session")
def storage(
    certificate: Certificate, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Azurite]:
    """Azurite's blob service; each test takes a container of its own."""
    folder = tmp_path_factory.mktemp("blobs")
    with Azurite(certificate, folder=folder, service=Service.BLOB) as running:
        yield running


@pytest.fixture
def blobs(storage: Azurite, azure: LocalAzure) -> Iterator[Blobs]:
    """An empty container, and the operator's own way into it."""
    with Blobs.made(storage, azure) as made:
        yield made


@pytest.fixture
def store(storage: Azurite, azure: LocalAzure) -> Iterator[Store]:
    """An empty container for payloads."""
    with container(storage, azure, "payload") as (url, client):
        yield Store(url, client)


@pytest.fixture
def plane() -> Iterator[Plane]:
    """A control plane that takes every report."""
    with Plane.running() as running:
        yield running


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    """A hub with the model's files."""
    with FakeHub(MODEL) as running:
        yield running


@pytest.fixture
def payload(tmp_path: Path, azure: LocalAzure, blobs: Blobs, hub: FakeHub) -> Payload:
    """A machine that has booted and mounted its disks."""
    made = Payload(
        tmp_path / "machine",
        {
            "AZURE_CLIENT_ID": azure.identity.client_id("vm"),
            "IMDS_ENDPOINT": azure.vm.imds_url,
            "ARM_ENDPOINT": azure.arm_url,
            "KEY_VAULT_URL": azure.machine_vault.url,
            "WEIGHTS_URL": blobs.url,
            "HUB_ENDPOINT": hub.url,
            "SSL_CERT_FILE": str(azure.certificate.authority),
            **MODEL.pins,
        },
    )
    (made.folder / "data/models").mkdir()
    return made
