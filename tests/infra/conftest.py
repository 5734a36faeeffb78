"""What the templates make, compiled once for all tests."""

import pytest

from tests.infra.compiler import Document, built
from tests.infra.sets import Snapshots


@pytest.fixture(scope="session")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> Snapshots:
    """Shared by the workers: an evaluation takes seconds."""
    return Snapshots(tmp_path_factory.getbasetemp().parent / "infra")


@pytest.fixture(scope="session")
def template() -> Document:
    """The compiled `main.bicep`."""
    return built()
