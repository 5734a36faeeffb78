"""The official examples: our adapters read them, and the local Azure's view is one."""

from datetime import UTC, datetime
from decimal import Decimal

import httpx
import pytest

from control.errors import Unavailable
from control.model import Provisioning, Report
from control.words import Power
from local.azure import LocalAzure
from tests.evidence.compare import Allowed, check_fields
from tests.evidence.replay import MACHINE, Replay
from tests.evidence.shared import example

VIEW = "VirtualMachine_Get_InstanceView"
VERSIONS = ["compute-2024-03-01", "compute-2025-04-01"]
BUDGETS = [f"consumption-{at}" for at in ("2023-05-01", "2023-11-01", "2024-08-01")]
_NOT_OURS = {
    "bootDiagnostics": "ours has no boot diagnostics",
    "bootDiagnostics.": "the same",
    "extensions": "nor extensions",
    "extensions[]": "the same",
    "vmAgent.extensionHandlers[]": "nor handlers of them",
    "platformUpdateDomain": "nor an availability set",
    "platformFaultDomain": "the same",
    "isVMInStandbyPool": "nor a pool; no recording of a machine has it",
}
_PATCHES = {
    "compute-2024-03-01": {
        "patchStatus": "ours is never asked for patches",
        "patchStatus.": "the same",
    },
    "compute-2025-04-01": {"_patchStatus": "the example was cut here"},
}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_view_as_specified(
    azure: LocalAzure, arm: httpx.Client, vm_path: str, version: str
) -> None:
    """Every field of ours is one of the example's, of the same type."""
    azure.vm.come_on()
    ours, theirs = arm.get(f"{vm_path}/instanceView").json(), example(version, VIEW)
    check_fields(ours, theirs["body"], Allowed(lacks=_NOT_OURS | _PATCHES[version]))
    assert ours["statuses"][1] == theirs["body"]["statuses"][1]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_specified_view_is_read(replay: Replay, version: str) -> None:
    """Inside a machine, as we ask for it; handlers' states are not the machine's."""
    view = example(version, VIEW)["body"]
    replay.stub.tell(body={"properties": {"instanceView": view}})
    read = replay.machines.read(MACHINE)
    at = datetime(2019, 10, 14, 21, 30, 12, 805191, tzinfo=UTC)
    assert read.power is Power.RUNNING
    assert read.provisioning == Provisioning(state="succeeded", at=at)


@pytest.mark.parametrize(
    "name", ["VirtualMachine_Get", "VirtualMachine_Get_WithVMSizeProperties"]
)
def test_a_specified_machine_without_its_view_is_unknown(
    replay: Replay, name: str
) -> None:
    """Succeeded says nothing of the power."""
    replay.stub.tell(body=example("compute-2024-03-01", name)["body"])
    read = replay.machines.read(MACHINE)
    assert read.power is Power.UNKNOWN
    assert read.provisioning == Provisioning(state="succeeded")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_specified_acceptance_is_one(replay: Replay, version: str) -> None:
    """Its only URL is kept, and not asked where it is on another host than ARM."""
    name = "VirtualMachine_Start_MaximumSet_Gen"
    headers = example(version, name, "202")["headers"]
    replay.stub.tell(202, b"", headers)
    accepted = replay.machines.start(MACHINE)
    assert accepted.operation_url == headers["location"]
    replay.stub.got.clear()
    with pytest.raises(Unavailable):
        replay.machines.operation(headers["location"])
    assert replay.stub.got == []
    replay.stub.tell(200)
    assert replay.machines.start(MACHINE).operation_url is None


@pytest.mark.parametrize("version", BUDGETS)
def test_a_specified_budget_is_read(replay: Replay, version: str) -> None:
    """Every digit of its figure, in its own window; outside of all, none."""
    body = example(version, "Budget")["body"]
    replay.stub.tell(body=body)
    now = datetime(2018, 5, 20, tzinfo=UTC)
    assert replay.budgets.read(now) == Report(
        amount=Decimal("80.89"),
        currency="USD",
        start=datetime(2018, 5, 1, tzinfo=UTC),
        end=datetime(2018, 6, 1, tzinfo=UTC),
        at=now,
    )
    assert replay.budgets.read(datetime(2026, 11, 30, tzinfo=UTC)) is None
