"""A machine as ARM shows it: the resource and its instance view."""

from datetime import datetime
from typing import Any
from uuid import NAMESPACE_DNS, uuid5

from local.azure.machine import Machine, Provisioning
from local.azure.plan import Power
from local.azure.wire import stamp

_RESOURCE_STATE = {"succeeded": "Succeeded", "failed": "Failed"}


def resource_id(machine: Machine, subscription: str) -> str:
    return (
        f"{_group(machine, subscription)}/providers/Microsoft.Compute"
        f"/virtualMachines/{machine.spec.name}"
    )


def disk_id(machine: Machine, subscription: str) -> str:
    group = _group(machine, subscription)
    return f"{group}/providers/Microsoft.Compute/disks/{machine.disk}"


def resource(machine: Machine, subscription: str, *, expanded: bool) -> dict[str, Any]:
    """The VM; only an expanded one tells its power state."""
    properties = {
        "vmId": str(uuid5(NAMESPACE_DNS, machine.spec.name)),
        "hardwareProfile": {"vmSize": machine.spec.size},
        "storageProfile": _storage(machine, subscription),
        "osProfile": _os(machine),
        "networkProfile": {"networkInterfaces": [_network(machine, subscription)]},
        "provisioningState": _RESOURCE_STATE.get(
            machine.provisioning.state, "Updating"
        ),
    }
    if expanded:
        properties["instanceView"] = instance_view(machine)
    properties["timeCreated"] = stamp(machine.created)
    return {
        "name": machine.spec.name,
        "id": resource_id(machine, subscription),
        "type": "Microsoft.Compute/virtualMachines",
        "location": machine.spec.location,
        "tags": dict(machine.tags),
        "properties": properties,
    }


def instance_view(machine: Machine) -> dict[str, Any]:
    """What the guest's agent said, until a deallocate; the disks; two statuses."""
    view: dict[str, Any] = _agent(machine, machine.agent_at) if machine.agent_at else {}
    view["disks"] = [_disk_view(machine)]
    view["hyperVGeneration"] = "V2"
    view["statuses"] = [provisioning_status(machine.provisioning)]
    if machine.shown is not None:
        view["statuses"].append(power_status(machine.shown))
    return view


def provisioning_status(provisioning: Provisioning) -> dict[str, Any]:
    """Two or three segments; a time only on what is terminal."""
    code = f"ProvisioningState/{provisioning.state}"
    shown = {
        "succeeded": "Provisioning succeeded",
        "failed": "Provisioning failed",
    }.get(provisioning.state, provisioning.state.capitalize())
    status = {
        "code": f"{code}/{provisioning.code}" if provisioning.code else code,
        "level": "Error" if provisioning.state == "failed" else "Info",
        "displayStatus": shown,
    }
    if provisioning.message:
        status["message"] = provisioning.message
    if provisioning.time:
        status["time"] = stamp(provisioning.time)
    return status


def power_status(power: Power) -> dict[str, Any]:
    return {
        "code": f"PowerState/{power}",
        "level": "Info",
        "displayStatus": f"VM {power}",
    }


def _group(machine: Machine, subscription: str) -> str:
    group = machine.spec.resource_group
    return f"/subscriptions/{subscription}/resourceGroups/{group}"


def _agent(machine: Machine, spoke: datetime) -> dict[str, Any]:
    status = {
        "code": "ProvisioningState/succeeded",
        "level": "Info",
        "displayStatus": "Ready",
        "message": "Guest Agent is running",
        "time": stamp(spoke.replace(microsecond=0)).replace(".0000000", ""),
    }
    return {
        "computerName": machine.spec.name,
        "osName": "ubuntu",
        "osVersion": "24.04",
        "vmAgent": {
            "vmAgentVersion": "2.14.0.1",
            "statuses": [status],
            "extensionHandlers": [],
        },
    }


def _disk_view(machine: Machine) -> dict[str, Any]:
    done = Provisioning(time=machine.created)
    return {"name": machine.disk, "statuses": [provisioning_status(done)]}


def _storage(machine: Machine, subscription: str) -> dict[str, Any]:
    return {
        "imageReference": {
            "publisher": "microsoft-dsvm",
            "offer": "ubuntu-hpc",
            "sku": "2404",
            "version": "latest",
            "exactVersion": "24.04.2026060101",
        },
        "osDisk": {
            "osType": "Linux",
            "name": machine.disk,
            "createOption": "FromImage",
            "caching": "ReadWrite",
            "managedDisk": {
                "storageAccountType": "Premium_LRS",
                "id": disk_id(machine, subscription),
            },
            "deleteOption": "Detach",
            "diskSizeGB": 128,
        },
        "dataDisks": [],
    }


def _os(machine: Machine) -> dict[str, Any]:
    return {
        "computerName": machine.spec.name,
        "adminUsername": "azureuser",
        "linuxConfiguration": {
            "disablePasswordAuthentication": True,
            "provisionVMAgent": True,
            "patchSettings": {
                "patchMode": "ImageDefault",
                "assessmentMode": "ImageDefault",
            },
        },
        "secrets": [],
        "allowExtensionOperations": True,
        "requireGuestProvisionSignal": True,
    }


def _network(machine: Machine, subscription: str) -> dict[str, str]:
    group = _group(machine, subscription)
    name = f"{machine.spec.name}-nic"
    return {"id": f"{group}/providers/Microsoft.Network/networkInterfaces/{name}"}
