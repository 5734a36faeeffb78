"""`control ledger init` from a laptop: by the person's own login, as keys are off."""

from pathlib import Path

import pytest

from local.azure import LocalAzure
from local.azurite import Azurite
from tests.payload.login import Operator


@pytest.fixture
def operator(azure: LocalAzure, azurite: Azurite, tmp_path: Path) -> Operator:
    """Somebody who is logged in, and has deployed."""
    made = Operator.of(azure, tmp_path / "login", LEDGER_TABLE="frominfra")
    environ = {**made.environ, "LEDGER_TABLE_ENDPOINT": azurite.endpoint}
    return Operator(folder=made.folder, environ=environ)


def test_the_ledger_is_made_without_a_key(operator: Operator) -> None:
    """And a second time it is content."""
    for _ in range(2):
        done = operator.run("ledger", "init", "--carried-over", "300")
        assert done.exit_code == 0, done.output
        assert done.stdout == "The ledger is ready; 300 USD carried over.\n"
    done = operator.run("ledger", "init")
    assert done.exit_code == 1
    assert "with 300 USD carried over" in done.stderr


def test_without_a_login_it_says_what_to_do(operator: Operator) -> None:
    """Not that the ledger is ill."""
    operator.log_out()
    done = operator.run("ledger", "init")
    assert done.exit_code == 1
    assert "run `az login`" in done.stderr


@pytest.mark.parametrize("connection", ["nonsense", "AccountName=a", "a=b;c=d"])
def test_a_connection_that_is_none_is_told(operator: Operator, connection: str) -> None:
    """Without repeating it: it may be half of a key."""
    done = operator.run("ledger", "init", LEDGER_CONNECTION_STRING=connection)
    assert done.exit_code == 1
    assert done.stderr.startswith("Not done: ")
    assert connection not in done.stderr
    assert "Traceback" not in done.output
