"""Instance views that say too little, too much, or say it oddly, over HTTP."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from local.azure import LocalAzure, Power
from tests.local.faults_support import OFF, RUNNING, codes, each, sees, view

SUCCEEDED, DEALLOCATED = OFF
_, ON = RUNNING

type View = dict[str, Any]


def everything(_: View) -> bool:
    return True


@dataclass(frozen=True, kw_only=True)
class Row:
    """What the statuses are of a machine that runs and of one that is off."""

    name: str
    running: list[str] | None
    off: list[str] | None
    shows: Callable[[View], bool] = everything
    parameters: Mapping[str, Any] = field(default_factory=dict)


def both(name: str, *statuses: str) -> Row:
    return Row(name=name, running=list(statuses), off=list(statuses))


def beside(name: str, state: str, **parameters: Any) -> Row:
    """The provisioning state is this, beside the power as it is."""
    first = f"ProvisioningState/{state}"
    return Row(
        name=name,
        running=[first, ON],
        off=[first, DEALLOCATED],
        parameters=parameters,
    )


def agent(shown: View) -> View:
    found: View = shown["vmAgent"]
    return found


VIEWS = [
    both("no_power_state", SUCCEEDED),
    both("power_unknown", SUCCEEDED, "PowerState/unknown"),
    both("two_power_states", SUCCEEDED, DEALLOCATED, ON),
    both("no_statuses"),
    Row(name="null_statuses", running=None, off=None),
    both("only_updating", "ProvisioningState/updating"),
    both("deleting", "ProvisioningState/deleting"),
    both("hibernated", SUCCEEDED, DEALLOCATED, "HibernationState/Hibernated"),
    Row(name="power_first", running=RUNNING[::-1], off=OFF[::-1]),
    Row(
        name="power_code_lower_case",
        running=[code.lower() for code in RUNNING],
        off=[code.lower() for code in OFF],
    ),
    Row(
        name="one_more_status",
        running=[*RUNNING, "ColocationStatus/Aligned"],
        off=[*OFF, "ColocationStatus/Aligned"],
    ),
    Row(
        name="generalized",
        running=["OSState/generalized", *RUNNING],
        off=["OSState/generalized", *OFF],
    ),
    beside("updating", "updating"),
    beside("creating", "creating/osProvisioningInProgress"),
    beside("succeeded_in_progress", "succeeded/osProvisioningInProgress"),
    beside("failed_running", "failed/OSProvisioningTimedOut"),
    beside("failed_running", "failed/VMStartTimedOut", code="VMStartTimedOut"),
    Row(
        name="no_agent",
        running=RUNNING,
        off=OFF,
        shows=lambda shown: "vmAgent" not in shown and "osName" not in shown,
    ),
    Row(
        name="agent_unavailable",
        running=RUNNING,
        off=OFF,
        shows=lambda shown: (
            agent(shown)["statuses"][0]["code"] == "ProvisioningState/Unavailable"
            and "osName" not in shown
        ),
    ),
    Row(
        name="extension_not_ready",
        running=RUNNING,
        off=OFF,
        shows=lambda shown: (
            shown["extensions"][0]["statuses"][0]["code"]
            == "ProvisioningState/failed/1"
            and agent(shown)["extensionHandlers"][0]["status"]["code"]
            == "ProvisioningState/NotReady/1007"
        ),
    ),
]


def found(shown: View) -> list[str] | None:
    statuses = shown["statuses"]
    return None if statuses is None else [each["code"] for each in statuses]


@each(VIEWS)
def test_a_view_says_it_oddly_and_the_machine_is_as_it_was(
    azure: LocalAzure, arm: httpx.Client, vm_path: str, row: Row
) -> None:
    """Off and running, by both reads; neither power nor bill follow what is shown."""
    azure.faults.arm(row.name, times=None, **row.parameters)
    assert found(view(arm, vm_path)) == row.off
    azure.vm.come_on()
    shown = view(arm, vm_path)
    assert found(shown) == row.running
    assert row.shows(shown)
    whole = arm.get(vm_path, params={"$expand": "instanceView"}).json()
    assert whole["properties"]["instanceView"] == shown
    assert (azure.vm.power, azure.vm.billed_seconds()) == (Power.RUNNING, 0)
    azure.faults.clear()
    assert codes(arm, vm_path) == RUNNING
    azure.faults.arm(row.name, times=1, **row.parameters)
    assert [found(view(arm, vm_path)) for _ in range(2)] == [row.running, RUNNING]
    assert view(arm, vm_path)["vmAgent"]["extensionHandlers"] == []


@sees("no_instance_view")
def test_a_machine_without_its_view(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """The resource is whole otherwise; the view alone has no statuses."""
    azure.faults.arm("no_instance_view", times=2)
    query = {"$expand": "instanceView"}
    properties = arm.get(vm_path, params=query).json()["properties"]
    assert properties["provisioningState"] == "Succeeded"
    assert "instanceView" not in properties
    assert "statuses" not in view(arm, vm_path)
    assert codes(arm, vm_path) == OFF


@sees("failed_running")
def test_a_failed_state_has_a_time_and_an_updating_one_has_none(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """What ended ended at some time; what goes on has not."""
    azure.faults.arm("failed_running")
    azure.faults.arm("updating")
    failed = view(arm, vm_path)["statuses"][0]
    assert failed["time"] == "2026-11-29T10:00:00.0000000+00:00"
    assert (failed["level"], failed["displayStatus"]) == (
        "Error",
        "Provisioning failed",
    )
    assert "may still finish" in failed["message"]
    assert "time" not in view(arm, vm_path)["statuses"][0]
