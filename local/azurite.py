"""Azurite's table or blob service over HTTPS: started, stopped, frozen."""

import http.client
import signal
import ssl
import subprocess
import time
from enum import StrEnum
from pathlib import Path
from typing import Self

from local import ports
from local.certificate import Certificate
from local.node import AZURITE, find_node

ACCOUNT = "devstoreaccount1"
# The development account's key, the same in every Azurite and published with it.
KEY = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/"
    "K1SZFPTOtr/KBHBeksoGMGw=="
)

_START_SECONDS = 30
# Node ends when its standard input does, so that no Azurite outlives its starter.
_LIFELINE = (
    "data:text/javascript,process.stdin.resume();process.stdin.unref();"
    "process.stdin.on('end',()=>process.exit(0))"
)


class AzuriteError(RuntimeError):
    """Azurite does not start; the sentence says what it said."""


class Service(StrEnum):
    """What of Azure Storage is served; the value is Azurite's own word."""

    TABLE = "table"
    BLOB = "blob"


class Azurite:
    """One storage service that listens inside its `with` block."""

    def __init__(
        self,
        certificate: Certificate,
        *,
        folder: Path,
        port: int = 0,
        service: Service = Service.TABLE,
    ) -> None:
        self.port = port or ports.free()
        self.endpoint = f"https://{ports.ADDRESS}:{self.port}/{ACCOUNT}"
        self.connection_string = (
            f"DefaultEndpointsProtocol=https;AccountName={ACCOUNT};"
            f"AccountKey={KEY};{service.title()}Endpoint={self.endpoint};"
        )
        self.log = folder / "azurite.log"
        self._certificate = certificate
        self._kept = folder / "azurite"
        self._service = service
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start it, with what it kept from before, and wait until it answers."""
        ports.refuse_taken(self.port)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command(),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            self._wait(self._process)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Let it write what it keeps and end: connections are refused from here on."""
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(signal.SIGCONT)
        process.send_signal(signal.SIGINT)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(5)
        assert process.stdin is not None
        process.stdin.close()

    def freeze(self) -> None:
        """Let it hang: connections are taken and never answered."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on after `freeze`."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _command(self) -> list[str]:
        return [
            *(find_node().node, "--import", _LIFELINE),
            str(AZURITE.install() / f"dist/src/{self._service}/main.js"),
            *("--location", str(self._kept)),
            *("--silent", "--disableTelemetry", "--skipApiVersionCheck"),
            *(f"--{self._service}Host", ports.ADDRESS),
            *(f"--{self._service}Port", str(self.port)),
            *("--oauth", "basic"),
            *("--cert", str(self._certificate.certificate)),
            *("--key", str(self._certificate.key)),
        ]

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end:
            if self._answers():
                return
            try:
                process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
            break
        said = self.log.read_text(errors="replace")[-2000:]
        raise AzuriteError(f"Azurite did not start on port {self.port}:\n{said}")

    def _answers(self) -> bool:
        trust = ssl.create_default_context(cafile=self._certificate.authority)
        connection = http.client.HTTPSConnection(
            ports.ADDRESS, self.port, timeout=2, context=trust
        )
        try:
            connection.request("GET", f"/{ACCOUNT}?comp=list")
            return connection.getresponse().status > 0
        except OSError:
            return False
        finally:
            connection.close()
