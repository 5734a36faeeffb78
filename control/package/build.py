"""The package: sources, locked wheels and their bytecode, the same bytes each time.

The bytecode is believed without a look at its source: the times in a package are not
those of the files on Azure, and without it each cold start would compile seconds long.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from control.errors import CommandError
from control.package.lock import LOCK, PYTHON, REQUIREMENTS, ROOT, TARGET, faults, pip

SITE = ".python_packages/lib/site-packages"
SOURCES = ("function_app.py", "host.json", "requirements.txt", "control")
# Commands of the operator's, which nothing on Azure imports.
_LEFT_OUT = ("cli", "deployment", "package", "payload")
# What pip notes of this machine, and programs that start with its path.
_NOTES = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
_WHERE = "/home/site/wwwroot"
_DAY = (1980, 1, 1, 0, 0, 0)
_SECONDS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A zip; `wheels` are the tags of every distribution in it, by its name."""

    content: bytes = field(repr=False)
    wheels: dict[str, tuple[str, ...]]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def build() -> Package:
    """Make the package of this checkout; raises what `assemble` does."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "app"
        wheels = assemble(folder)
        content = _zipped(folder, Path(place) / "app.zip")
    return Package(content=content, wheels=wheels)


def assemble(folder: Path) -> dict[str, tuple[str, ...]]:
    """Put the package's files into a new folder; return the wheels' tags.

    Raises:
        CommandError: this is another Python than Azure's, the lock is not of these
            requirements, or a wheel does not fit.
    """
    _check()
    _copy_sources(folder)
    _install(folder / SITE)
    wheels = dict(_wheels(folder / SITE))
    if odd := sorted(name for name, tags in wheels.items() if not _fits(tags)):
        raise CommandError(f"{', '.join(odd)} would not run on Azure's Python.")
    _compile(folder)
    return wheels


def _check() -> None:
    if sys.version_info[:2] != PYTHON:
        wanted = ".".join(map(str, PYTHON))
        raise CommandError(f"bytecode for Azure is made by Python {wanted} alone.")
    if lost := faults(LOCK.read_text(), REQUIREMENTS.read_text()):
        raise CommandError(
            f"requirements.lock lacks {', '.join(lost)}: run `python -m control "
            "package lock`, and read what it changed."
        )


def _copy_sources(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=_ignored)
        else:
            shutil.copyfile(source, folder / name)


def _ignored(folder: str, names: list[str]) -> set[str]:
    left_out = set(_LEFT_OUT) if Path(folder) == ROOT / "control" else set()
    return {name for name in names if name == "__pycache__" or name in left_out}


def _install(site: Path) -> None:
    options = ["--quiet", "--no-deps", "--no-compile", "--require-hashes"]
    pip("install", *options, "--target", site, *TARGET, "-r", LOCK)
    shutil.rmtree(site / "bin", ignore_errors=True)
    for notes in site.glob("*.dist-info"):
        for name in _NOTES:
            (notes / name).unlink(missing_ok=True)


def _wheels(site: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    for path in sorted(site.glob("*.dist-info/WHEEL")):
        lines = path.read_text().splitlines()
        tags = [line.removeprefix("Tag: ") for line in lines if line.startswith("Tag:")]
        yield path.parent.name.partition("-")[0], tuple(tags)


def _fits(tags: tuple[str, ...]) -> bool:
    """Whether one of a wheel's tags is Azure's: pure, or for this Python's ABI."""
    version = "".join(map(str, PYTHON))
    kinds = [tag.split("-") for tag in tags]
    return any(
        (python.startswith("py") and platform == "any")
        or (abi in {f"cp{version}", "abi3"} and platform.endswith("x86_64"))
        for python, abi, platform in kinds
    )


def _compile(folder: Path) -> None:
    """Compile all, with the paths that tracebacks will have on Azure."""
    mode = ["--invalidation-mode", "unchecked-hash"]
    paths = ["-s", str(folder), "-p", _WHERE]
    done = subprocess.run(
        [sys.executable, "-I", "-m", "compileall", "-q", *mode, *paths, str(folder)],
        check=False,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
    )
    if done.returncode != 0:
        last = " ".join(done.stdout.split())[-300:]
        raise CommandError(f"something of it does not compile: {last}")


def _zipped(folder: Path, place: Path) -> bytes:
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _DAY)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                packed.writestr(entry, path.read_bytes())
    return place.read_bytes()
