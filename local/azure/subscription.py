"""What a subscription says of itself: its providers, and its deleted vaults."""

from datetime import datetime, timedelta

from local.azure import refusals
from local.azure.routing import Call, Kind, Route, route
from local.azure.wire import Reply, error_reply, json_reply, zulu

_AT = "/subscriptions/{subscription}/providers"
_PURGE = (
    f"{_AT}/Microsoft.KeyVault/locations/{{location}}/deletedVaults/{{vault}}/purge"
)
_FEATURE = f"{_AT}/Microsoft.Features/providers/Microsoft.Compute/features/{{feature}}"
_OPERATOR = "operator"
_PAGE = 2
_KEPT = timedelta(days=7)


class Subscription:
    """`unregistered` providers, and vaults by name with the instant of their end."""

    def __init__(self) -> None:
        self.unregistered: set[str] = set()
        self.deleted: dict[str, datetime] = {}
        self.vaults: list[str] = []
        self.features: set[str] = set()

    @property
    def routes(self) -> list[Route]:
        """Reads alone; ARM guards them."""
        deleted = f"{_AT}/Microsoft.KeyVault/deletedVaults"
        return [
            route(Kind.SUBSCRIPTION, "GET", deleted, self._vaults),
            route(Kind.SUBSCRIPTION, "GET", _FEATURE, self._feature),
            route(Kind.SUBSCRIPTION, "POST", _PURGE, self._purge),
            route(Kind.SUBSCRIPTION, "GET", f"{_AT}/{{provider}}", self._provider),
        ]

    def delete_vaults(self, at: datetime) -> None:
        """Delete the vaults of a group that went; their names stay taken."""
        self.deleted |= dict.fromkeys(self.vaults, at)
        self.vaults.clear()

    def _purge(self, call: Call) -> Reply:
        if call.caller != _OPERATOR:
            action = "Microsoft.KeyVault/locations/deletedVaults/purge/action"
            return refusals.not_authorized(call, action)
        if self.deleted.pop(call.parts["vault"], None) is None:
            return error_reply(404, "DeletedVaultNotFound", "There is no such vault.")
        return Reply(status=202)

    def _feature(self, call: Call) -> Reply:
        if call.caller != _OPERATOR:
            return refusals.not_authorized(call, "Microsoft.Features/features/read")
        there = call.parts["feature"] in self.features
        state = "Registered" if there else "NotRegistered"
        return json_reply(200, {"properties": {"state": state}})

    def _provider(self, call: Call) -> Reply:
        if call.caller != _OPERATOR:
            return refusals.not_authorized(call, "Microsoft.Resources/providers/read")
        name = call.parts["provider"]
        lacking = name in self.unregistered
        state = "NotRegistered" if lacking else "Registered"
        return json_reply(200, {"namespace": name, "registrationState": state})

    def _vaults(self, call: Call) -> Reply:
        """List them in pages, as ARM does."""
        if call.caller != _OPERATOR:
            return refusals.not_authorized(
                call, "Microsoft.KeyVault/deletedVaults/read"
            )
        start = int(call.request.query.get("$skiptoken", "0"))
        shown = list(self.deleted.items())[start : start + _PAGE]
        page: dict[str, object] = {
            "value": [
                {
                    "name": name,
                    "type": "Microsoft.KeyVault/deletedVaults",
                    "properties": {
                        "location": "eastus2",
                        "deletionDate": zulu(at),
                        "scheduledPurgeDate": zulu(at + _KEPT),
                    },
                }
                for name, at in shown
            ]
        }
        if start + _PAGE < len(self.deleted):
            query = f"api-version=2023-07-01&$skiptoken={start + _PAGE}"
            host = call.request.headers["host"]
            page["nextLink"] = f"https://{host}{call.request.path}?{query}"
        return json_reply(200, page)
