"""The real services of the contract suite: Azurite and the local Azure, once each."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from control.azure.credential import managed_identity
from control.azure.table import AzureTable
from control.memory import MemoryTable
from control.ports import Table
from local.azure import LocalAzure
from local.certificate import Certificate
from local.clock import SharedClock
from tests.contract import machine_worlds, worlds

if TYPE_CHECKING:
    from local.azurite import Azurite

_TABLES = count(1)


@pytest.fixture(autouse=True)
def _trust(certificate: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let requests (the SDKs) and httpx (prices) trust that authority."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate.authority))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.authority))


@pytest.fixture(params=["memory", "azure", "identity"])
def missing_table(request: pytest.FixtureRequest) -> Table:
    """A table that was not created yet: the twin, by key, by the app's identity."""
    if request.param == "memory":
        return MemoryTable(missing=True)
    azurite: Azurite = request.getfixturevalue("azurite")
    name = f"contract{next(_TABLES)}"
    if request.param == "identity":
        azure: LocalAzure = request.getfixturevalue("azure")
        credential = managed_identity(azure.client_id)
        return AzureTable.by_identity(
            endpoint=azurite.endpoint, name=name, credential=credential
        )
    return AzureTable.by_connection_string(azurite.connection_string, name=name)


@pytest.fixture
def table(missing_table: Table) -> Table:
    """An empty table of either kind."""
    missing_table.create()
    return missing_table


@pytest.fixture
def clock(tmp_path: Path) -> SharedClock:
    """A clock that stands still until it is moved."""
    return SharedClock.create(tmp_path / "clock.json", worlds.NOW, speed=0)


@pytest.fixture
def azure(
    clock: SharedClock, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> Iterator[LocalAzure]:
    """A local Azure; a call that it does not know fails the test."""
    with LocalAzure(clock, certificate) as running:
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        yield running
        assert running.unknown_routes == []


@pytest.fixture(params=["memory", "azure"])
def side(request: pytest.FixtureRequest) -> str:
    """Which side of the contract is under test."""
    chosen: str = request.param
    return chosen


@pytest.fixture
def machines(side: str, request: pytest.FixtureRequest) -> machine_worlds.MachinesWorld:
    """A world with one machine."""
    if side == "memory":
        return machine_worlds.MemoryMachinesWorld()
    azure, clock = _local(request)
    return machine_worlds.AzureMachinesWorld(azure, clock)


@pytest.fixture
def reports(side: str, request: pytest.FixtureRequest) -> worlds.ReportsWorld:
    """A world with one budget."""
    if side == "memory":
        return worlds.MemoryReportsWorld()
    return worlds.AzureReportsWorld(_local(request)[0])


@pytest.fixture
def prices(side: str, request: pytest.FixtureRequest) -> worlds.PricesWorld:
    """A world with a price list."""
    if side == "memory":
        return worlds.MemoryPricesWorld()
    return worlds.AzurePricesWorld(_local(request)[0])


@pytest.fixture
def tokens(side: str, request: pytest.FixtureRequest) -> worlds.TokensWorld:
    """A world with a vault."""
    if side == "memory":
        return worlds.MemoryTokensWorld()
    azure, clock = _local(request)
    return worlds.AzureTokensWorld(azure, clock)


@pytest.fixture
def notices(side: str, request: pytest.FixtureRequest) -> worlds.NoticesWorld:
    """A world where notices arrive."""
    if side == "memory":
        return worlds.MemoryNoticesWorld()
    return worlds.AzureNoticesWorld(_local(request)[0])


def _local(request: pytest.FixtureRequest) -> tuple[LocalAzure, SharedClock]:
    return request.getfixturevalue("azure"), request.getfixturevalue("clock")
