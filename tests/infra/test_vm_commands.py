"""`control vm`, as an operator types it: a real switch, a real compiler, real blobs."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from control.deployment import creation, mending, off
from control.deployment.keyring import Vault, keyring
from local.azure import Kind, LocalAzure, Power, Spec, Timings
from local.azurite import Azurite, Service
from local.stack import Stack, running
from tests.infra.compiler import compiler
from tests.infra.sets import BASE, KEY
from tests.payload.login import Operator
from tests.payload.store import Store, container
from tests.soon import soon

ROOT = Path(__file__).parents[2]
MACHINE = "vm-kimi-01-eastus2"
FAST = timedelta(seconds=2)
TIMINGS = Timings(
    start=FAST, blank=timedelta(milliseconds=200), deallocate=FAST, nothing=FAST
)


@dataclass(frozen=True, kw_only=True)
class Owner:
    """Somebody with everything in the environment, and a switch that runs."""

    stack: Stack
    operator: Operator

    @property
    def azure(self) -> LocalAzure:
        return self.stack.azure

    def run(self, *arguments: str, **more: str | None) -> Any:
        return self.operator.run("vm", *arguments, **more)

    def sent(self) -> list[Any]:
        return list(self.azure.deployments.kept.values())

    def session(self) -> dict[str, Any]:
        """Return the newest line of the ledger, as the switch tells it."""
        answer = httpx.get(
            f"{self.stack.url}/sessions",
            headers={"Authorization": f"Bearer {self.stack.tokens.operator}"},
            timeout=30,
        )
        found: dict[str, Any] = answer.json()["sessions"][0]
        return found


def fill(made: Stack) -> None:
    """Write what `secrets init` would; the stack has its operator's token."""
    azure = made.azure
    vaults = {Vault.APP: azure.vault, Vault.MACHINE: azure.machine_vault}
    for secret in keyring(MACHINE):
        value = made.tokens.vm if secret.name == "token-vm" else "a value"
        for place in secret.places:
            if place.name != "token-operator":
                tags = dict(place.tags)
                azure.put_secret(vaults[place.vault], place.name, value, tags=tags)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A whole system whose machine has the name that the templates give it."""
    spec = Spec(name=MACHINE, timings=TIMINGS)
    with running(tmp_path_factory.mktemp("switch"), machine=spec) as made:
        fill(made)
        made.functions.tick()
        yield made


@pytest.fixture(scope="module")
def store(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The container of payloads, with one for the machine."""
    folder = tmp_path_factory.mktemp("payloads")
    certificate = stack.azure.certificate
    with (
        Azurite(certificate, folder=folder, service=Service.BLOB) as storage,
        container(storage, stack.azure, "payload") as (url, client),
    ):
        store = Store(url, client)
        store.publish(b"a payload", MACHINE)
        yield store


@pytest.fixture
def owner(
    stack: Stack, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Owner]:
    """Before the machine is made; looks are a second apart."""
    for module in (creation, mending, off):
        monkeypatch.setattr(module, "PAUSE", 1)
    azure = stack.azure
    azure.faults.clear()
    azure.vm.remove()
    azure.vm.machine.deleted = None
    azure.deployments.kept.clear()
    azure.deployments.put_starts = azure.deployments.keeps_card = False
    more = {
        **BASE,
        "BICEP": compiler(),
        "SWITCH_NAME": "func-kimi",
        "PUBLIC_URL": stack.url,
        "MACHINE_KEY_VAULT_URL": azure.machine_vault.url,
        "MACHINE_CLIENT_ID": azure.identity.client_id("vm"),
        "MACHINE_PRINCIPAL_ID": azure.identity.principal_id("vm"),
        "PAYLOAD_URL": store.url,
        "SSH_PUBLIC_KEY": KEY,
        "VM_NAME": MACHINE,
    }
    yield Owner(stack=stack, operator=Operator.of(azure, tmp_path / "login", **more))
    assert azure.unknown_routes == []


def test_a_machine_is_made_and_ends_deallocated(owner: Owner) -> None:
    """With one closed line in the ledger, both rights, and nothing started twice."""
    azure = owner.azure
    done = owner.run("create", "--yes")
    assert done.exit_code == 0, done.output
    assert f"{MACHINE} is made and deallocated." in done.stdout
    assert azure.vm.power is Power.DEALLOCATED
    assert azure.vm.machine.exists
    line = owner.session()
    assert (line["started_by"], line["stopped_by"]) == ("vm-create", "vm-create")
    assert line["ended_at"] is not None
    (sent,) = owner.sent()
    assert sent.value("createMachine") == "vm-kimi-01"
    assert sent.value("customData").startswith("#cloud-config\n")
    assert sent.name == "kimi-machine-eastus2-eastus2"
    assert len(azure.role_assignments.all) == 2
    assert azure.log.of(Kind.VM_START) == []


def test_a_machine_that_is_there_is_left_alone(owner: Owner) -> None:
    """What ends it is made anew; whatever Azure does then, it is off."""
    azure = owner.azure
    azure.vm.restore()
    dry = owner.run("create", "--dry-run")
    assert f"Nothing was done. {MACHINE} is there" in dry.stdout
    assert owner.sent() == []
    done = owner.run("create", "--yes")
    assert done.exit_code == 0, done.output
    assert f"{MACHINE} is deallocated: nothing bills." in done.stderr
    assert "is left alone" in done.stdout
    (sent,) = owner.sent()
    assert (sent.value("createMachine"), sent.value("mendMachine")) == (
        "",
        "vm-kimi-01",
    )


def test_what_a_deployment_starts_all_the_same_is_taken_away(owner: Owner) -> None:
    """Nobody knows what a PUT over a deallocated machine does: both are right here."""
    azure = owner.azure
    azure.vm.restore()
    azure.deployments.put_starts = True
    done = owner.run("create", "--yes")
    assert done.exit_code == 1
    assert "was on after a deployment, and nobody had asked for it" in done.stderr
    assert azure.vm.power is Power.DEALLOCATED
    azure.deployments.put_starts = False
    azure.vm.come_on()
    checked = owner.run("check")
    assert checked.exit_code == 1
    assert azure.vm.power is Power.DEALLOCATED
    again = owner.run("check")
    assert again.stdout == f"{MACHINE} is deallocated: nothing bills.\n"


def test_what_is_closed_makes_nothing(owner: Owner) -> None:
    """All of it at once, before anything bills."""
    azure = owner.azure
    azure.stock.family, azure.stock.images = 95, set()
    try:
        done = owner.run("create", "--yes")
    finally:
        azure.stock.family, azure.stock.images = 96, {"24.04.2026092501"}
    assert done.exit_code == 1
    assert "Not done: before a machine is made:\n- " in done.stderr
    assert "has 95 left" in done.stderr
    assert "has no image microsoft-dsvm:ubuntu-hpc:2404:24.04" in done.stderr
    assert owner.sent() == []
    dry = owner.run("create", "--dry-run")
    assert "at most 40 minutes, 56.53 USD" in dry.stdout
    assert owner.run("create", input="n\n").exit_code == 1
    assert owner.sent() == []


def test_g05_a_machine_comes_again_from_its_disk(owner: Owner) -> None:
    """G05: of its own security type; and no failure deletes that disk."""
    azure = owner.azure
    (path,) = (each for each in azure.disks.kept if each.endswith("osdisk_1"))
    azure.disks.attach(path, None)
    azure.faults.arm("allocation_failed", caller="operator")
    done = owner.run("create", "--yes", OS_DISK_ID=path, SSH_PUBLIC_KEY=None)
    assert done.exit_code == 1
    assert "quota is no capacity" in done.stderr
    assert f"Deleted: {MACHINE}." in done.stderr
    assert not azure.vm.machine.exists
    assert path in azure.disks.kept
    (sent,) = owner.sent()
    assert sent.value("osDiskId") == path
    assert sent.value("customData") == ""
    assert sent.value("machines")[0]["securityType"] == "Standard"


def test_what_an_allocation_leaves_is_cleared(owner: Owner) -> None:
    """The blank disk too, for this attempt made it; the card stays, reserved."""
    azure = owner.azure
    before = set(azure.disks.kept)
    azure.deployments.keeps_card = True
    azure.faults.arm("allocation_failed", caller="operator")
    done = owner.run("create", "--yes")
    assert done.exit_code == 1
    assert f"Deleted: {MACHINE}, {MACHINE}_OsDisk_1_" in done.stderr
    assert not azure.vm.machine.exists
    assert set(azure.disks.kept) == before
    again = owner.run("create", "--yes")
    assert again.exit_code == 1
    assert "NicReservedForAnotherVm" in again.stderr
    assert "run it again then" in again.stderr
    assert f"There is no {MACHINE}: nothing bills." in again.stderr


@pytest.mark.timeout(240)
def test_whatever_ends_the_command_takes_the_machine_away(owner: Owner) -> None:
    """A closed terminal is no reason to bill, nor is a second signal."""
    azure = owner.azure
    azure.vm.behave(beats=False)
    environ = {**os.environ, **owner.operator.environ}
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "control", "vm", "create", "--yes"],
            cwd=ROOT,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            soon(lambda: any(e.state == "Succeeded" for e in owner.sent()), 60)
            for ended_by in (signal.SIGHUP, signal.SIGINT):
                process.send_signal(ended_by)
            _, err = process.communicate(timeout=150)
    finally:
        azure.vm.behave(beats=True)
    assert process.returncode == 1
    assert "it was ended by hand." in err
    assert f"{MACHINE} is there, deallocated." in err
    assert azure.vm.power is Power.DEALLOCATED
