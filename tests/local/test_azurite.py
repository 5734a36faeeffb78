"""The real Azurite, over HTTPS, with the real SDK: rows, outages, and its end."""

import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from azure.core.exceptions import (
    ResourceNotFoundError,
    ServiceRequestError,
    ServiceResponseError,
)
from azure.data.tables import TableClient

from local.azurite import Azurite, AzuriteError
from local.certificate import Certificate, make
from local.ports import PortInUse

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def certificate(folder: Path) -> Certificate:
    return make(folder)


@pytest.fixture(scope="module")
def azurite(folder: Path, certificate: Certificate) -> Iterator[Azurite]:
    with Azurite(certificate, folder=folder) as azurite:
        yield azurite


@pytest.fixture
def table(azurite: Azurite, certificate: Certificate) -> Iterator[TableClient]:
    with TableClient.from_connection_string(
        azurite.connection_string,
        "ledger",
        retry_total=0,
        connection_verify=str(certificate.authority),
    ) as table:
        yield table


def test_rows_outlive_an_outage(azurite: Azurite, table: TableClient) -> None:
    """While it is stopped connections are refused; afterwards every row is there."""
    table.create_table()
    table.create_entity({"PartitionKey": "vm", "RowKey": "lease", "state": "held"})
    azurite.stop()
    with pytest.raises(ServiceRequestError):
        table.get_entity("vm", "lease")
    azurite.start()
    assert table.get_entity("vm", "lease")["state"] == "held"


def test_a_frozen_one_hangs_until_it_is_thawed(
    azurite: Azurite, table: TableClient
) -> None:
    """A ledger that takes connections and never answers is an outage too."""
    azurite.freeze()
    try:
        with pytest.raises(ServiceResponseError):
            table.get_entity("vm", "none", connection_timeout=1, read_timeout=0.5)
    finally:
        azurite.thaw()
    with pytest.raises(ResourceNotFoundError):
        table.get_entity("vm", "none")


def test_a_taken_port_is_said(azurite: Azurite, certificate: Certificate) -> None:
    """A second one on the port gets a sentence, not a stack of Node's."""
    second = Azurite(certificate, folder=azurite.log.parent, port=azurite.port)
    with pytest.raises(PortInUse, match=f"port {azurite.port} .* in use"):
        second.start()


def test_a_bad_certificate_shows_what_node_said(
    tmp_path: Path, certificate: Certificate
) -> None:
    """A start that fails tells why, at once."""
    bad = Certificate(
        authority=certificate.authority,
        certificate=certificate.key,
        key=certificate.certificate,
    )
    with pytest.raises(AzuriteError, match="did not start"):
        Azurite(bad, folder=tmp_path).start()


def test_it_does_not_outlive_its_starter(tmp_path: Path) -> None:
    """A starter that is killed leaves no Azurite behind."""
    program = (
        "import sys; from pathlib import Path; from local.azurite import Azurite; "
        "from local.certificate import make; folder = Path(sys.argv[1]); "
        "azurite = Azurite(make(folder), folder=folder); azurite.start(); "
        "print(azurite._process.pid, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as starter:
        assert starter.stdout
        child = os.pidfd_open(int(starter.stdout.readline()))
        starter.kill()
    try:
        assert _ended(child)
    finally:
        os.close(child)


def _ended(child: int) -> bool:
    """Wait until the process behind the descriptor is gone."""
    ready, _, _ = select.select([child], [], [], 10)
    if not ready:
        signal.pidfd_send_signal(child, signal.SIGKILL)
    return bool(ready)
