"""The real services that several suites share, made once a session."""

from collections.abc import Iterator
from pathlib import Path

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


# Measuring them would make these suites half as long again; the units tell enough.
_UNMEASURED = {
    Path(__file__).parent / name for name in ("scenario", "local", "evidence")
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Measure no coverage in the timelines, which take most of a run's time."""
    for item in items:
        if _UNMEASURED & set(item.path.parents):
            item.add_marker(pytest.mark.no_cover)
