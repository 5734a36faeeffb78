"""What a deployment sends: the templates compiled, with the environment's parameters.

The compiler is the one that `BICEP` names, the PATH's, or the one that `az bicep
install` or azd brought.
"""

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from control.errors import CommandError

_PARAMETERS = Path(__file__).parents[2] / "infra/main.bicepparam"
_BROUGHT = (".azure/bin/bicep", ".azd/bin/bicep")
_SECONDS = 180


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The JSON that ARM takes, and its parameters by their names."""

    template: Mapping[str, Any]
    parameters: Mapping[str, Any]
    run: str = ""

    def value(self, name: str) -> Any:
        """Return a parameter's value."""
        return self.parameters[name]["value"]

    def changed(self, **values: Any) -> "Template":
        """Return the same with other values of some parameters."""
        given = {name: {"value": value} for name, value in values.items()}
        return replace(self, parameters={**self.parameters, **given})

    @property
    def name(self) -> str:
        """What its deployment is called: both regions are in it.

        A deployment of one name can't be made at another place, and one run's must not
        be taken for the run's before.
        """
        where = f"{self.value('location')}-{self.value('machineLocation')}"
        return f"{self.value('prefix')}-machine-{where}"[:49] + self.run

    def body(self) -> Mapping[str, Any]:
        """Return what ARM is sent; what the template leaves out stays as it is."""
        return {
            "location": self.value("location"),
            "properties": {
                "mode": "Incremental",
                "template": self.template,
                "parameters": self.parameters,
            },
        }


def compiled(environ: Mapping[str, str]) -> Template:
    """Compile with this environment.

    Raises:
        CommandError: there is no compiler, or it found a fault; and which.
    """
    if not _PARAMETERS.is_file():
        raise CommandError("infra/ is not here: run it in a checkout of this.")
    command = [_compiler(environ), "build-params", str(_PARAMETERS), "--stdout"]
    try:
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as why:
        raise CommandError(f"{command[0]} did not run: {why}.") from None
    if done.returncode != 0:
        raise CommandError(f"infra/ can't be compiled: {_first_fault(done.stderr)}")
    return _read(done.stdout)


def _compiler(environ: Mapping[str, str]) -> str:
    home = Path(environ.get("HOME") or "/")
    found = environ.get("BICEP") or shutil.which("bicep", path=environ.get("PATH"))
    if found:
        return found
    for place in _BROUGHT:
        if (home / place).is_file():
            return str(home / place)
    raise CommandError("there is no Bicep compiler: `az bicep install` brings one.")


def _first_fault(text: str) -> str:
    faults = [line for line in text.splitlines() if "Error" in line] or [text]
    return faults[0].rpartition(" : ")[2].strip()


def _read(text: str) -> Template:
    try:
        said = json.loads(text)
        template = json.loads(said["templateJson"])
        parameters = json.loads(said["parametersJson"])["parameters"]
    except (KeyError, TypeError, ValueError):
        raise CommandError("the Bicep compiler did not print JSON.") from None
    return Template(template=template, parameters=parameters)
