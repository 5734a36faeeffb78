"""Azcopy, where our own reads fail: another client of the same container.

It says "Completed" with files missing and ends with 0 after a refused log-in: nothing
that it says counts, what it brought is hashed. It works in a folder of its own, empty
before and gone after, because a killed one leaves right sizes and wrong bytes.
"""

import shutil
from collections.abc import Collection
from pathlib import Path
from urllib.parse import urlsplit

from agent.command import Deadline, succeeds
from agent.manifest import File

_LEAST = 120.0
# What it takes at the very worst; it shows no progress that could be believed.
_BYTES_PER_SECOND = 200e6


def seconds(files: Collection[File]) -> float:
    """Return how long it may take."""
    return max(_LEAST, sum(file.size for file in files) / _BYTES_PER_SECOND)


def bring(url: str, identity: str, files: Collection[File], beside: Path) -> None:
    """Let it bring files from a folder of the container; look at them afterwards.

    Raises:
        AgentError: it is not installed, or was not done in time.
    """
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    notes = beside / ".azcopy"
    environ = {
        "AZCOPY_AUTO_LOGIN_TYPE": "MSI",
        "AZCOPY_MSI_CLIENT_ID": identity,
        "AZCOPY_LOG_LOCATION": str(notes),
        "AZCOPY_JOB_PLAN_LOCATION": str(notes),
        "HOME": str(notes),
        "NO_PROXY": "*",
    }
    succeeds(_command(url, files, beside), Deadline(seconds(files)), environ)


def _command(url: str, files: Collection[File], beside: Path) -> list[str]:
    paths = ";".join(file.path for file in files)
    return [
        *("azcopy", "copy", url, str(beside), "--recursive", "--as-subdir=false"),
        *("--include-path", paths, "--from-to=BlobLocal", "--skip-version-check"),
        f"--trusted-microsoft-suffixes={urlsplit(url).netloc}",
    ]
