"""The official Bicep compiler: the one beside the repository, else the PATH's."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

INFRA = Path(__file__).parents[2] / "infra"
FILES = sorted(path.relative_to(INFRA) for path in INFRA.rglob("*.bicep*"))
_BESIDE = Path(__file__).parents[2].parent / "shared/tools/bicep"
_SECONDS = 120

type Document = dict[str, Any]


def compiler() -> str:
    """Return its path; skips where there is none."""
    found = str(_BESIDE) if _BESIDE.exists() else shutil.which("bicep")
    if found is None:
        pytest.skip("a Bicep compiler is missing: in ../shared/tools, and on the PATH")
    return found


def bicep(
    *arguments: str, folder: Path = INFRA, environ: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run it in a folder, with nothing in its environment but what a set says."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [compiler(), *arguments],
        check=False,
        capture_output=True,
        cwd=folder,
        env={**kept, **(environ or {})},
        text=True,
        timeout=_SECONDS,
    )


def built(name: str = "main.bicep") -> Document:
    """Compile a file to the JSON that ARM takes."""
    done = bicep("build", name, "--stdout")
    assert (done.returncode, done.stderr) == (0, "")
    read: Document = json.loads(done.stdout)
    return read


def predicted(
    folder: Path, environ: Mapping[str, str], subscription: str, tenant: str
) -> Document:
    """Evaluate the deployment of an environment, in a folder that it may write to."""
    shutil.copytree(INFRA, folder, dirs_exist_ok=True)
    ids = ["--subscription-id", subscription, "--tenant-id", tenant]
    place = ["--location", "eastus2", "--deployment-name", "switch"]
    done = bicep(
        *("snapshot", "main.bicepparam", "--mode", "overwrite", *ids, *place),
        folder=folder,
        environ=environ,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    read: Document = json.loads((folder / "main.snapshot.json").read_text())
    return read
