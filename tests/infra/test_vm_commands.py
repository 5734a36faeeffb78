"""`control vm`, as an operator types it: a real switch, a real compiler, real blobs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from local.azure import Kind, Power
from tests.infra.owner import MACHINE, Owner
from tests.soon import soon

ROOT = Path(__file__).parents[2]
# The command in a process of its own, which looks each second as these tests do.
HASTY = """
from datetime import timedelta
from control.cli.main import app
from control.deployment import creation, off
creation.PAUSE = off.PAUSE = 1
creation._COMES_LATE = timedelta(seconds=2)
app()
"""
# They take as long as Azure's readings and heartbeats are kept: a minute each.
pytestmark = pytest.mark.timeout(400)


def test_a_machine_is_made_and_ends_deallocated(owner: Owner) -> None:
    """With one closed line in the ledger, both rights, and nothing started twice."""
    azure = owner.azure
    done = owner.run("vm", "create", "--yes")
    assert done.exit_code == 0, done.output
    assert f"{MACHINE} is made and deallocated." in done.stdout
    assert azure.vm.power is Power.DEALLOCATED
    assert azure.vm.machine.exists
    line = owner.session()
    # A tick of the app may have been there first: here its role works at once.
    assert line["started_by"] in {"vm-create", "outside"}
    assert line["stopped_by"] == "vm-create"
    assert line["ended_at"] is not None
    (sent,) = owner.sent()
    assert sent.value("createMachine") == "vm-kimi-01"
    assert sent.value("customData").startswith("#cloud-config\n")
    assert sent.name.startswith("kimi-machine-eastus2-eastus2-")
    assert len(azure.role_assignments.all) == 2
    assert azure.log.of(Kind.VM_START) == []


def test_a_machine_that_is_there_is_left_alone(owner: Owner) -> None:
    """What ends it is made anew; whatever Azure does then, it is off."""
    azure = owner.azure
    azure.vm.restore()
    dry = owner.run("vm", "create", "--dry-run")
    assert f"Nothing was done. {MACHINE} is there" in dry.stdout
    assert owner.sent() == []
    done = owner.run("vm", "create", "--yes")
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
    done = owner.run("vm", "create", "--yes")
    assert done.exit_code == 1
    assert "was on after a deployment, and nobody had asked for it" in done.stderr
    assert azure.vm.power is Power.DEALLOCATED
    azure.deployments.put_starts = False
    azure.vm.come_on()
    checked = owner.run("vm", "check")
    assert checked.exit_code == 1
    assert azure.vm.power is Power.DEALLOCATED
    again = owner.run("vm", "check")
    assert again.stdout == f"{MACHINE} is deallocated: nothing bills.\n"


def test_what_is_closed_makes_nothing(owner: Owner) -> None:
    """All of it at once, before anything bills."""
    azure = owner.azure
    azure.stock.family, azure.stock.images = 95, set()
    try:
        done = owner.run("vm", "create", "--yes")
    finally:
        azure.stock.family, azure.stock.images = 96, {"24.04.2026092501"}
    assert done.exit_code == 1
    assert "Not done: before a machine is made:\n- " in done.stderr
    assert "has 95 left" in done.stderr
    assert "has no image microsoft-dsvm:ubuntu-hpc:2404:24.04" in done.stderr
    assert owner.sent() == []
    other = owner.run("vm", "create", BUDGET_LIMIT="1", SECOND_MACHINE_NAME="vm-2")
    assert "would change the app: the machines (" in other.stderr
    assert "BUDGET_LIMIT" in other.stderr
    dry = owner.run("vm", "create", "--dry-run")
    assert "at most 40 minutes, 56.53 USD" in dry.stdout
    assert owner.run("vm", "create", input="n\n").exit_code == 1
    assert owner.sent() == []


def test_g05_a_machine_comes_again_from_its_disk(owner: Owner) -> None:
    """G05: of its own security type; and no failure deletes that disk."""
    azure = owner.azure
    (path,) = (each for each in azure.disks.kept if each.endswith("osdisk_1"))
    azure.disks.attach(path, None)
    azure.faults.arm("allocation_failed", caller="operator")
    done = owner.run("vm", "create", "--yes", OS_DISK_ID=path, SSH_PUBLIC_KEY=None)
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
    done = owner.run("vm", "create", "--yes")
    assert done.exit_code == 1
    assert f"Deleted: {MACHINE}, {MACHINE}_OsDisk_1_" in done.stderr
    assert not azure.vm.machine.exists
    assert set(azure.disks.kept) == before
    again = owner.run("vm", "create", "--yes")
    assert again.exit_code == 1
    assert "NicReservedForAnotherVm" in again.stderr
    assert "run it again then" in again.stderr
    assert f"There is no {MACHINE}: nothing bills." in again.stderr


def test_whatever_ends_the_command_takes_the_machine_away(owner: Owner) -> None:
    """A terminal that is gone is no reason to bill, nor is a second signal."""
    azure = owner.azure
    azure.vm.behave(beats=False)
    environ = {**os.environ, **owner.operator.environ}
    try:
        with subprocess.Popen(
            [sys.executable, "-c", HASTY, "vm", "create", "--yes"],
            cwd=ROOT,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            soon(lambda: any(e.state == "Succeeded" for e in owner.sent()), 60)
            # Nobody reads what it says any more, as when a window is closed.
            for pipe in (process.stdout, process.stderr):
                assert pipe is not None
                pipe.close()
            for ended_by in (signal.SIGHUP, signal.SIGINT):
                process.send_signal(ended_by)
            assert process.wait(timeout=330) != 0
    finally:
        azure.vm.behave(beats=True)
    assert azure.vm.power is Power.DEALLOCATED
    assert owner.session()["stopped_by"] == "vm-create"
