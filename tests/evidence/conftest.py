"""The local Azure and a bare client as its own tests have them, and a replay."""

from collections.abc import Iterator

import pytest

from local.certificate import Certificate
from tests.evidence.replay import Replay
from tests.local.conftest import arm, azure, clock, vm_path
from tests.unit.azure.stub import serve

__all__ = ["arm", "azure", "clock", "vm_path"]


@pytest.fixture(scope="module")
def replay(certificate: Certificate) -> Iterator[Replay]:
    """One server and one set of clients for all recordings of a module."""
    with pytest.MonkeyPatch.context() as patch, serve(certificate) as stub:
        for name in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"):
            patch.setenv(name, str(certificate.authority))
        yield Replay(stub)
