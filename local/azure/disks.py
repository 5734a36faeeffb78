"""Managed disks: they outlive their machine, and whoever deletes one loses what it had.

Only the operator may.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from local.azure.refusals import operators_only
from local.azure.routing import Call, Kind, Route, route
from local.azure.wire import Reply, error_reply, json_reply, stamp

_DISK = (
    "/subscriptions/{subscription}/resourceGroups/{group}/providers/"
    "Microsoft.Compute/disks/{disk}"
)
_ACTION = "Microsoft.Compute/disks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """One disk; `attached_to` is a machine's id, None where it lies by itself."""

    name: str
    location: str
    made: datetime
    attached_to: str | None = None
    security_type: str | None = None
    system: str = "Linux"

    def body(self, path: str) -> Mapping[str, Any]:
        properties: dict[str, Any] = {
            "osType": self.system,
            "diskSizeGB": 256,
            "timeCreated": stamp(self.made),
            "provisioningState": "Succeeded",
            "diskState": "Attached" if self.attached_to else "Unattached",
        }
        if self.security_type:
            properties["securityProfile"] = {"securityType": self.security_type}
        body = {
            "name": self.name,
            "id": path,
            "location": self.location,
            "properties": properties,
        }
        return body | ({"managedBy": self.attached_to} if self.attached_to else {})


class Disks:
    """All of one subscription, by the path that ARM knows them by."""

    def __init__(self) -> None:
        self.kept: dict[str, Disk] = {}

    @property
    def routes(self) -> list[Route]:
        """Read and delete; ARM guards them."""
        return [
            route(Kind.DISK_READ, "GET", _DISK, self._get),
            route(Kind.DISK_DELETE, "DELETE", _DISK, self._delete),
        ]

    def put(self, path: str, disk: Disk) -> None:
        """Put a disk there without the wire."""
        self.kept[path.lower()] = disk

    def attach(self, path: str, machine: str | None) -> None:
        """Give it to a machine, or take it from the one that has it."""
        kept = self.kept[path.lower()]
        self.kept[path.lower()] = replace(kept, attached_to=machine)

    @operators_only(f"{_ACTION}/read")
    def _get(self, call: Call) -> Reply:
        found = self.kept.get(call.request.path.lower())
        if found is None:
            name = call.parts["disk"]
            text = f"The Resource '{_ACTION}/{name}' was not found."
            return error_reply(404, "ResourceNotFound", text)
        return json_reply(200, found.body(call.request.path))

    @operators_only(f"{_ACTION}/delete")
    def _delete(self, call: Call) -> Reply:
        path = call.request.path.lower()
        found = self.kept.get(path)
        if found is None:
            return Reply(status=204)
        if found.attached_to:
            text = f"Disk {found.name} is attached to VM {found.attached_to}."
            return error_reply(409, "OperationNotAllowed", text)
        del self.kept[path]
        return Reply(status=202)
