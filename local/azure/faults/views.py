"""Instance views that say too little, too much, or say it oddly."""

from collections.abc import Callable, Mapping
from typing import Any

from local.azure.faults.kinds import Fault, Make
from local.azure.faults.means import altered
from local.azure.routing import VM_READS
from local.offer import Offer

type View = dict[str, Any]
type Change = Callable[[View], None]


def _view(change: Change) -> Make:
    """Change the view, whichever of the two reads it came with."""

    def act(body: dict[str, Any]) -> None:
        change(body.get("properties", {}).get("instanceView", body))

    return lambda: altered(VM_READS, act)


def provisioning(code: str, message: str | None = None) -> Fault:
    """Show this provisioning state; the power is shown as it is."""

    def change(body: dict[str, Any]) -> None:
        view = body.get("properties", {}).get("instanceView", body)
        _replace_provisioning(view, code, message)

    return altered(VM_READS, change)


def _is_power(status: Mapping[str, Any]) -> bool:
    return str(status["code"]).lower().startswith("powerstate/")


def _without_power(view: View) -> None:
    view["statuses"] = [each for each in view["statuses"] if not _is_power(each)]


def _show(view: View, power: str) -> None:
    text = f"VM {power}"
    status = {"code": f"PowerState/{power}", "level": "Info", "displayStatus": text}
    view["statuses"].append(status)


def _two_powers(view: View) -> None:
    _without_power(view)
    _show(view, "deallocated")
    _show(view, "running")


def _unknown_power(view: View) -> None:
    _without_power(view)
    _show(view, "unknown")


def _hibernated(view: View) -> None:
    _without_power(view)
    _show(view, "deallocated")
    view["statuses"].append({"code": "HibernationState/Hibernated", "level": "Info"})


def _no_statuses(view: View) -> None:
    view["statuses"] = []


def _null_statuses(view: View) -> None:
    view["statuses"] = None


def _power_first(view: View) -> None:
    view["statuses"].reverse()


def _lower_case(view: View) -> None:
    for status in view["statuses"]:
        status["code"] = status["code"].lower()


def _one_more(view: View) -> None:
    view["statuses"].append({"code": "ColocationStatus/Aligned", "level": "Info"})


def _only_updating(view: View) -> None:
    _replace_provisioning(view, "updating", None)
    _without_power(view)


def _replace_provisioning(view: View, code: str, message: str | None) -> None:
    failed = code.startswith("failed")
    status = {
        "code": f"ProvisioningState/{code}",
        "level": "Error" if failed else "Info",
        "displayStatus": "Provisioning failed" if failed else code.capitalize(),
    }
    powers = [each for each in view["statuses"] if _is_power(each)]
    old = [each for each in view["statuses"] if not _is_power(each)]
    if old and "time" in old[0] and code.startswith(("failed", "succeeded")):
        status["time"] = old[0]["time"]
    if message:
        status["message"] = message
    view["statuses"] = [status, *powers]


def _generalized(view: View) -> None:
    view["statuses"].insert(
        0,
        {
            "code": "OSState/generalized",
            "level": "Info",
            "displayStatus": "VM generalized",
        },
    )


def _deleting(view: View) -> None:
    _replace_provisioning(view, "deleting", None)
    _without_power(view)


def _no_agent(view: View) -> None:
    for name in ("vmAgent", "computerName", "osName", "osVersion"):
        view.pop(name, None)


def _agent_unavailable(view: View) -> None:
    if "vmAgent" not in view:
        return
    _no_agent(view)
    status = {
        "code": "ProvisioningState/Unavailable",
        "level": "Warning",
        "displayStatus": "Not Ready",
        "message": "VM status blob is found but not yet populated.",
    }
    view["vmAgent"] = {"vmAgentVersion": "Unknown", "statuses": [status]}


def _extension_not_ready(view: View) -> None:
    """Beside Succeeded and running; its status has no time."""
    if "vmAgent" not in view:
        return
    kind = "Microsoft.Azure.Monitor.AzureMonitorLinuxAgent"
    failed = {"code": "ProvisioningState/failed/1", "level": "Error"}
    not_ready = {"code": "ProvisioningState/NotReady/1007", "level": "Error"}
    view["vmAgent"]["extensionHandlers"] = [
        {"type": kind, "typeHandlerVersion": "1.29.4", "status": not_ready}
    ]
    view["extensions"] = [
        {"name": "AzureMonitorLinuxAgent", "type": kind, "statuses": [failed]}
    ]


def _no_view(body: dict[str, Any]) -> None:
    body.get("properties", {}).pop("instanceView", None)
    body.pop("statuses", None)


def failed_running(code: str = "OSProvisioningTimedOut") -> Fault:
    return provisioning(f"failed/{code}", "The VM may still finish successfully.")


OFFERS: Mapping[str, Offer[Fault]] = {
    "no_power_state": Offer(
        does="The view has no power state.", make=_view(_without_power)
    ),
    "power_unknown": Offer(
        does="The view says PowerState/unknown.", make=_view(_unknown_power)
    ),
    "two_power_states": Offer(
        does="The view has two power states that differ.", make=_view(_two_powers)
    ),
    "no_statuses": Offer(does="The statuses are empty.", make=_view(_no_statuses)),
    "null_statuses": Offer(does="The statuses are null.", make=_view(_null_statuses)),
    "no_instance_view": Offer(
        does="The machine is answered without its view.",
        make=lambda: altered(VM_READS, _no_view),
    ),
    "only_updating": Offer(
        does="The view has ProvisioningState/updating and nothing else.",
        make=_view(_only_updating),
    ),
    "deleting": Offer(
        does="ProvisioningState/deleting and no power state.", make=_view(_deleting)
    ),
    "updating": Offer(
        does="ProvisioningState/updating beside the power as it is.",
        make=lambda: provisioning("updating"),
    ),
    "generalized": Offer(
        does="OSState/generalized stands before the other statuses.",
        make=_view(_generalized),
    ),
    "no_agent": Offer(
        does="The view of a running machine says nothing of its agent.",
        make=_view(_no_agent),
    ),
    "agent_unavailable": Offer(
        does="The agent of a running machine is ProvisioningState/Unavailable.",
        make=_view(_agent_unavailable),
    ),
    "extension_not_ready": Offer(
        does="An extension has failed/1, its handler NotReady/1007; the VM is well.",
        make=_view(_extension_not_ready),
    ),
    "power_first": Offer(
        does="The statuses come in another order.", make=_view(_power_first)
    ),
    "power_code_lower_case": Offer(
        does="The codes are in lower case.", make=_view(_lower_case)
    ),
    "one_more_status": Offer(
        does="A status of another kind stands behind the power.", make=_view(_one_more)
    ),
    "hibernated": Offer(
        does="Deallocated beside HibernationState/Hibernated.", make=_view(_hibernated)
    ),
    "creating": Offer(
        does="Three segments: creating/osProvisioningInProgress, beside the power.",
        make=lambda: provisioning("creating/osProvisioningInProgress"),
    ),
    "succeeded_in_progress": Offer(
        does="Three segments and no error: succeeded/osProvisioningInProgress.",
        make=lambda: provisioning("succeeded/osProvisioningInProgress"),
    ),
    "failed_running": Offer(
        does="Three segments: failed/<code>, beside the power as it is.",
        make=failed_running,
    ),
}
