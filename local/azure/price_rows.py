"""Retail price rows round the H200: the right one among its look-alikes."""

from dataclasses import dataclass
from typing import Any

_SKU = "Standard_ND96isr_H200_v5"
_METER = "ND96isrH200v5"
_PRODUCT = "Virtual Machines NDsrH200v5 Series"
_LOCATIONS = {
    "eastus2": "US East 2",
    "westus3": "US West 3",
    "polandcentral": "PL Central",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What tells one row from another; the rest is the same for all."""

    price: float
    region: str = "eastus2"
    kind: str = "Consumption"
    suffix: str = ""
    product: str = _PRODUCT
    since: str = "2025-01-01T00:00:00Z"
    until: str | None = None
    term: str | None = None
    primary: bool = True
    sku: str = _SKU
    meter: str = _METER
    currency: str = "USD"

    def row(self) -> dict[str, Any]:
        """The row as the API writes it."""
        row: dict[str, Any] = {
            "currencyCode": self.currency,
            "tierMinimumUnits": 0.0,
            "retailPrice": self.price,
            "unitPrice": self.price,
            "armRegionName": self.region,
            "location": _LOCATIONS.get(self.region, self.region),
            "effectiveStartDate": self.since,
            "meterId": "5f1f5a9c-6a1e-5d0f-8c55-3d5f0c1f7b01",
            "meterName": self.meter + self.suffix,
            "productId": "DZH318Z0KN54",
            "skuId": "DZH318Z0KN54/0012",
            "productName": self.product,
            "skuName": self.meter + self.suffix,
            "serviceName": "Virtual Machines",
            "serviceId": "DZH313Z7MMC8",
            "serviceFamily": "Compute",
            "unitOfMeasure": "1 Hour",
            "type": self.kind,
            "isPrimaryMeterRegion": self.primary,
            "armSkuName": self.sku,
        }
        if self.until:
            row["effectiveEndDate"] = self.until
        if self.term:
            row["reservationTerm"] = self.term
        return row


LOOK_ALIKES = (
    Price(price=407526.0, kind="Reservation", term="1 Year"),
    Price(price=1109592.0, kind="Reservation", term="3 Years"),
    Price(price=84.80, suffix=" Spot"),
    Price(price=16.96, suffix=" Low Priority"),
    Price(price=89.216, product=f"{_PRODUCT} Windows"),
    Price(price=20.0, suffix=" Low Priority", product=f"{_PRODUCT} Windows"),
    Price(
        price=8.5,
        suffix=" Low Priority",
        product=f"{_PRODUCT} Windows",
        kind="DevTestConsumption",
    ),
    Price(price=80.0, suffix=" Spot", until="2099-01-01T00:00:00Z"),
    Price(price=1.0, since="2025-06-01T00:00:00Z", until="2026-06-01T00:00:00Z"),
    Price(price=42.40, kind="DevTestConsumption"),
    Price(price=71.00, since="2099-01-01T00:00:00Z"),
)
NAMED_LINUX = Price(
    price=84.80, product="Virtual Machines NDsr H200 v5 Series Linux", meter=_SKU
)
USUAL = (
    *LOOK_ALIKES,
    Price(price=98.32, since="2024-06-01T00:00:00Z"),
    Price(price=84.80),
    Price(price=84.80, primary=False),
    Price(price=130.592, region="polandcentral"),
    Price(price=130.592, region="polandcentral", suffix=" Spot"),
    Price(price=84.80, region="westus3"),
    Price(
        price=98.32,
        sku="Standard_ND96isr_H100_v5",
        meter="ND96isrH100v5",
        product="Virtual Machines NDsr H100 v5 Series",
    ),
)
