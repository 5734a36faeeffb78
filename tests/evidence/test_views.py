"""The local Azure's machine against recorded machines."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import httpx
import pytest

from local.azure import LocalAzure
from local.clock import SharedClock
from tests.evidence.allowances import SERVER, STRIPPED
from tests.evidence.asked import machine
from tests.evidence.compare import (
    Allowed,
    check_fields,
    check_headers,
    timeless,
    windows,
)
from tests.evidence.shared import Response, recorded

_VIEW = "properties.instanceView."
_EXTENSIONS = {
    "resources[]": "ours has no extensions, which are listed here",
    "resources": "the same",
}
_EXTENSION_VIEWS = {
    f"{_VIEW}extensions[]": "ours has no extensions",
    f"{_VIEW}extensions": "the same",
    f"{_VIEW}vmAgent.extensionHandlers[]": "nor handlers of them",
}
_DISK = "properties.storageProfile.osDisk."
_UNMANAGED = {
    f"{_DISK}vhd": "a disk in a storage account, as machines no longer have",
    f"{_DISK}vhd.": "the same",
    "properties.osProfile.linuxConfiguration.enableVMAgentPlatformUpdates": "told "
    "by older api-versions; the recording of 2024 has it no more",
}
_MANAGED = {
    f"{_DISK}managedDisk": "ours is a managed disk, as in the recording of 2024",
    f"{_DISK}managedDisk.": "the same",
}
_TAGS = {"tags.": "other people's tags"}
_OLD = _UNMANAGED | _TAGS | _EXTENSIONS


def statuses(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The machine's own statuses, each time cut to its offset."""
    view = body["properties"]["instanceView"]
    return [timeless(status) for status in view["statuses"]]


def check_machine(ours: httpx.Response, theirs: Response, allowed: Allowed) -> None:
    """Fields, statuses word for word, headers of a reading of 2023."""
    check_fields(ours.json(), theirs["body"], allowed)
    assert statuses(ours.json()) == statuses(theirs["body"])
    check_headers(ours.headers, theirs["headers"], Allowed(adds=STRIPPED))
    name = "x-ms-ratelimit-remaining-resource"
    assert windows(ours.headers[name]) == windows(theirs["headers"][name])


def test_deallocated(arm: httpx.Client, vm_path: str) -> None:
    """No agent; names in the recorded order."""
    ours, theirs = machine(arm, vm_path), recorded("02", 4)
    check_machine(ours, theirs, Allowed(lacks=_OLD, adds=_MANAGED))
    names = [name for name in theirs["body"] if name != "resources"]
    assert list(ours.json()) == names
    assert list(ours.json()["properties"]) == list(theirs["body"]["properties"])


def test_a_plain_read_has_no_power(arm: httpx.Client, vm_path: str) -> None:
    """Without `$expand` there is no view at all."""
    ours, theirs = arm.get(vm_path), recorded("02", 5)
    check_fields(ours.json(), theirs["body"], Allowed(lacks=_OLD, adds=_MANAGED))
    check_headers(ours.headers, theirs["headers"], Allowed(adds=STRIPPED))
    assert "instanceView" not in ours.json()["properties"]


def test_running(azure: LocalAzure, arm: httpx.Client, vm_path: str) -> None:
    """The guest's agent speaks; the view alone is the same view."""
    azure.vm.come_on()
    ours, theirs = machine(arm, vm_path), recorded("01", 7)
    lacks = _OLD | _EXTENSION_VIEWS
    check_machine(ours, theirs, Allowed(lacks=lacks, adds=_MANAGED))
    inner = arm.get(f"{vm_path}/instanceView").json()
    assert inner == ours.json()["properties"]["instanceView"]


def test_stopped(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """Powered off and billed: provisioning has succeeded and shows its time."""
    azure.vm.come_on()
    arm.post(f"{vm_path}/powerOff")
    clock.advance(timedelta(minutes=1))
    ours, theirs = machine(arm, vm_path), recorded("01", 3)
    lacks = _OLD | _EXTENSION_VIEWS
    check_machine(ours, theirs, Allowed(lacks=lacks, adds=_MANAGED))


def test_starting(clock: SharedClock, arm: httpx.Client, vm_path: str) -> None:
    """Every field of 2024; starting stands beside a state without a time."""
    arm.post(f"{vm_path}/start")
    clock.advance(timedelta(seconds=20))
    ours, theirs = machine(arm, vm_path), recorded("49")
    check_fields(ours.json(), theirs["body"])
    assert statuses(ours.json())[1] == statuses(theirs["body"])[1]
    assert "time" not in statuses(ours.json())[0]
    newer = {
        "x-ms-ratelimit-remaining-subscription-global-reads": "2024 counts reads "
        "otherwise; nothing of ours reads what is left"
    }
    headers = Allowed(lacks=newer, adds=SERVER | STRIPPED)
    check_headers(ours.headers, theirs["headers"], headers)


def test_booting_has_three_segments(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """`creating/osProvisioningInProgress` beside running, and it is no error."""
    azure.vm.come_on()
    azure.faults.arm("creating")
    ours, theirs = statuses(machine(arm, vm_path).json()), recorded("56")
    recorded_ones = statuses(theirs["body"])
    assert [each["code"] for each in ours] == [each["code"] for each in recorded_ones]
    assert [set(each) for each in ours] == [set(each) for each in recorded_ones]
    assert ours[1] == recorded_ones[1]


def test_a_booting_machine_of_2017(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """What has been added since by newer api-versions, and nothing else."""
    azure.vm.come_on()
    azure.faults.arm("no_agent")
    theirs = recorded("56")["body"]
    properties = "properties."
    since = {
        f"{_VIEW}hyperVGeneration": "newer",
        f"{_DISK}deleteOption": "newer",
        f"{properties}storageProfile.imageReference.exactVersion": "newer",
        f"{properties}timeCreated": "newer",
        f"{properties}osProfile.allowExtensionOperations": "newer",
        f"{properties}osProfile.requireGuestProvisionSignal": "newer",
        f"{properties}osProfile.linuxConfiguration.patchSettings": "newer",
        f"{properties}osProfile.linuxConfiguration.patchSettings.": "newer",
        f"{properties}osProfile.linuxConfiguration.provisionVMAgent": "newer",
        f"{_VIEW}statuses[].time": "ours has ended its start",
    }
    check_fields(machine(arm, vm_path).json(), theirs, Allowed(adds=since))


def test_the_view_of_a_machine_with_more_disks(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """Windows in 2019: the same view, but that no handler was listed."""
    azure.vm.come_on()
    ours, theirs = (
        body["properties"]["instanceView"]
        for body in (machine(arm, vm_path).json(), recorded("29", 3)["body"])
    )
    listed = {"vmAgent.extensionHandlers": "an empty list, as in the recording of 2020"}
    check_fields(ours, theirs, Allowed(adds=listed))
    assert recorded("30")["body"]["vmAgent"]["extensionHandlers"] == []


def test_updating_is_said_as_recorded(
    azure: LocalAzure, arm: httpx.Client, vm_path: str
) -> None:
    """Beside running, word for word; at the beginning of a start, alone."""
    theirs = recorded("30")["body"]["statuses"]
    arm.post(f"{vm_path}/start")
    assert statuses(machine(arm, vm_path).json()) == theirs[:1]
    azure.vm.come_on()
    azure.faults.arm("updating")
    view = arm.get(f"{vm_path}/instanceView").json()
    assert view["statuses"] == theirs


@pytest.mark.parametrize("number", ["30", "49", "56"])
def test_what_is_under_way_has_no_time(number: str) -> None:
    """Updating and creating carry none in any recording, which ours follows."""
    body = recorded(number)["body"]
    found = body.get("statuses") or statuses(body)
    assert all("time" not in status for status in found)
