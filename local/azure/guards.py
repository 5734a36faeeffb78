"""Network security groups' rules: what the SSH window changes, as ARM keeps it.

A rule is taken at once and is at work some seconds later. Only the operator may.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from local.azure.refusals import operators_only
from local.azure.routing import Call, Kind, Route, route
from local.azure.wire import Reply, error_reply, json_reply

_RULE = (
    "/subscriptions/{subscription}/resourceGroups/{group}/providers/"
    "Microsoft.Network/networkSecurityGroups/{guard}/securityRules/{rule}"
)
_ACTION = "Microsoft.Network/networkSecurityGroups/securityRules"
_AT_WORK_AFTER = timedelta(seconds=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule, and since when it stands there."""

    properties: Mapping[str, Any]
    at: datetime


class Guards:
    """The rules of all groups, by the path that ARM knows them by."""

    def __init__(self) -> None:
        self.rules: dict[str, Rule] = {}

    @property
    def routes(self) -> list[Route]:
        """Read and write; ARM guards them."""
        return [
            route(Kind.NETWORK_READ, "GET", _RULE, self._get),
            route(Kind.NETWORK_WRITE, "PUT", _RULE, self._put),
        ]

    def put(self, path: str, properties: Mapping[str, Any], at: datetime) -> None:
        """Put a rule there without the wire."""
        self.rules[path.lower()] = Rule(properties=properties, at=at)

    @operators_only(f"{_ACTION}/read")
    def _get(self, call: Call) -> Reply:
        found = self.rules.get(call.request.path.lower())
        if found is None:
            text = f"Resource {call.request.path} not found."
            return error_reply(404, "NotFound", text)
        return json_reply(200, _body(call, found))

    @operators_only(f"{_ACTION}/write")
    def _put(self, call: Call) -> Reply:
        said = call.request.json().get("properties")
        if not isinstance(said, dict) or "priority" not in said:
            text = "Value cannot be null. Parameter name: priority"
            return error_reply(400, "InvalidRequestFormat", text)
        known = call.request.path.lower() in self.rules
        self.put(call.request.path, said, call.at)
        made = self.rules[call.request.path.lower()]
        return json_reply(200 if known else 201, _body(call, made))


def _body(call: Call, rule: Rule) -> dict[str, Any]:
    is_at_work = call.at - rule.at >= _AT_WORK_AFTER
    state = "Succeeded" if is_at_work else "Updating"
    return {
        "name": call.parts["rule"],
        "id": call.request.path,
        "properties": {**rule.properties, "provisioningState": state},
    }
