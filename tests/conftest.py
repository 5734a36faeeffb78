"""The real services that several suites share, made once a session."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from local.azure import LocalAzure
from local.azurite import Azurite
from local.certificate import Certificate, make
from local.clock import SharedClock
from local.stack import Stack, running
from tests.door import Door, opened
from tests.evening import Evening


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """One authority for every service of the session."""
    return make(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="session")
def azurite(
    certificate: Certificate, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Azurite]:
    """Azurite's table service; each test takes a table of its own."""
    folder = tmp_path_factory.mktemp("azurite")
    with Azurite(certificate, folder=folder) as running:
        yield running


@pytest.fixture
def clock(tmp_path: Path) -> SharedClock:
    """A clock that moves as the real one does."""
    return SharedClock.create(tmp_path / "clock.json", datetime.now(UTC), speed=1)


@pytest.fixture
def azure(clock: SharedClock, certificate: Certificate) -> Iterator[LocalAzure]:
    """A local Azure whose unknown routes fail the test that called them."""
    with LocalAzure(clock, certificate) as running:
        yield running
        assert running.unknown_routes == []


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The demo's whole system."""
    with running(tmp_path_factory.mktemp("stack")) as made:
        yield made


@pytest.fixture
def door(stack: Stack) -> Iterator[Door]:
    """The way to it, which notes what passes."""
    with opened(stack.url) as made:
        yield made


@pytest.fixture
def evening(stack: Stack, door: Door) -> Iterator[Evening]:
    """A machine that is off, and nothing that fails."""
    with httpx.Client(timeout=30, trust_env=False) as client:
        made = Evening(stack=stack, door=door, client=client)
        made.settle()
        yield made
