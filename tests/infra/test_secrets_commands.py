"""`control secrets`: what both vaults lack, once, and new values on request."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from control.azure.credential import managed_identity
from control.azure.vault import VaultTokens
from control.cli import secrets
from control.ports import Scope
from local.azure import Kind, LocalAzure
from local.azure.vault import Vault
from tests.payload.login import Operator

MACHINE = "vm-kimi-01"
APP = {"token-operator", f"token-vm-{MACHINE}"}
ITS = {"token-vm", "vllm-api-key", "gateway-api-key", "owui-secret-key"}


@pytest.fixture
def operator(azure: LocalAzure, tmp_path: Path) -> Operator:
    """Somebody who is logged in, and has deployed."""
    return Operator.of(
        azure,
        tmp_path / "login",
        KEY_VAULT_URL=azure.vault.url,
        MACHINE_KEY_VAULT_URL=azure.machine_vault.url,
        VM_NAME=MACHINE,
    )


def values(vault: Vault) -> Mapping[str, str]:
    return {name: version.value for name, version in vault.store.newest()}


def test_an_empty_deployment_gets_all_of_them(
    azure: LocalAzure, operator: Operator
) -> None:
    """32 random bytes each; the machine's token is one value; none is shown."""
    done = operator.run("secrets", "init")
    assert done.exit_code == 0, done.output
    app, its = values(azure.vault), values(azure.machine_vault)
    assert (set(app), set(its)) == (APP, ITS)
    assert app[f"token-vm-{MACHINE}"] == its["token-vm"]
    all_values = {*app.values(), *its.values()}
    assert len(all_values) == 5
    for value in all_values:
        assert re.fullmatch("[0-9a-f]{64}", value)
        assert value not in done.output
    assert done.stdout.count("is written to") == 5


def test_the_switch_takes_them(azure: LocalAzure, operator: Operator) -> None:
    """By their tags."""
    operator.run("secrets", "init")
    identity = managed_identity(azure.client_id)
    with pytest.MonkeyPatch.context() as its:
        for name, value in azure.environment().items():
            its.setenv(name, value)
        tokens = VaultTokens(credential=identity, url=azure.vault.url).read()
    known = {each.device: (each.scope, each.machine, each.enabled) for each in tokens}
    assert known == {
        "operator": (Scope.OPERATOR, None, True),
        f"vm-{MACHINE}": (Scope.VM, MACHINE, True),
    }


def test_a_second_time_changes_nothing(azure: LocalAzure, operator: Operator) -> None:
    """It may be run after every deployment."""
    operator.run("secrets", "init")
    before = values(azure.vault), values(azure.machine_vault)
    wrote = len(azure.log.of(Kind.SECRET_WRITE))
    done = operator.run("secrets", "init")
    assert done.exit_code == 0
    assert done.stdout.count("is there, and stays.") == 5
    assert (values(azure.vault), values(azure.machine_vault)) == before
    assert len(azure.log.of(Kind.SECRET_WRITE)) == wrote


@pytest.mark.parametrize("lost", ["app", "machine"])
def test_half_of_a_token_is_copied(
    azure: LocalAzure, operator: Operator, lost: str
) -> None:
    """Whatever it was that cut the command off."""
    operator.run("secrets", "init")
    token = values(azure.machine_vault)["token-vm"]
    vault, name = {
        "app": (azure.vault, f"token-vm-{MACHINE}"),
        "machine": (azure.machine_vault, "token-vm"),
    }[lost]
    vault.store.delete(name, azure.now())
    vault.store.purge(name)
    assert operator.run("secrets", "init").exit_code == 0
    assert values(vault)[name] == token


def test_what_was_disabled_stays_disabled(
    azure: LocalAzure, operator: Operator
) -> None:
    """A revoked token that came back by itself would be no revocation."""
    operator.run("secrets", "init")
    azure.enable_secret("token-operator", enabled=False)
    done = operator.run("secrets", "init")
    assert done.exit_code == 1
    assert "token-operator is disabled, and stays." in done.stdout
    assert "secrets rotate token-operator" in done.stderr
    assert not azure.vault.store.newest()[0][1].enabled
    assert operator.run("secrets", "rotate", "token-operator").exit_code == 0
    assert azure.vault.store.newest()[0][1].enabled


def test_two_values_of_one_token_are_told(
    azure: LocalAzure, operator: Operator
) -> None:
    """The machine's heartbeats would be refused; a rotation mends it."""
    operator.run("secrets", "init")
    azure.put_secret(azure.machine_vault, "token-vm", "f" * 64)
    done = operator.run("secrets", "init")
    assert done.exit_code == 1
    assert "token-vm has two values" in done.stderr
    assert operator.run("secrets", "rotate", "token-vm").exit_code == 0
    assert operator.run("secrets", "init").exit_code == 0


def test_a_dry_run_changes_nothing(azure: LocalAzure, operator: Operator) -> None:
    """It says what it would write."""
    done = operator.run("secrets", "init", "--dry-run")
    assert done.exit_code == 0
    assert "token-vm would be written to the machine's vault and the app's" in (
        done.stdout
    )
    done = operator.run("secrets", "rotate", "token-vm", "--dry-run")
    assert "Nothing was done. It would write token-vm in the machine's" in done.stdout
    assert azure.log.of(Kind.SECRET_WRITE) == []


@pytest.mark.parametrize("name", ["token-operator", *sorted(ITS)])
def test_a_rotation_makes_one_new_value(
    azure: LocalAzure, operator: Operator, name: str
) -> None:
    """Wherever it stands, and nothing else; it says what must follow."""
    operator.run("secrets", "init")
    before = {**values(azure.vault), **values(azure.machine_vault)}
    done = operator.run("secrets", "rotate", name)
    after = {**values(azure.vault), **values(azure.machine_vault)}
    changed = {each for each in after if after[each] != before[each]}
    alike = {f"token-vm-{MACHINE}"} if name == "token-vm" else set()
    assert changed == {name, *alike}
    assert done.stdout.startswith(f"Rotated: {name} in ")
    assert done.stdout.count("\n") == 2
    assert after[name] not in done.output
    if alike:
        assert len({after[each] for each in changed}) == 1


def test_an_unknown_name_is_told_the_known_ones(operator: Operator) -> None:
    """Whoever types it from memory."""
    done = operator.run("secrets", "rotate", "api-key")
    assert done.exit_code == 1
    assert "it is one of token-operator, token-vm, vllm-api-key" in done.stderr


def test_a_deleted_name_has_its_way_out(azure: LocalAzure, operator: Operator) -> None:
    """Recover or purge: the vault takes no new value until then."""
    operator.run("secrets", "init")
    azure.remove_secret("token-operator")
    done = operator.run("secrets", "init")
    assert done.exit_code == 1
    assert "deleted secret of this name: recover or purge it" in done.stderr


def test_a_role_that_is_late_is_waited_for(
    azure: LocalAzure, operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within a bound, and with a word; without `--wait` it says so at once."""
    monkeypatch.setattr(secrets, "_PAUSE", 0.01)
    azure.faults.arm("vault_forbidden", times=1)
    done = operator.run("secrets", "init")
    assert done.exit_code == 1
    assert "`--wait 10` waits for it" in done.stderr
    azure.faults.arm("vault_forbidden", times=3)
    done = operator.run("secrets", "init", "--wait", "1")
    assert done.exit_code == 0, done.output
    assert done.stderr.count("does not know your role yet") == 3


def test_all_that_is_missing_is_named_at_once(operator: Operator) -> None:
    """Once."""
    lost = dict.fromkeys(("KEY_VAULT_URL", "MACHINE_KEY_VAULT_URL", "VM_NAME"), "")
    done = operator.run("secrets", "init", **lost)
    assert done.exit_code == 1
    assert "lacks KEY_VAULT_URL, MACHINE_KEY_VAULT_URL, VM_NAME" in done.stderr
