"""The package: the same bytes again, whole, with bytecode that Azure believes."""

import io
import json
import shutil
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from control.cli.main import app as commands
from control.package import build as building
from control.package.build import SITE, Package, build
from control.package.lock import LOCK, REQUIREMENTS, faults, text
from control.web.routes import ROUTES

ROOT = Path(__file__).parents[2]
# Nothing of this machine's Python but its own library; then what Azure puts there.
_ALONE = """
import json, sys
sys.path += sys.argv[1:]
import function_app
loaded = {name: getattr(m, "__file__", None) for name, m in list(sys.modules.items())}
print(json.dumps({
    "functions": [f.get_function_name() for f in function_app.app.get_functions()],
    "strangers": [f for f in loaded.values() if f and "-packages" in f
                  and not f.startswith(sys.argv[1])],
}))
"""
pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def package() -> Package:
    return build()


@pytest.fixture(scope="module")
def unpacked(package: Package, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wwwroot")
    with zipfile.ZipFile(io.BytesIO(package.content)) as packed:
        packed.extractall(folder)
    return folder


def alone(folder: Path) -> "subprocess.CompletedProcess[str]":
    """Import the app from the package alone."""
    places = [str(folder), str(folder / SITE)]
    return subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", _ALONE, *places],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_it_is_whole(unpacked: Path) -> None:
    """Every route and the timer, by nothing that is not inside."""
    done = alone(unpacked)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert set(said["functions"]) == {*(route.name for route in ROUTES), "tick"}
    assert said["strangers"] == []


def test_its_bytecode_is_believed(unpacked: Path) -> None:
    """A source that is unreadable is not read: no time of a file counts."""
    sources = [unpacked / "function_app.py", *(unpacked / "control").rglob("*.py")]
    kept = {path: path.read_bytes() for path in sources}
    try:
        for path in sources:
            path.write_text("this is no Python\n")
        assert alone(unpacked).returncode == 0
    finally:
        for path, content in kept.items():
            path.write_bytes(content)


def test_the_same_checkout_makes_the_same_bytes(package: Package) -> None:
    """So its SHA-256 says what runs."""
    assert build().sha256 == package.sha256


def test_g10_every_wheel_is_for_azures_python(package: Package) -> None:
    """G10: nothing is built there; each is pure, or for CPython 3.13 on Linux."""
    assert len(package.wheels) == len(LOCK.read_text().splitlines()) - 2
    for tags in package.wheels.values():
        assert any(
            tag.endswith("-none-any") or "-cp313-many" in tag or "-abi3-many" in tag
            for tag in tags
        )


@pytest.mark.parametrize(
    ("tag", "fits"),
    [
        ("py3-none-any", True),
        ("cp313-cp313-manylinux_2_28_x86_64", True),
        ("cp311-abi3-manylinux_2_28_x86_64", True),
        ("cp312-cp312-manylinux_2_28_x86_64", False),
        ("cp313-cp313-macosx_14_0_arm64", False),
        ("cp313-cp313-manylinux_2_28_aarch64", False),
    ],
)
def test_what_would_not_run_there(tag: str, *, fits: bool) -> None:
    """By the tag that a wheel says of itself."""
    assert building._fits((tag,)) is fits


def test_it_holds_what_runs_and_nothing_of_this_machine(package: Package) -> None:
    """No commands, no tests, no secrets of local work; one day, one mode."""
    with zipfile.ZipFile(io.BytesIO(package.content)) as packed:
        entries = packed.infolist()
    names = {each.filename for each in entries}
    ours = {name.split("/")[0] for name in names}
    assert ours == {
        ".python_packages",
        "__pycache__",
        "control",
        "function_app.py",
        "host.json",
        "requirements.txt",
    }
    commands_only = tuple(f"control/{name}/" for name in building._LEFT_OUT)
    assert not any(name.startswith(commands_only) for name in names)
    assert not any(name.endswith(("/RECORD", "/INSTALLER")) for name in names)
    assert any(name.startswith("control/web/page/") for name in names)
    assert {each.date_time for each in entries} == {(1980, 1, 1, 0, 0, 0)}
    assert {each.external_attr >> 16 for each in entries} == {0o644}
    sources = {name for name in names if name.endswith(".py")}
    compiled = {name for name in names if name.endswith(".cpython-313.pyc")}
    assert len(compiled) == len(sources)


def test_azd_takes_a_folder_of_the_same_files(
    unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made anew each time; the environment that azd makes in there is left out."""
    monkeypatch.setattr("control.cli.package.assemble", partial(_copied, unpacked))
    place = tmp_path / ".package"
    for _ in range(2):
        done = CliRunner().invoke(commands, ["package", "folder", str(place)])
        assert done.exit_code == 0, done.output
        assert (place / ".funcignore").read_text() == ".package_env\n"
        assert (place / "function_app.py").is_file()
        (place / "old").touch()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").touch()
    done = CliRunner().invoke(commands, ["package", "folder", str(tmp_path / "mine")])
    assert done.exit_code == 1
    assert "was not made by this command" in done.stderr
    assert (tmp_path / "mine/thesis.txt").exists()


def _copied(unpacked: Path, folder: Path) -> dict[str, tuple[str, ...]]:
    shutil.copytree(unpacked, folder)
    return {}


def test_g10_azd_builds_nothing() -> None:
    """G10: and what it runs before are commands that there are."""
    said = yaml.safe_load((ROOT / "azure.yaml").read_text())
    (service,) = said["services"].values()
    assert service["remoteBuild"] is False
    assert (service["language"], service["host"]) == ("python", "function")
    assert list(said["services"]) == ["switch"]
    runs = [one for hook in said["hooks"].values() for one in hook["run"].split("&&")]
    for run in runs:
        python, _, module, *command = run.split()
        assert (python, module) == ("python", "control")
        done = CliRunner().invoke(commands, [*command, "--help"])
        assert done.exit_code == 0, done.output
    assert service["project"] in said["hooks"]["prepackage"]["run"].split()


def test_the_lock_is_of_these_requirements() -> None:
    """What was pinned anew is locked anew before it is built."""
    assert faults(LOCK.read_text(), REQUIREMENTS.read_text()) == []
    newer = REQUIREMENTS.read_text().replace("httpx==", "httpx==9.")
    (lost,) = faults(LOCK.read_text(), newer)
    assert lost.startswith("httpx==9.")


def test_a_lock_is_written_from_pips_report() -> None:
    """By name, in order, with the one hash of the one wheel."""
    found = [
        {
            "metadata": {"name": name, "version": "1.0"},
            "download_info": {"archive_info": {"hashes": {"sha256": "ab" * 32}}},
        }
        for name in ("PyYAML", "azure_core")
    ]
    lines = text({"install": found}).splitlines()[2:]
    hashed = f"--hash=sha256:{'ab' * 32}"
    assert lines == [f"azure-core==1.0 {hashed}", f"pyyaml==1.0 {hashed}"]


def test_the_command_says_what_it_made(
    package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its hash, its size, and how much is in it; a place that is none is told."""
    monkeypatch.setattr("control.cli.package.built", lambda: package)
    done = CliRunner().invoke(
        commands, ["package", "build", "--output", str(tmp_path / "app.zip")]
    )
    assert done.exit_code == 0, done.output
    assert f"sha256 {package.sha256}\n" in done.stdout
    assert (tmp_path / "app.zip").read_bytes() == package.content
    done = CliRunner().invoke(commands, ["package", "build", "--output", str(tmp_path)])
    assert (done.exit_code, "can't be written" in done.stderr) == (1, True)
