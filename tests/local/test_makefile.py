"""The two commands' own sentences, and what makes `.ci/run` fail."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GREEN = "===== 3 passed in 0.10s ====="
SKIPPED = "SKIPPED [1] tests/contract/test_arm.py:9: ../shared/azure is not there"


def test_without_python_3_13_make_says_what_to_do(tmp_path: Path) -> None:
    """A shim that fails and an older Python are passed over; the sentence is clear."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bash", "make"):
        (tools / name).symlink_to(shutil.which(name) or "")
    for name in ("python3.13", "python3"):
        (tools / name).write_text("#!/bin/bash\nexit 127\n")
        (tools / name).chmod(0o755)
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("pyproject.toml", "requirements.txt"):
        (tmp_path / name).touch()
    made = _run(["make", "ready"], tmp_path, PATH=str(tools), HOME=str(tmp_path))
    assert made.returncode != 0
    assert "Python 3.13 (with its venv module) was not found" in made.stderr


def test_green_tests_pass_and_their_last_line_is_shown(tmp_path: Path) -> None:
    """The closing line of pytest closes the run's output too."""
    ran = _ci(tmp_path, f"{GREEN}\nmore", 0)
    assert ran.returncode == 0
    assert ran.stdout.rstrip().endswith(GREEN)


def test_a_red_run_fails(tmp_path: Path) -> None:
    """What `make test` says decides."""
    ran = _ci(tmp_path, "===== 1 failed, 2 passed in 0.10s =====", 1)
    assert ran.returncode != 0
    assert "1 failed, 2 passed" in ran.stdout.splitlines()[-1]


@pytest.mark.parametrize("reason", [SKIPPED, SKIPPED.replace("../shared", "evidence")])
def test_a_skip_for_want_of_evidence_fails(tmp_path: Path, reason: str) -> None:
    """A test that found no evidence has tested nothing."""
    ran = _ci(tmp_path, f"{reason}\n{GREEN}", 0)
    assert ran.returncode == 1
    assert "evidence in ../shared is missing" in ran.stderr


def test_a_finding_in_the_templates_fails(tmp_path: Path) -> None:
    """However green the tests were."""
    ran = _ci(tmp_path, GREEN, 0, checkov=1)
    assert ran.returncode == 1
    assert ran.stdout.rstrip().endswith(GREEN)


def test_another_skip_does_not_fail(tmp_path: Path) -> None:
    """A skip that names another reason is the tests' own business."""
    skip = "SKIPPED [1] tests/x.py:1: needs a real Azure"
    assert _ci(tmp_path, f"{skip}\n{GREEN}", 0).returncode == 0


def _ci(
    folder: Path, output: str, code: int, checkov: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run .ci/run over a Makefile whose tests print this and end so."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", folder / ".ci")
    (folder / "output").write_text(output + "\n")
    recipe = f"packages:\n\t@true\ntest:\n\t@cat output; exit {code}\n"
    recipe += f"checkov:\n\t@exit {checkov}\n"
    (folder / "Makefile").write_text(recipe)
    return _run(["bash", ".ci/run"], folder)


def _run(
    command: list[str], folder: Path, **environ: str
) -> subprocess.CompletedProcess[str]:
    kept = {name: text for name, text in os.environ.items() if "MAKE" not in name}
    return subprocess.run(
        command,
        cwd=folder,
        env=kept | environ,
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=60,
    )
