"""What a region has to give: sizes, the quota that is left, images. Reads alone."""

from local.azure.refusals import operators_only
from local.azure.routing import Call, Kind, Route, route
from local.azure.wire import Reply, error_reply, json_reply

_COMPUTE = "/subscriptions/{subscription}/providers/Microsoft.Compute"
_IMAGE = (
    f"{_COMPUTE}/locations/{{location}}/publishers/{{publisher}}/artifacttypes/vmimage"
    "/offers/{offer}/skus/{sku}/versions/{version}"
)
_FAMILY = "standardNDISRH200V5Family"


class Stock:
    """One size in one region: `family` and `region` are vCPUs that are free."""

    def __init__(self) -> None:
        self.size = "Standard_ND96isr_H200_v5"
        self.location = "eastus2"
        self.restrictions: list[str] = []
        self.family, self.region = 96, 200
        self.images = {"24.04.2026092501"}
        self.plan: dict[str, str] | None = None

    @property
    def routes(self) -> list[Route]:
        """ARM guards them."""
        usages = f"{_COMPUTE}/locations/{{location}}/usages"
        return [
            route(Kind.STOCK, "GET", f"{_COMPUTE}/skus", self._sizes),
            route(Kind.STOCK, "GET", usages, self._usages),
            route(Kind.STOCK, "GET", _IMAGE, self._image),
        ]

    @operators_only("Microsoft.Compute/skus/read")
    def _sizes(self, _: Call) -> Reply:
        restrictions = [{"reasonCode": each} for each in self.restrictions]
        size = {
            "resourceType": "virtualMachines",
            "name": self.size,
            "family": _FAMILY,
            "locations": [self.location],
            "capabilities": [{"name": "vCPUs", "value": "96"}],
            "restrictions": restrictions,
        }
        disk = {"resourceType": "disks", "name": "Premium_LRS"}
        return json_reply(200, {"value": [disk, size]})

    @operators_only("Microsoft.Compute/usages/read")
    def _usages(self, _: Call) -> Reply:
        limits = {_FAMILY: self.family, "cores": self.region}
        usages = [
            {"name": {"value": name}, "limit": left + 4, "currentValue": 4}
            for name, left in limits.items()
        ]
        return json_reply(200, {"value": usages})

    @operators_only("Microsoft.Compute/images/read")
    def _image(self, call: Call) -> Reply:
        if call.parts["version"] not in self.images:
            text = "Artifact: VMImage was not found."
            return error_reply(404, "NotFound", text)
        properties = {"hyperVGeneration": "V2", "architecture": "x64"}
        plan = {"plan": self.plan} if self.plan else {}
        return json_reply(200, {"properties": {**properties, **plan}})
