"""What a subscription says of itself: its providers, and its deleted vaults."""

from datetime import datetime, timedelta

from local.azure.refusals import operators_only
from local.azure.routing import Call, Kind, Route, route
from local.azure.wire import Reply, error_reply, json_reply, zulu

_AT = "/subscriptions/{subscription}/providers"
_PURGE = (
    f"{_AT}/Microsoft.KeyVault/locations/{{location}}/deletedVaults/{{vault}}/purge"
)
_FEATURE = f"{_AT}/Microsoft.Features/providers/Microsoft.Compute/features/{{feature}}"
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

    @operators_only("Microsoft.KeyVault/locations/deletedVaults/purge/action")
    def _purge(self, call: Call) -> Reply:
        if self.deleted.pop(call.parts["vault"], None) is None:
            return error_reply(404, "DeletedVaultNotFound", "There is no such vault.")
        return Reply(status=202)

    @operators_only("Microsoft.Features/features/read")
    def _feature(self, call: Call) -> Reply:
        there = call.parts["feature"] in self.features
        state = "Registered" if there else "NotRegistered"
        return json_reply(200, {"properties": {"state": state}})

    @operators_only("Microsoft.Resources/providers/read")
    def _provider(self, call: Call) -> Reply:
        name = call.parts["provider"]
        lacking = name in self.unregistered
        state = "NotRegistered" if lacking else "Registered"
        return json_reply(200, {"namespace": name, "registrationState": state})

    @operators_only("Microsoft.KeyVault/deletedVaults/read")
    def _vaults(self, call: Call) -> Reply:
        """List them in pages, as ARM does."""
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
