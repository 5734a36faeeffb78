"""`control app|doctor|cleanup|move`, against a switch that runs and its Azure."""

import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from control.cli.doctor import LOOKS
from control.cli.site import wanted
from control.deployment import publishing, ssh_window
from local.azure import Budget, LocalAzure
from local.azure.birth import Birth
from tests.infra.owner import MACHINE, Owner

OTHER = "westus3"
pytestmark = pytest.mark.timeout(400)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """As much of a package as the command looks at."""
    path = tmp_path / "app.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("host.json", "{}")
        archive.writestr("function_app.py", "")
    return path


def group(azure: LocalAzure) -> str:
    return f"/subscriptions/{azure.subscription_id}/resourceGroups/rg-kimi"


@pytest.fixture
def healthy(owner: Owner) -> Iterator[Owner]:
    """A deployment to which nothing is wrong."""
    azure = owner.azure
    azure.vm.restore()
    Birth(azure, MACHINE).guard(azure.now())
    azure.sites.functions = sorted(wanted())
    at = f"{group(azure)}/providers"
    for name in ("silent", "long", "down", "full"):
        path = f"{at}/Microsoft.Insights/scheduledQueryRules/alert-kimi-{name}"
        azure.groups.put(path, enabled=True)
    azure.groups.put(f"{at}/Microsoft.Insights/metricAlerts/alert-kimi-u", enabled=True)
    schedule = f"{at}/Microsoft.DevTestLab/schedules/shutdown-computevm-{MACHINE}"
    azure.groups.put(schedule, status="Enabled", dailyRecurrence={"time": "1200"})
    now = azure.now()
    for name, grain in (("kimi-credit", "Annually"), ("kimi-monthly", "Monthly")):
        end = now + timedelta(days=300)
        budget = Budget(name=name, amount=Decimal(1), start=now, end=end, grain=grain)
        azure.budgets.put(budget)
    rule = f"{at}/Microsoft.Network/networkSecurityGroups/nsg/securityRules/"
    shut = {"priority": 100, "access": "Deny", "sourceAddressPrefix": "127.0.0.1/32"}
    azure.guards.put(rule + ssh_window.NAME, ssh_window.shut(shut), now)
    account = f"{at}/Microsoft.Storage/storageAccounts/stkimiw1"
    more = {
        "SSH_RULE_ID": rule + ssh_window.NAME,
        "WEIGHTS_ACCOUNT_ID": account,
        "WEIGHTS_URL": "https://stkimiw1.blob.core.windows.net/models",
    }
    settings = {**azure.sites.settings, "AUTO_SHUTDOWN_AT": "12:00"}
    azure.sites.settings = settings
    operator = replace(owner.operator, environ={**owner.operator.environ, **more})
    yield replace(owner, operator=operator)
    azure.groups.things.clear()
    for name in ("kimi-credit", "kimi-monthly"):
        azure.budgets.remove(name)


def test_a_healthy_deployment_is_good(healthy: Owner) -> None:
    """Each thing that was looked at is a line."""
    done = healthy.run("doctor")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [f"good   {words}" for words in LOOKS]


def test_whatever_is_wrong_is_named(healthy: Owner) -> None:
    """All at once, each with what to do."""
    azure = healthy.azure
    for path, thing in list(azure.groups.things.items()):
        if "schedules/" in path:
            thing["properties"]["status"] = "Disabled"
        if path.endswith("alert-kimi-long"):
            thing["properties"]["enabled"] = False
        if path.endswith("alert-kimi-u"):
            del azure.groups.things[path]
    azure.sites.functions = [each for each in wanted() if each != "tick"]
    azure.budgets.remove("kimi-credit")
    azure.put_secret(azure.machine_vault, "token-vm", "another")
    (rule,) = azure.guards.rules
    azure.guards.put(rule, {"priority": 100, "access": "Allow"}, azure.now())
    for each in azure.role_assignments.all:
        if each.principal == azure.identity.principal_id("vm"):
            key = (each.scope.lower(), each.name.lower())
            del azure.role_assignments._kept[key]
    try:
        done = healthy.run("doctor")
    finally:
        azure.put_secret(azure.machine_vault, "token-vm", healthy.stack.tokens.vm)
    assert done.exit_code == 1
    for words in (
        "the app is without tick: publish it again.",
        "the secret token-vm has two values",
        "SSH is open",
        "there lacks its own right to deallocate itself",
        "there are 4 of 5 alarms",
        "the alarm alert-kimi-long is switched off.",
        f"Azure's own shutdown of {MACHINE} is not on at 12:00 UTC",
        "there is no budget kimi-credit",
    ):
        assert words in done.stderr, done.stderr
    assert "another" not in done.output
    assert "good   the timer" in done.stdout


def test_g07_the_app_is_published_once_its_roles_are_at_work(
    owner: Owner, package: Path
) -> None:
    """G07: and then every function is there, and the timer ticks."""
    azure = owner.azure
    azure.sites.functions, azure.sites.brings = [], sorted(wanted())
    dry = owner.run("app", "publish", "--package", str(package), "--dry-run")
    assert "Nothing was done. It would send" in dry.stdout
    assert azure.sites.published == []
    azure.sites.roles_spread = 2
    done = owner.run("app", "publish", "--package", str(package))
    assert done.exit_code == 0, done.output
    assert done.stderr.count("is not at work yet") == 2
    assert f"{len(wanted())} functions are there" in done.stdout
    assert azure.sites.published == [package.read_bytes()]


def test_a_package_without_its_timer_fails(
    owner: Owner, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing would end a session by itself."""
    monkeypatch.setattr(publishing, "_FOUND", timedelta(0))
    azure = owner.azure
    azure.sites.brings = azure.sites.functions = sorted(wanted() - {"tick"})
    done = owner.run("app", "publish", "--package", str(package))
    assert done.exit_code == 1
    assert "the app is up without tick" in done.stderr
    assert owner.run("app", "check").exit_code == 1
    package.write_text("no zip")
    broken = owner.run("app", "publish", "--package", str(package))
    assert "is no package" in broken.stderr


def test_a_cleanup_leaves_nothing_but_the_ledger(
    healthy: Owner, tmp_path: Path
) -> None:
    """The file has every line; the second look finds what came again."""
    azure, file = healthy.azure, tmp_path / "ledger.json"
    azure.subscription.vaults = [f"kva-kimi{n:013d}" for n in range(3)]
    dry = healthy.run("cleanup", "run", "--ledger", str(file), "--dry-run")
    assert dry.exit_code == 0, dry.output
    assert "the group rg-kimi with 6 resources" in dry.stdout
    assert dry.stdout.count("the role /subscriptions") == 2
    assert dry.stdout.count("the assignment /subscriptions") == 2
    done = healthy.run("cleanup", "run", "--ledger", str(file), "--yes")
    assert done.exit_code == 0, done.output
    assert "in Cloudflare the tunnel" in done.stdout
    assert list(json.loads(file.read_text())) == [MACHINE]
    assert not azure.groups.exists
    assert azure.role_assignments.all == []
    assert azure.role_definitions.kept == {}
    assert azure.subscription.deleted == {}
    look = healthy.run("cleanup", "look")
    assert look.exit_code == 0, look.output
    Birth(azure, MACHINE).guard(azure.now())
    again = healthy.run("cleanup", "look")
    assert again.exit_code == 1
    assert "this is still there:" in again.stderr


def test_a_cleanup_waits_for_off(owner: Owner, tmp_path: Path) -> None:
    """Somebody works with it: nothing is touched."""
    azure = owner.azure
    azure.vm.restore()
    azure.vm.behave(beats=False)
    azure.vm.come_on()
    owner.stack.functions.tick()
    try:
        done = owner.run("cleanup", "run", "--ledger", str(tmp_path / "l"), "--yes")
        assert done.exit_code == 1
        assert "press stop first" in done.stderr
        assert azure.groups.exists
    finally:
        azure.vm.behave(beats=True)
        owner.run("vm", "check")


def test_a_region_is_left(owner: Owner) -> None:
    """Only what was there for machines; the region in use is refused."""
    azure = owner.azure
    at = f"{group(azure)}/providers"
    goes = [
        f"{at}/Microsoft.Network/networkInterfaces/nic-vm-kimi-01-{OTHER}",
        f"{at}/Microsoft.Network/publicIPAddresses/pip-vm-kimi-01-{OTHER}",
        f"{at}/Microsoft.Network/virtualNetworks/vnet-kimi-{OTHER}",
        f"{at}/Microsoft.ManagedIdentity/userAssignedIdentities/id-kimi-vm-{OTHER}",
        f"{at}/Microsoft.Storage/storageAccounts/stkimiwabc",
    ]
    stays = [
        f"{at}/Microsoft.Storage/storageAccounts/stkimilabc",
        f"{at}/Microsoft.Network/publicIPAddresses/pip-of-somebody",
    ]
    for path in (*goes, *stays):
        azure.groups.put(path, location=OTHER)
    azure.groups.put(f"{at}/Microsoft.Storage/storageAccounts/stkimiwnew")
    dry = owner.run("move", "leave", "--region", OTHER, "--dry-run")
    assert dry.stdout.count("\n- ") == len(goes)
    done = owner.run("move", "leave", "--region", OTHER, "--yes")
    assert done.exit_code == 0, done.output
    left = {each["id"] for each in azure.groups.things.values()}
    assert left == {*stays, f"{at}/Microsoft.Storage/storageAccounts/stkimiwnew"}
    here = owner.run("move", "leave", "--region", "eastus2", "--yes")
    assert here.exit_code == 1
    assert f"the switch still has {MACHINE} there" in here.stderr
    azure.groups.things.clear()
