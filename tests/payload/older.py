"""The Pythons that the agent must run on beside ours: Ubuntu 24.04 has 3.12."""

import shutil
import subprocess
from pathlib import Path

import pytest

OLDER = ("3.11", "3.12")


def older(version: str) -> str:
    """Return the path of a Python of this version; skip the test where none is."""
    named = [
        f"python{version}",
        *Path.home().glob(f".pyenv/versions/{version}.*/bin/python"),
    ]
    found = next((str(each) for each in named if _works(str(each))), None)
    if found is None:
        pytest.skip(f"there is no Python {version} here")
    return found


def _works(python: str) -> bool:
    """Whether it is one: a shim on the PATH may only say that it can't run."""
    if shutil.which(python) is None:
        return False
    tried = subprocess.run([python, "-c", ""], check=False, capture_output=True)
    return tried.returncode == 0
