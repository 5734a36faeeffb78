"""docs/recovery.md names commands that there are, with names that they take."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from control.cli.main import app
from control.deployment.keyring import keyring

TEXT = (Path(__file__).parents[2] / "docs/recovery.md").read_text()
COMMANDS = sorted(
    {each.strip() for each in re.findall(r"`python -m\s+control ([a-z -]+)", TEXT)}
)


@pytest.mark.parametrize("command", [each for each in COMMANDS if each])
def test_the_command_is_there(command: str) -> None:
    """Asked for its help, it says what it is; what follows it is an argument."""
    words = command.split()
    tried = [words[:count] for count in (2, 1) if len(words) >= count]
    codes = [CliRunner().invoke(app, [*each, "--help"]).exit_code for each in tried]
    assert 0 in codes


def test_every_secret_has_its_line() -> None:
    """None is left to be found out at night."""
    for secret in keyring("vm-kimi-01"):
        assert f"secrets rotate {secret.name}" in TEXT
