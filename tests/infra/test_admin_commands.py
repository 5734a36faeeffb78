"""`control admin`: one address, for minutes, and shut again whatever happens."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from control.deployment.ssh_window import NAME
from local.azure import Kind, LocalAzure
from tests.infra.golden import place
from tests.infra.reading import one
from tests.payload.login import Operator
from tests.soon import soon

ROOT = Path(__file__).parents[2]
ADDRESS = "8.8.4.4"


def rule_of_the_template() -> dict[str, Any]:
    made = json.loads(place("off").read_text())
    guard = one(made, "Microsoft.Network/networkSecurityGroups")
    rules = {
        each["name"]: each["properties"]
        for each in guard["properties"]["securityRules"]
    }
    found: dict[str, Any] = rules[NAME]
    return found


@pytest.fixture
def path(azure: LocalAzure) -> str:
    """The rule as a deployment leaves it."""
    where = f"/subscriptions/{azure.subscription_id}/resourceGroups/rg-kimi/providers"
    guard = f"{where}/Microsoft.Network/networkSecurityGroups/nsg-kimi-eastus2"
    made = f"{guard}/securityRules/{NAME}"
    azure.guards.put(made, rule_of_the_template(), azure.now())
    return made


@pytest.fixture
def operator(azure: LocalAzure, path: str, tmp_path: Path) -> Operator:
    return Operator.of(azure, tmp_path / "login", SSH_RULE_ID=path)


def rule(azure: LocalAzure, path: str) -> dict[str, Any]:
    return dict(azure.guards.rules[path.lower()].properties)


def writes(azure: LocalAzure) -> int:
    return len(azure.log.of(Kind.NETWORK_WRITE))


def test_it_is_open_for_so_long_and_shut_again(
    azure: LocalAzure, operator: Operator, path: str
) -> None:
    """Shut, it is again as the template writes it, to the letter."""
    done = operator.run("admin", "open", "--from", ADDRESS, "--minutes", "0.01")
    assert done.exit_code == 0, done.output
    assert f"Open for {ADDRESS}/32 until" in done.stdout
    assert done.stdout.endswith("Closed.\n")
    assert rule(azure, path) == rule_of_the_template()
    assert writes(azure) == 2


@contextmanager
def begun(operator: Operator, *more: str) -> Iterator["subprocess.Popen[str]"]:
    """Run the command as a process, which does not outlive the test."""
    command = [sys.executable, "-m", "control", "admin", "open", "--from", ADDRESS]
    with subprocess.Popen(
        [*command, *more],
        cwd=ROOT,
        env={**os.environ, **operator.environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("ended_by", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_whatever_ends_the_command_shuts_it(
    azure: LocalAzure, operator: Operator, path: str, ended_by: str
) -> None:
    """Ctrl-C, a kill, a terminal that was closed; once or twice."""
    with begun(operator, "--minutes", "20") as process:
        soon(lambda: rule(azure, path)["access"] == "Allow")
        assert rule(azure, path)["sourceAddressPrefix"] == f"{ADDRESS}/32"
        assert rule(azure, path)["description"].startswith("Open until 20")
        assert process.stdout is not None
        assert "Open for" in process.stdout.readline()
        process.send_signal(signal.Signals[ended_by])
        soon(lambda: rule(azure, path)["access"] == "Deny")
        process.send_signal(signal.Signals[ended_by])
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out == "Closed.\n"
    assert rule(azure, path) == rule_of_the_template()


def test_what_can_not_be_shut_is_told_loudly(
    azure: LocalAzure, operator: Operator
) -> None:
    """With two ways to do it."""
    with begun(operator, "--minutes", "0.1") as process:
        assert process.stdout is not None
        assert "Open for" in process.stdout.readline()
        azure.faults.arm(
            "permission", times=None, kinds=frozenset({Kind.NETWORK_WRITE})
        )
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "SSH IS STILL OPEN" in err
    assert "admin close`, or `az network nsg rule update --ids /subscriptions/" in err


def test_close_shuts_what_another_one_opened(
    azure: LocalAzure, operator: Operator, path: str
) -> None:
    """And is content where it is shut."""
    left = rule_of_the_template() | {
        "access": "Allow",
        "sourceAddressPrefix": "1.1.1.1",
    }
    azure.guards.put(path, left, azure.now())
    done = operator.run("admin", "close", "--dry-run")
    assert "It would close what is open for 1.1.1.1" in done.stdout
    assert writes(azure) == 0
    assert operator.run("admin", "close").stdout == "Closed.\n"
    assert rule(azure, path) == rule_of_the_template()
    assert operator.run("admin", "close").stdout == "It is closed.\n"


@pytest.mark.parametrize(
    "source", ["0.0.0.0/0", "8.0.0.0/8", "192.168.1.7", "me", "::1", "8.8.4.4/33", ""]
)
def test_only_ones_own_address_is_let_in(
    azure: LocalAzure, operator: Operator, source: str
) -> None:
    """Not everybody, and not one that Azure never sees."""
    done = operator.run("admin", "open", "--from", source)
    assert done.exit_code == 1
    assert "is no address of yours" in done.stderr
    assert writes(azure) == 0


def test_a_dry_run_changes_nothing(azure: LocalAzure, operator: Operator) -> None:
    """It says for whom, and until when."""
    done = operator.run("admin", "open", "--from", ADDRESS, "--dry-run")
    assert f"Nothing was done. It would let {ADDRESS}/32 in until" in done.stdout
    assert writes(azure) == 0


def test_before_a_deployment_there_is_no_rule(
    azure: LocalAzure, operator: Operator
) -> None:
    """It makes none of its own."""
    azure.guards.rules.clear()
    done = operator.run("admin", "close")
    assert done.exit_code == 1
    assert "there is no rule /subscriptions/" in done.stderr


def test_another_rule_is_never_touched(operator: Operator, path: str) -> None:
    """Such as the one that keeps the Internet out."""
    wall = path.replace(NAME, "deny-internet-all")
    done = operator.run("admin", "close", SSH_RULE_ID=wall)
    assert done.exit_code == 1
    assert "SSH_RULE_ID is not the id of the rule allow-ssh-admin" in done.stderr
