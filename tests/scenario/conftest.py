"""One Azurite and one worker for all timelines; a fresh Azure and ledger for each."""

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from itertools import count
from pathlib import Path

import httpx
import pytest

from control.azure.table import AzureTable
from control.ledger import Ledger
from local.azure import Kind, LocalAzure, Spec
from local.azurite import Azurite
from local.certificate import Certificate
from local.clock import SharedClock
from local.functions.host import Host
from local.functions.server import serve
from local.tables import TableProxy
from tests.scenario.world import (
    MACHINE,
    OPERATOR,
    PHONE,
    VM,
    World,
    build_anew,
    settings,
)

ROOT = Path(__file__).parents[2]
START = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
_TABLES = count(1)


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    """The real function_app in Microsoft's worker, loaded once with no settings."""
    loaded = Host.load(ROOT, environ={})
    yield loaded
    loaded.close()


@pytest.fixture(scope="session")
def base(host: Host) -> Iterator[str]:
    with serve(host, port=0) as server:
        yield server.url


@pytest.fixture
def start_at() -> datetime:
    """When the timeline begins; a test may say otherwise."""
    return START


@pytest.fixture
def clock(tmp_path: Path, start_at: datetime) -> SharedClock:
    return SharedClock.create(tmp_path / "clock.json", start_at, speed=0)


@pytest.fixture
def azure(
    clock: SharedClock, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> Iterator[LocalAzure]:
    """A local Azure with the tokens in its vault; power-off and 501 fail the test."""
    with LocalAzure(clock, certificate, machines=[Spec()], pace=False) as running:
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        running.add_secret("token-iphone", PHONE, tags={"scope": "phone"})
        running.add_secret("token-operator", OPERATOR, tags={"scope": "operator"})
        sink = running.sink_url.replace("http://", "json://")
        running.add_secret("notify-url", sink)
        tags = {"scope": "vm", "machine": MACHINE}
        running.add_secret(f"token-vm-{MACHINE}", VM, tags=tags)
        yield running
        assert running.unknown_routes == []
        assert running.log.of(Kind.VM_POWER_OFF, caller="app") == []


@pytest.fixture
def world(
    clock: SharedClock, azure: LocalAzure, azurite: Azurite, host: Host, base: str
) -> Iterator[World]:
    """A deployment whose ledger was initialised, with the machine off."""
    name = f"ledger{next(_TABLES)}"
    environ = settings(azure, azurite, name)
    table = AzureTable.by_connection_string(azurite.connection_string, name=name)
    Ledger(table).initialise(Decimal(0), clock.now())
    build_anew(host, environ, clock)
    azure.vm.connect(base, VM)
    with httpx.Client(timeout=30, trust_env=False) as client:
        yield World(
            clock=clock,
            azure=azure,
            azurite=azurite,
            host=host,
            base=base,
            table=table,
            environ=environ,
            client=client,
        )


@pytest.fixture
def proxy(world: World, certificate: Certificate) -> Iterator[TableProxy]:
    """A proxy between the app and its ledger; `world.table` reads past it."""
    with TableProxy(world.azurite.endpoint, certificate) as running:
        world.environ["LEDGER_CONNECTION_STRING"] = running.connection_string
        world.build_anew()
        yield running
