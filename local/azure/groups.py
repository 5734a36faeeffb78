"""A resource group and what is in it that has no service of its own here.

`things` are bodies by their paths: schedules, alert rules, addresses. Only the operator
may; a group that is deleted is gone some time later, with its machines.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from local.azure.refusals import operators_only
from local.azure.routing import Call, Kind, Route, anywhere, route
from local.azure.wire import Reply, error_reply, json_reply

_GROUP = "/subscriptions/{subscription}/resourceGroups/{group}"
_THING = (
    r"/subscriptions/(?P<subscription>[^/]+)/resourceGroups/(?P<group>[^/]+)/providers/"
    r"(?P<provider>Microsoft\.(?:Insights|DevTestLab|Network|Storage|ManagedIdentity))"
    r"/(?P<kind>\w+)"
)
_ACTION = "Microsoft.Resources/subscriptions/resourceGroups"
_TAKES = timedelta(seconds=2)


class Groups:
    """One group, by whatever name; `ends` is told when it has gone."""

    def __init__(self, ends: Callable[[datetime], None]) -> None:
        self.things: dict[str, dict[str, Any]] = {}
        self.exists = True
        self._ends = ends
        self._gone_at: datetime | None = None

    @property
    def routes(self) -> list[Route]:
        """ARM guards them."""
        one = _THING + r"/(?P<name>[^/]+)/?"
        return [
            route(Kind.GROUP, "GET", _GROUP, self._get),
            route(Kind.GROUP, "DELETE", _GROUP, self._delete),
            route(Kind.GROUP, "GET", f"{_GROUP}/resources", self._list),
            anywhere(Kind.GROUP, "GET", _THING + "/?", self._of_a_kind),
            anywhere(Kind.GROUP, "GET", one, self._thing),
            anywhere(Kind.GROUP, "DELETE", one, self._delete_thing),
        ]

    def put(self, path: str, **properties: Any) -> None:
        """Put a thing there without the wire."""
        kind, name = path.split("/providers/")[1].rsplit("/", 1)
        self.things[path.lower()] = {
            "id": path,
            "name": name,
            "type": kind,
            "location": properties.pop("location", "eastus2"),
            "properties": properties,
        }

    def settle(self, now: datetime) -> None:
        """Let a group go that is due to."""
        if self._gone_at is not None and now >= self._gone_at:
            self.exists, self._gone_at = False, None
            self.things.clear()
            self._ends(now)

    @operators_only(f"{_ACTION}/read")
    def _get(self, call: Call) -> Reply:
        return json_reply(200, {"id": call.request.path}) if self.exists else _none()

    @operators_only(f"{_ACTION}/delete")
    def _delete(self, call: Call) -> Reply:
        if not self.exists:
            return _none()
        self._gone_at = call.at + _TAKES
        return Reply(status=202)

    @operators_only(f"{_ACTION}/resources/read")
    def _list(self, _: Call) -> Reply:
        return json_reply(200, {"value": list(self.things.values())})

    @operators_only("Microsoft.Insights/read")
    def _of_a_kind(self, call: Call) -> Reply:
        kind = f"{call.parts['provider']}/{call.parts['kind']}".lower()
        found = [e for e in self.things.values() if e["type"].lower() == kind]
        return json_reply(200, {"value": found})

    @operators_only("Microsoft.Insights/read")
    def _thing(self, call: Call) -> Reply:
        found = self.things.get(call.request.path.lower())
        return _none() if found is None else json_reply(200, found)

    @operators_only("Microsoft.Insights/delete")
    def _delete_thing(self, call: Call) -> Reply:
        found = self.things.pop(call.request.path.lower(), None)
        return Reply(status=202 if found else 204)


def _none() -> Reply:
    return error_reply(404, "ResourceNotFound", "There is no such thing.")
