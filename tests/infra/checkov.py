"""`python -m tests.infra.checkov`: another eye on what the deployments would make.

It reads resolved snapshots, each wrapped as a template whose resources are a list:
given Bicep, or symbolic names, it ends well having seen nothing. It has an environment
of its own, for it wants other versions of what we use.
"""

import json
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.infra.golden import place
from tests.infra.sets import GOLDEN

VERSION = "checkov==3.3.30"
HOME = Path(__file__).parents[2] / ".checkov"
LEAST = 40
_SECONDS = 600
_FINDINGS = Path(__file__).with_name("findings.toml")
_SCHEMA = (
    "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"
)


def installed() -> Path:
    """Return the program, installed where it is not."""
    program = HOME / "bin/checkov"
    if not program.exists():
        venv.create(HOME, clear=True, with_pip=True)
        pip = [str(HOME / "bin/pip"), "install", "--quiet", VERSION]
        subprocess.run(pip, check=True, timeout=_SECONDS)
    return program


def checked(resources: list[Any], folder: Path) -> dict[str, Any]:
    """Return what it says of resources."""
    template = {"$schema": _SCHEMA, "contentVersion": "1.0.0.0"}
    path = folder / "template.json"
    path.write_text(json.dumps({**template, "resources": resources}))
    options = ["--framework", "arm", "--skip-download", "--output", "json", "--quiet"]
    done = subprocess.run(
        [str(installed()), "--file", str(path), *options],
        check=False,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
    )
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def faults(name: str, said: dict[str, Any], accepted: Iterable[str]) -> list[str]:
    """Say what must not be: too little seen, or a finding that nobody has accepted."""
    summary = said["summary"]
    found = [
        f"{name}: {each['check_id']} {each['check_name']} ({each['resource']})"
        for each in said["results"]["failed_checks"]
        if each["check_id"] not in set(accepted)
    ]
    if summary["parsing_errors"] or summary["resource_count"] < LEAST:
        found.append(f"{name}: not all was read: {summary}")
    return found


def main() -> int:
    """Check every golden snapshot; 1 where one has a fault."""
    accepted = tomllib.loads(_FINDINGS.read_text())["accepted"]
    found, met = [], set()
    for name in GOLDEN:
        resources = json.loads(place(name).read_text())["predictedResources"]
        with tempfile.TemporaryDirectory() as folder:
            said = checked(resources, Path(folder))
        found += faults(name, said, accepted)
        met |= {each["check_id"] for each in said["results"]["failed_checks"]}
        seen = said["summary"]["resource_count"]
        sys.stdout.write(f"{name}: {seen} resources seen\n")
    stale = sorted(accepted.keys() - met)
    found += [f"{each} is accepted and found nowhere" for each in stale]
    sys.stdout.writelines(f"{each}\n" for each in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
