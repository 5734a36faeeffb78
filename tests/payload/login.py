"""An operator at the command line: a login of their own, and the whole environment."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner, Result

from control.cli.main import app
from local.azure import LocalAzure

_RESOURCES = ("management.azure.com", "storage.azure.com", "vault.azure.net")
_PROGRAM = """#!/bin/sh
echo "$*" >> {folder}/asked
for name in {names}; do
  case "$*" in *"https://$name"*) exec cat "{folder}/$name.json" ;; esac
done
exit 1
"""


@dataclass(frozen=True, kw_only=True)
class Operator:
    """A person whose `az` hands out real tokens of the local Azure."""

    folder: Path
    environ: Mapping[str, str]

    @classmethod
    def of(
        cls, azure: LocalAzure, folder: Path, caller: str = "operator", **more: str
    ) -> "Operator":
        """Put the program first on the path; the real credential runs it."""
        folder.mkdir()
        for name in _RESOURCES:
            (folder / f"{name}.json").write_text(_answer(azure, caller, name))
        program = folder / "az"
        names = " ".join(_RESOURCES)
        program.write_text(_PROGRAM.format(folder=folder, names=names))
        program.chmod(0o755)
        path = {"PATH": f"{folder}:{os.environ['PATH']}"}
        return cls(folder=folder, environ=azure.environment() | path | more)

    def run(self, *arguments: str, **more: str | None) -> Result:
        """Run a command as this person."""
        environ: dict[str, str | None] = {**self.environ, **more}
        return CliRunner().invoke(app, list(arguments), env=environ)

    def log_out(self) -> None:
        (self.folder / "az").write_text("#!/bin/sh\necho 'Please run az login' >&2\n")


def _answer(azure: LocalAzure, caller: str, name: str) -> str:
    token = azure.identity.issue(caller, f"https://{name}")
    return json.dumps(
        {
            "accessToken": token.text,
            "expiresOn": f"{token.expires:%Y-%m-%d %H:%M:%S.000000}",
            "expires_on": int(token.expires.timestamp()),
            "subscription": azure.subscription_id,
            "tenant": "7a3c1f0e-5d2b-4c6a-9e8f-112233445566",
            "tokenType": "Bearer",
        }
    )
