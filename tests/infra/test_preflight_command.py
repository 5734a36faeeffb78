"""`control preflight`, against a subscription that is not ready, and one that is."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from local.azure import Kind, LocalAzure
from local.azure.budgets import Budget
from tests.payload.login import Operator


@pytest.fixture
def operator(azure: LocalAzure, tmp_path: Path) -> Operator:
    """Somebody who is logged in, and is about to deploy."""
    today = datetime.now(UTC).date().replace(day=1)
    return Operator.of(
        azure,
        tmp_path / "login",
        BUDGETS_FROM=f"{today}",
        CREDIT_EXPIRES="2099-01-01",
    )


def test_a_subscription_that_is_ready(azure: LocalAzure, operator: Operator) -> None:
    """It is told, and nothing was changed."""
    done = operator.run("preflight")
    assert done.exit_code == 0, done.output
    assert "13 providers are registered" in done.stdout
    methods = {each.method for each in azure.log.of(Kind.SUBSCRIPTION, Kind.BUDGET)}
    assert methods == {"GET"}


def test_names_and_times_are_looked_at(azure: LocalAzure, operator: Operator) -> None:
    """Azure would say so late; and of one thing nobody knows whether it is needed."""
    wrong = {"MACHINE_NAME": "vm_kimi", "AUTO_SHUTDOWN_AT": "noon"}
    done = operator.run("preflight", **wrong)
    assert "vm_kimi-eastus2 is no machine's name" in done.stderr
    assert "AUTO_SHUTDOWN_AT is noon" in done.stderr
    makes = operator.run("preflight", CREATE_MACHINE="vm-kimi-01")
    assert "CREATE_MACHINE is set" in makes.stderr
    long = operator.run("preflight", SECOND_MACHINE_NAME="v" * 58)
    assert "is no machine's name" in long.stderr
    assert "az feature register" in operator.run("preflight").stderr
    azure.subscription.features.add("UseStandardSecurityType")
    assert operator.run("preflight").stderr == ""


def test_one_that_is_not(azure: LocalAzure, operator: Operator) -> None:
    """All at once; the list of deleted vaults has more than one page."""
    azure.subscription.unregistered.add("Microsoft.DevTestLab")
    for name in ("kv-a", "kv-b", "kv-c", "kv-d", "kvm-kimi77"):
        azure.subscription.deleted[name] = azure.now()
    start, end = (datetime(year, 1, 1, tzinfo=UTC) for year in (2026, 2027))
    azure.budgets.put(
        Budget(name="kimi-credit", amount=Decimal(4500), start=start, end=end)
    )
    done = operator.run("preflight")
    assert done.exit_code == 1
    lines = done.stderr.splitlines()
    assert lines[0] == "Not done: before a deployment:"
    assert "az provider register --namespace Microsoft.DevTestLab" in lines[1]
    assert "the deleted vault kvm-kimi77 still has its name" in lines[2]
    assert "export BUDGETS_FROM=2026-01-01" in lines[3]
    assert len(lines) == 4


def test_an_offer_without_budgets_is_not_asked_for_them(
    azure: LocalAzure, operator: Operator
) -> None:
    """As the deployment will not make any."""
    why = {"NO_BUDGETS_BECAUSE": "the offer has none", "BUDGETS_FROM": ""}
    done = operator.run("preflight", **why)
    assert done.exit_code == 0, done.output
    assert azure.log.of(Kind.BUDGET) == []


def test_what_is_missing_is_named(operator: Operator) -> None:
    """Before anything is asked."""
    done = operator.run("preflight", BUDGETS_FROM="soon")
    assert done.exit_code == 1
    assert "lacks BUDGETS_FROM (or BUDGET_FROM) or CREDIT_EXPIRES" in done.stderr


@pytest.mark.parametrize("prefix", ["Kimi", "ki-mi", "k", "7kimi", "eightxxx"])
def test_a_prefix_that_no_account_takes(operator: Operator, prefix: str) -> None:
    """The compiler sees its length alone."""
    done = operator.run("preflight", SWITCH_PREFIX=prefix)
    assert done.exit_code == 1
    assert "SWITCH_PREFIX is not two to seven small letters" in done.stderr


def test_who_may_not_read_is_told(azure: LocalAzure, operator: Operator) -> None:
    """In Azure's words and ours."""
    azure.faults.arm("permission", times=1, kinds=frozenset({Kind.SUBSCRIPTION}))
    done = operator.run("preflight")
    assert done.exit_code == 1
    assert "Your login needs the role Reader there." in done.stderr
