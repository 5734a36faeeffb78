"""Deployments at a subscription, as far as they make machines, and a machine's end.

Of a template only its one machine is looked at: `createMachine` makes it, which starts
it and bills; `mendMachine` makes the roles of one that is there. All the rest of the
template stands already, as far as anybody can see here. Only the operator may.
"""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from local.azure.birth import Birth
from local.azure.operations import Operation
from local.azure.plan import Failure
from local.azure.refusals import operators_only
from local.azure.routing import Call, Kind, Route, route
from local.azure.wire import Reply, error_reply, json_reply, stamp

if TYPE_CHECKING:
    from local.azure.estate import Estate

_DEPLOYMENT = (
    "/subscriptions/{subscription}/providers/Microsoft.Resources"
    "/deployments/{deployment}"
)
_VM = (
    "/subscriptions/{subscription}/resourceGroups/{group}"
    "/providers/Microsoft.Compute/virtualMachines/{vm}"
)
_ACTION = "Microsoft.Resources/deployments"
_THE_REST = timedelta(seconds=3)
_CHANGED = Failure(
    code="PropertyChangeNotAllowed",
    message="Changing property 'osProfile.customData' is not allowed.",
)
_DELETED = Failure(
    code="ConflictError",
    message="A vault with the same name already exists in deleted state. You need to "
    "either recover or purge existing key vault.",
)
_STARTED = Failure(
    code="400",
    message="Start date of budgets cannot be updated. Please delete and create a new "
    "budget.",
)
_RESERVED = Failure(
    code="NicReservedForAnotherVm",
    message="Nic(s) in request is reserved for another Virtual Machine for 180 "
    "seconds. Please provide another nic(s) or retry after 180 seconds.",
)


@dataclass(slots=True, kw_only=True)
class Deployment:
    """One deployment: what it was given, and how it goes."""

    name: str
    location: str
    at: datetime
    given: Mapping[str, Any]
    operation: Operation | None = None
    failure: Failure | None = None
    ended: datetime | None = None
    state: str = "Running"

    @property
    def made(self) -> str:
        """The full name of the machine that it makes; empty for none."""
        return self._full("createMachine")

    @property
    def mended(self) -> str:
        """The full name of the machine whose roles it makes; empty for none."""
        return self.made or self._full("mendMachine")

    def _full(self, parameter: str) -> str:
        name = self.value(parameter)
        return f"{name}-{self.value('machineLocation')}" if name else ""

    def value(self, parameter: str) -> Any:
        return self.given.get(parameter, {}).get("value")

    def end(self, at: datetime, failure: Failure | None = None) -> None:
        self.ended, self.failure = at, failure
        self.state = "Failed" if failure else "Succeeded"


@dataclass(slots=True)
class Deployments:
    """All of one subscription.

    `put_starts`: whether Azure starts a machine that a deployment meets deallocated;
    no source says whether it does. `keeps_card`: a network card is reserved for 180 s
    after its machine was deleted.
    """

    azure: "Estate"
    put_starts: bool = False
    keeps_card: bool = False
    kept: dict[str, Deployment] = field(default_factory=dict)

    @property
    def routes(self) -> list[Route]:
        """Make, look, and cancel; ARM guards them."""
        return [
            route(Kind.DEPLOYMENT_WRITE, "PUT", _DEPLOYMENT, self._put),
            route(Kind.DEPLOYMENT_READ, "GET", _DEPLOYMENT, self._get),
            route(Kind.DEPLOYMENT_WRITE, "POST", f"{_DEPLOYMENT}/cancel", self._cancel),
            route(Kind.VM_DELETE, "DELETE", _VM, self._delete),
        ]

    def settle(self, now: datetime) -> None:
        """Let what runs go on: roles come after the machine, and then it ends."""
        for each in self.kept.values():
            if each.ended is None:
                self._settle(each, now)

    def _settle(self, deployment: Deployment, now: datetime) -> None:
        operation = deployment.operation
        if operation is not None and operation.failure is not None:
            assert operation.ended is not None
            deployment.end(operation.ended, operation.failure)
            return
        begun = deployment.at if operation is None else operation.ended
        if begun is None or now < begun + _THE_REST:
            return
        if deployment.mended:
            Birth(self.azure, deployment.mended).guard(begun + _THE_REST)
        deployment.end(begun + _THE_REST)

    @operators_only(f"{_ACTION}/write")
    def _put(self, call: Call) -> Reply:
        said = call.request.json()
        name, location = call.parts["deployment"], str(said.get("location"))
        properties = said.get("properties") or {}
        refused = _refused(properties) or self._in_the_way(name, location)
        if refused is not None:
            return refused
        made = Deployment(
            name=name,
            location=location,
            at=call.at,
            given=properties["parameters"],
        )
        self.kept[name.lower()] = made
        self._begin(made, properties["template"])
        return json_reply(201, _body(call, made))

    def _in_the_way(self, name: str, location: str) -> Reply | None:
        """Refuse one that still runs, or that was made at another place."""
        there = self.kept.get(name.lower())
        if there is None:
            return None
        if there.location != location:
            return error_reply(
                409,
                "InvalidDeploymentLocation",
                f"Invalid deployment location '{location}'. The deployment '{name}' "
                f"already exists in location '{there.location}'.",
            )
        if there.ended is None:
            return error_reply(
                409,
                "DeploymentActive",
                f"The deployment with resource id '{name}' cannot be saved, because "
                "this would overwrite an existing deployment which is still active.",
            )
        return None

    def _begin(self, made: Deployment, template: Mapping[str, Any]) -> None:
        """Make the machine, or meet the one that is there, either way it may go."""
        full = made.mended
        taken = self._taken(made)
        if taken is not None:
            made.end(made.at, taken)
            return
        if not full:
            return
        birth = Birth(self.azure, full)
        if birth.machine is None:
            what = f"The machine {full} is none of this Azure's."
            made.end(made.at, Failure(code="ResourceNotFound", message=what))
        elif birth.machine.exists:
            written_over = bool(made.made) and not _only_where_none(template)
            if written_over and birth.differs(made.value("customData")):
                made.end(made.at, _CHANGED)
            elif self.put_starts:
                birth.start(made.at)
        elif not made.made:
            what = f"The Resource '{full}' was not found."
            made.end(made.at, Failure(code="ResourceNotFound", message=what))
        elif self.keeps_card and birth.card_is_reserved(made.at):
            made.end(made.at, _RESERVED)
        else:
            disk = made.value("osDiskId") or ""
            custom = made.value("customData") or ""
            made.operation = birth.make(made.at, disk, custom)

    def _taken(self, made: Deployment) -> Failure | None:
        """Refuse a deleted vault's name, and another first day of a budget."""
        prefix = made.value("prefix")
        starts = (f"kva-{prefix}", f"kvm-{prefix}")
        if any(name.startswith(starts) for name in self.azure.subscription.deleted):
            return _DELETED
        first = self.azure.budgets.starts(f"{prefix}-credit")
        wanted = made.value("budgetsFrom")
        return _STARTED if first is not None and f"{first:%Y-%m-%d}" != wanted else None

    @operators_only(f"{_ACTION}/read")
    def _get(self, call: Call) -> Reply:
        found = self.kept.get(call.parts["deployment"].lower())
        if found is None:
            text = f"Deployment '{call.parts['deployment']}' could not be found."
            return error_reply(404, "DeploymentNotFound", text)
        return json_reply(200, _body(call, found))

    @operators_only(f"{_ACTION}/cancel/action")
    def _cancel(self, call: Call) -> Reply:
        """End the deployment, not what it has begun: a machine is made all the same."""
        found = self.kept.get(call.parts["deployment"].lower())
        if found is None or found.ended is not None:
            text = "The deployment cannot be cancelled in its state."
            return error_reply(409, "DeploymentCannotBeCancelled", text)
        found.end(call.at)
        found.state = "Canceled"
        return Reply(status=204)

    @operators_only("Microsoft.Compute/virtualMachines/delete")
    def _delete(self, call: Call) -> Reply:
        birth = Birth(self.azure, call.parts["vm"])
        if birth.machine is None or not birth.machine.exists:
            return Reply(status=204)
        birth.end(call.at)
        return Reply(status=202)


def _refused(properties: Mapping[str, Any]) -> Reply | None:
    """Refuse what Azure refuses before it begins."""
    mode = properties.get("mode")
    if mode != "Incremental":
        text = f"The deployment mode '{mode}' is not supported at a subscription."
        return error_reply(400, "InvalidDeploymentMode", text)
    template, given = properties.get("template"), properties.get("parameters")
    if not isinstance(template, dict) or not isinstance(given, dict):
        text = "The request content was invalid: template and parameters are required."
        return error_reply(400, "InvalidRequestContent", text)
    known = template.get("parameters", {})
    unknown = [name for name in given if name not in known]
    lacking = [
        name
        for name in known
        if name not in given and "defaultValue" not in known[name]
    ]
    if unknown or lacking:
        text = (
            "Deployment template validation failed: the template parameters "
            f"'{', '.join(unknown or lacking)}' are not valid."
        )
        return error_reply(400, "InvalidTemplate", text)
    return None


def _only_where_none(template: object) -> bool:
    """Whether a machine that is there is left alone by this template."""
    if isinstance(template, dict):
        if template.get("type") == "Microsoft.Compute/virtualMachines":
            options = template.get("@options") or {}
            return bool(options.get("onlyIfNotExists")) or bool(
                template.get("existing")
            )
        return all(map(_only_where_none, template.values()))
    if isinstance(template, list):
        return all(map(_only_where_none, template))
    return True


def _body(call: Call, deployment: Deployment) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "provisioningState": deployment.state,
        "mode": "Incremental",
        "timestamp": stamp(deployment.ended or deployment.at),
        "correlationId": str(uuid.uuid5(uuid.NAMESPACE_DNS, deployment.name)),
    }
    if deployment.failure is not None:
        properties["error"] = _error(deployment.failure)
    return {
        "id": call.request.path,
        "name": deployment.name,
        "location": deployment.location,
        "properties": properties,
    }


def _error(failure: Failure) -> dict[str, Any]:
    """Wrap a failure as ARM does: in a module's, in the deployment's."""
    inner = {"error": {"code": failure.code, "message": failure.message}}
    module = {
        "code": "ResourceDeploymentFailure",
        "message": "The resource write operation failed to complete successfully, "
        "because it reached terminal provisioning state 'Failed'.",
        "details": [{"code": "Conflict", "message": json.dumps(inner)}],
    }
    return {
        "code": "DeploymentFailed",
        "message": "At least one resource deployment operation failed. Please list "
        "deployment operations for details. Please see https://aka.ms/arm-deployment-"
        "operations for usage details.",
        "details": [module],
    }
