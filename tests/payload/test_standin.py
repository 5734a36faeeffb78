"""A lease keeper that is dead: the heartbeat keeps the lease in its stead."""

import sys
from pathlib import Path

import pytest
from agent import boot, trouble
from agent.control import Control
from agent.standin import StandIn

from local.azure import Kind, LocalAzure
from tests.payload.agent import Payload
from tests.payload.keys import TOKEN
from tests.payload.plane import Plane
from tests.soon import soon

# The heartbeat, with the silence and the pauses of a test.
_HASTY = """
import os, sys
from agent import __main__, heartbeat, standin
standin.SILENT, heartbeat.EVERY = 2.0, 0.1
sys.exit(__main__.main(sys.argv[-1:], os.environ))
"""


@pytest.fixture
def machine(payload: Payload, plane: Plane, azure: LocalAzure) -> Payload:
    """One that has its token, and is at the end of its lease."""
    azure.vm.start_outside()
    (payload.folder / "run/secrets/token-vm").write_text(f"{TOKEN}\n")
    payload.environ |= {"PUBLIC_URL": plane.url, "MAX_RUNTIME_HOURS": "0.0001"}
    return payload


@pytest.fixture
def stand_in(machine: Payload, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """It was begun long ago, by the boot's clock."""
    monkeypatch.setenv("SSL_CERT_FILE", machine.environ["SSL_CERT_FILE"])
    with monkeypatch.context() as begun:
        begun.setattr(boot, "uptime", lambda: 0.0)
        return StandIn(machine.site)


def test_the_heartbeat_ends_a_lease_that_nobody_keeps(
    machine: Payload, plane: Plane, azure: LocalAzure, tmp_path: Path
) -> None:
    """As a process: it waits for the keeper, steps in, and tells of it."""
    hasty = tmp_path / "hasty.py"
    hasty.write_text(_HASTY)
    machine.command = (sys.executable, str(hasty))
    with machine.start("heartbeat") as process:
        try:
            soon(lambda: plane.heard)
            assert azure.log.of(Kind.VM_DEALLOCATE) == []
            soon(lambda: azure.log.of(Kind.VM_DEALLOCATE))
            told = soon(lambda: plane.heard[-1].json()["ending"])
        finally:
            process.terminate()
    assert told in {"lease", "never_ready"}
    assert "lease keeper is not at work" in plane.heard[-1].json()["detail"]


def test_it_leaves_the_lease_to_a_keeper_that_is_at_work(
    machine: Payload, azure: LocalAzure, stand_in: StandIn
) -> None:
    """And to one that comes back: its trouble is over then."""
    machine.board.put("lease", {"at": boot.uptime(), "by": "lease"})
    stand_in.step()
    assert azure.log.of(Kind.VM_DEALLOCATE) == []
    machine.board.put("lease", {"at": boot.uptime() - 200, "by": "lease"})
    stand_in.step()
    assert len(azure.log.of(Kind.VM_DEALLOCATE)) == 1
    assert machine.board.get("lease")["by"] == "heartbeat"
    assert trouble.phase(machine.board)["phase"] == "broken"
    stand_in.step()
    assert len(azure.log.of(Kind.VM_DEALLOCATE)) == 1, "once in a minute"
    machine.board.put("lease", {"at": boot.uptime(), "by": "lease"})
    stand_in.step()
    assert trouble.phase(machine.board) == {}


def test_a_full_board_keeps_it_from_nothing(
    machine: Payload, azure: LocalAzure, stand_in: StandIn
) -> None:
    """Nor does a control plane that says nothing."""
    for name in ("lease", "failure-kimi-lease", "given-up-kimi-lease"):
        (machine.folder / f"run/state/{name}.json").mkdir()
    stand_in.step()
    assert len(azure.log.of(Kind.VM_DEALLOCATE)) == 1


def test_the_keeper_goes_on_with_what_the_heartbeat_began(
    machine: Payload, plane: Plane, stand_in: StandIn
) -> None:
    """An ending is an ending, whoever saw it."""
    stand_in.step()
    Control(machine.site).report(5)
    assert plane.heard[-1].json()["phase"] == "draining"
