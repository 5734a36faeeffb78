"""The real services that several suites share, made once a session."""

from collections.abc import Iterator

import pytest

from local.azurite import Azurite
from local.certificate import Certificate, make


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
