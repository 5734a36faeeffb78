"""The one module that bills: what Azure refuses or starts by itself, as it is made."""

import base64
import re
from typing import Any

import pytest

from control.payload import custom_data
from control.payload.bundle import HOME, ROOTFS
from tests.infra.reading import Resource, named, of, one
from tests.infra.sets import DISK, KEY, MADE, Snapshots

VM = "Microsoft.Compute/virtualMachines"
MAKING = ["on", "disk", "mi300x", "second", "moved"]


def properties(snapshots: Snapshots, name: str) -> dict[str, Any]:
    found: dict[str, Any] = one(snapshots[name], VM)["properties"]
    return found


@pytest.mark.parametrize("name", MAKING)
def test_what_any_machine_is(snapshots: Snapshots, name: str) -> None:
    """Its disk and its card outlive it; its security is written out; no extension."""
    vm = one(snapshots[name], VM)
    said = vm["properties"]
    disk = said["storageProfile"]["osDisk"]
    assert disk["deleteOption"] == "Detach"
    assert "name" not in disk
    (card,) = said["networkProfile"]["networkInterfaces"]
    assert card["properties"]["deleteOption"] == "Detach"
    assert said["diagnosticsProfile"]["bootDiagnostics"] == {"enabled": True}
    assert vm["identity"]["type"] == "UserAssigned"
    assert vm["tags"]["controlled-by"].endswith("-switch")
    assert "diskControllerType" not in said["storageProfile"]
    assert "plan" not in vm
    kinds = {each["type"] for each in snapshots[name]["predictedResources"]}
    assert not any("extensions" in kind for kind in kinds)


def test_a_new_machine(snapshots: Snapshots) -> None:
    """A pinned image, one key, no password, a disk of 256 GiB."""
    said = properties(snapshots, "on")
    assert said["hardwareProfile"] == {"vmSize": "Standard_ND96isr_H200_v5"}
    assert said["securityProfile"] == {"securityType": "Standard"}
    image = said["storageProfile"]["imageReference"]
    assert re.fullmatch(r"\d+\.\d+\.\d{10}", image["version"])
    disk = said["storageProfile"]["osDisk"]
    assert (disk["createOption"], disk["diskSizeGB"]) == ("FromImage", 256)
    linux = said["osProfile"]["linuxConfiguration"]
    assert linux["disablePasswordAuthentication"] is True
    assert [each["keyData"] for each in linux["ssh"]["publicKeys"]] == [KEY]


def test_g05_a_machine_from_its_disk(snapshots: Snapshots) -> None:
    """G05: another shape: no image, no profile, no custom data."""
    said = properties(snapshots, "disk")
    assert "osProfile" not in said
    assert "imageReference" not in said["storageProfile"]
    disk = said["storageProfile"]["osDisk"]
    assert (disk["createOption"], disk["osType"]) == ("Attach", "Linux")
    assert disk["managedDisk"] == {"id": DISK}


def test_trusted_launch_is_without_secure_boot(snapshots: Snapshots) -> None:
    """It refuses kernel modules that nobody signed: the GPU's."""
    assert properties(snapshots, "mi300x")["securityProfile"] == {
        "securityType": "TrustedLaunch",
        "uefiSettings": {"secureBootEnabled": False, "vTpmEnabled": True},
    }


def test_g04_custom_data_is_what_the_command_prints(snapshots: Snapshots) -> None:
    """G04: whole, under 64 KB, and by nothing of a payload's version."""
    environ = {
        "PAYLOAD_URL": "https://stkimia.blob.core.windows.net/payload",
        "AZURE_CLIENT_ID": "00000000-0000-0000-0000-000000000000",
    }
    template = (HOME / "cloud-init.yaml").read_text()
    text = custom_data.render(template, ROOTFS, environ)
    made = snapshots.of("rendered", {**MADE, "CUSTOM_DATA": text})
    sent = one(made, VM)["properties"]["osProfile"]["customData"]
    assert base64.b64decode(sent).decode() == text
    assert len(sent) < 65_536


def test_azures_own_shutdown(snapshots: Snapshots) -> None:
    """It is found by its name and group alone, and beside a region."""
    made = snapshots["on"]
    plan, vm = one(made, "Microsoft.DevTestLab/schedules"), one(made, VM)
    assert plan["name"] == f"shutdown-computevm-{vm['name']}"
    assert plan["location"] == vm["location"]
    said = plan["properties"]
    assert said["taskType"] == "ComputeVmShutdownTask"
    assert said["targetResourceId"] == vm["id"]
    assert re.fullmatch("([01][0-9]|2[0-3])[0-5][0-9]", said["dailyRecurrence"]["time"])
    assert said["timeZoneId"] == "UTC"
    told = settings(snapshots)["AUTO_SHUTDOWN_AT"].replace(":", "")
    assert said["dailyRecurrence"]["time"] == told


def settings(snapshots: Snapshots) -> Resource:
    found: Resource = one(snapshots["on"], "Microsoft.Web/sites/config")["properties"]
    return found


def test_the_card(snapshots: Snapshots) -> None:
    """In our subnet, with our address, accelerated."""
    made = snapshots["on"]
    card = one(made, "Microsoft.Network/networkInterfaces")["properties"]
    (config,) = card["ipConfigurations"]
    assert card["enableAcceleratedNetworking"] is True
    address = one(made, "Microsoft.Network/publicIPAddresses")
    assert config["properties"]["publicIPAddress"]["id"] == address["id"]
    assert config["properties"]["subnet"]["id"].endswith("/subnets/machines")
    assert of(made, "Microsoft.Network/natGateways") == []


def test_its_metrics_go_where_the_alert_looks(snapshots: Snapshots) -> None:
    """The diagnostic setting stands at the machine itself."""
    made = snapshots["on"]
    setting = named(made, "Microsoft.Insights/diagnosticSettings", "up")
    assert setting["id"].startswith(one(made, VM)["id"])
    (metric,) = setting["properties"]["metrics"]
    assert metric == {"category": "AllMetrics", "enabled": True}


def test_g19_what_ends_a_machine_is_made_again_without_it(snapshots: Snapshots) -> None:
    """G19: a PUT over a machine that is there is never sent; what lacks comes anew."""
    ids = {each["id"] for each in snapshots["off"]["predictedResources"]}
    more = [
        each
        for each in snapshots["mended"]["predictedResources"]
        if each["id"] not in ids
    ]
    assert sorted(each["type"].partition("/")[2] for each in more) == [
        "diagnosticSettings",
        "roleAssignments",
        "roleAssignments",
        "schedules",
    ]
    made = {each["id"] for each in snapshots["on"]["predictedResources"]}
    assert {each["id"] for each in more} <= made
