"""The command line: what it says, and the codes it ends with."""

import json
import subprocess
import sys
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from control.cli.ledger import initialise
from control.cli.main import app
from control.ledger import Ledger
from control.memory import MemoryTable
from tests.unit.test_settings import GIVEN

ROOT = Path(__file__).parents[3]


def run(*arguments: str, environ: Mapping[str, str] | None = None) -> Result:
    cleared = dict.fromkeys([*GIVEN, "MACHINES", "LEDGER_CONNECTION_STRING"])
    return CliRunner().invoke(
        app, list(arguments), env={**cleared, **dict(environ or {})}
    )


def test_openapi_prints_the_contract() -> None:
    """The same document as /openapi.json."""
    made = run("openapi")
    assert made.exit_code == 0
    assert "/start" in json.loads(made.stdout)["paths"]


def test_docs_check_changes_nothing_and_is_content() -> None:
    """The repository's documents are current (a test of theirs says so too)."""
    before = (ROOT / "docs/settings.md").stat().st_mtime_ns
    made = run("docs", "--check")
    assert (made.exit_code, made.stdout) == (
        0,
        "What is made from the code is up to date.\n",
    )
    assert (ROOT / "docs/settings.md").stat().st_mtime_ns == before


@pytest.mark.parametrize("amount", ["-1", "much", "NaN"])
def test_an_amount_must_be_one(amount: str) -> None:
    """A wrong call ends with 2."""
    made = run("ledger", "init", f"--carried-over={amount}")
    assert made.exit_code == 2
    assert "an amount of 0 or more" in made.stderr


def test_a_missing_ledger_is_named() -> None:
    """By the setting that leads to it, and the code is 1."""
    made = run("ledger", "init")
    assert made.exit_code == 1
    assert made.stderr == (
        "Not done: the environment lacks LEDGER_TABLE_ENDPOINT; docs/settings.md says "
        "what each is.\n"
    )


def test_a_ledger_that_does_not_answer_is_told_in_one_sentence() -> None:
    """Port 1 of this machine takes nobody."""
    connection = (
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=c2VjcmV0;"
        "TableEndpoint=https://127.0.0.1:1/a"
    )
    ledger = {"LEDGER_TABLE_ENDPOINT": "", "LEDGER_CONNECTION_STRING": connection}
    made = run("ledger", "init", environ=GIVEN | ledger)
    assert made.exit_code == 1
    assert made.stderr.startswith("Not done: ")
    assert "c2VjcmV0" not in made.output
    assert "Traceback" not in made.output


def test_a_new_ledger_is_made_and_an_old_one_is_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Asked for the same again it is content; for another amount it ends with 1."""
    table = MemoryTable(missing=True)
    for _ in range(2):
        initialise(table, Decimal("120.50"), "USD")
        said = "The ledger is ready; 120.50 USD carried over.\n"
        assert capsys.readouterr().out == said
    with pytest.raises(typer.Exit) as ended:
        initialise(table, Decimal(0), "USD")
    assert ended.value.exit_code == 1
    assert "with 120.50 USD carried over" in capsys.readouterr().err
    meta = Ledger(table).meta()
    assert meta is not None
    assert meta.carried_over == Decimal("120.50")


def test_without_typer_a_sentence_says_what_to_install() -> None:
    """The app itself never needs it."""
    script = (
        "import sys; sys.modules['typer'] = None; sys.argv = ['control']\n"
        "from control.__main__ import main\n"
        "sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "pip install" in done.stderr
    assert "Traceback" not in done.stderr
