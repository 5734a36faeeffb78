"""A stub of Azure over TLS for the adapters' own tests."""

from collections.abc import Iterator

import pytest

from local.certificate import Certificate, make
from tests.unit.azure.stub import Stub, serve


@pytest.fixture(scope="session")
def stub_certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """One authority for all stubs."""
    return make(tmp_path_factory.mktemp("stub"))


@pytest.fixture
def stub(
    stub_certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Stub]:
    """A server that the SDKs trust and that answers as it is told."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(stub_certificate.authority))
    with serve(stub_certificate) as running:
        yield running
