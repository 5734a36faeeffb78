"""The local Azure under test, and the real SDK clients that talk to it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from azure.identity import ManagedIdentityCredential
from azure.mgmt.compute import ComputeManagementClient

from local.azure import LocalAzure
from local.certificate import Certificate
from local.clock import SharedClock
from tests.local.wire import wire

START = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


@pytest.fixture
def clock(tmp_path: Path) -> SharedClock:
    """A clock that stands still until a test moves it."""
    return SharedClock.create(tmp_path / "clock.json", START, speed=0)


@pytest.fixture
def azure(
    clock: SharedClock, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> Iterator[LocalAzure]:
    """A local Azure whose unknown routes fail the test that called them."""
    with LocalAzure(clock, certificate) as running:
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        yield running
        assert running.unknown_routes == []


@pytest.fixture
def credential(azure: LocalAzure) -> Iterator[ManagedIdentityCredential]:
    with ManagedIdentityCredential(client_id=azure.client_id) as made:
        yield made


@pytest.fixture
def compute(
    azure: LocalAzure, credential: ManagedIdentityCredential
) -> Iterator[ComputeManagementClient]:
    with ComputeManagementClient(
        credential,
        azure.subscription_id,
        base_url=azure.arm_url,
        credential_scopes=["https://management.azure.com/.default"],
        retry_total=0,
        connection_timeout=5,
        read_timeout=5,
    ) as client:
        yield client


@pytest.fixture
def arm(azure: LocalAzure) -> Iterator[httpx.Client]:
    """A bare HTTP client with a good token, to look at the wire itself."""
    with wire(azure, "app", "2026-04-01") as client:
        yield client


@pytest.fixture
def vm_path(azure: LocalAzure) -> str:
    return (
        f"/subscriptions/{azure.subscription_id}/resourceGroups/rg-kimi"
        "/providers/Microsoft.Compute/virtualMachines/vm-kimi-01"
    )
