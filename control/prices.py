"""The Retail Prices API: what one hour of the machine costs on demand, on Linux.

Reservations, Spot, Low Priority, DevTest and Windows stand beside it under the same
names, so every row is filtered here whatever the service filtered.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import AwareDatetime, BaseModel, Field, ValidationError

from control.azure.answers import retry_after, said
from control.azure.deadline import within
from control.azure.faults import error, translated, unanswered
from control.model import Quote

if TYPE_CHECKING:
    import httpx

_SECONDS = 15.0
_TIMEOUT = 5.0
_MOST_PAGES = 10
_NOT_ON_DEMAND = ("spot", "low priority", "devtest", "dev/test")


class _Item(BaseModel):
    currency: str = Field(alias="currencyCode")
    price: Decimal = Field(alias="retailPrice", gt=0, allow_inf_nan=False)
    region: str = Field(alias="armRegionName")
    sku: str = Field(alias="armSkuName")
    meter: str = Field(alias="meterName")
    sku_name: str = Field(alias="skuName")
    product: str = Field(alias="productName")
    unit: str = Field(alias="unitOfMeasure")
    kind: str = Field(alias="type")
    since: AwareDatetime = Field(alias="effectiveStartDate")
    until: AwareDatetime | None = Field(alias="effectiveEndDate", default=None)
    term: str | None = Field(alias="reservationTerm", default=None)


class _Page(BaseModel):
    items: list[Any] = Field(alias="Items")
    following: str | None = Field(alias="NextPageLink", default=None)


class RetailPrices:
    """`ports.Prices` for one size in one region and currency."""

    def __init__(self, *, endpoint: str, sku: str, region: str, currency: str) -> None:
        self._endpoint = endpoint
        self._sku = sku
        self._region = region
        self._currency = currency

    def quote(self, now: datetime) -> Quote | None:
        """Return the newest price in force, of several the dearest."""
        with translated():
            items = within(_SECONDS, lambda _: tuple(self._items()))
        fitting = [item for item in items if self._fits(item, now)]
        if not fitting:
            return None
        best = max(fitting, key=lambda item: (item.since, item.price))
        return Quote(price_per_hour=best.price, currency=self._currency, at=now)

    def _items(self) -> Iterator[_Item]:
        import httpx  # noqa: PLC0415 - without it prices are away, and nothing else

        url: str | None = str(httpx.URL(self._endpoint, params=self._query()))
        with httpx.Client(timeout=_TIMEOUT, follow_redirects=False) as client:
            for _ in range(_MOST_PAGES):
                if url is None or _origin(url) != _origin(self._endpoint):
                    return
                page = _page(client, url)
                yield from filter(None, map(_item, page.items))
                url = page.following

    def _query(self) -> dict[str, str]:
        return {
            "currencyCode": f"'{self._currency}'",
            "$filter": f"armRegionName eq '{self._region}'"
            f" and armSkuName eq '{self._sku}' and priceType eq 'Consumption'",
        }

    def _fits(self, item: _Item, now: datetime) -> bool:
        names = f"{item.meter} {item.sku_name} {item.product}".lower()
        return (
            item.kind == "Consumption"
            and item.term is None
            and item.unit == "1 Hour"
            and item.sku.lower() == self._sku.lower()
            and item.region.lower() == self._region.lower()
            and item.currency.upper() == self._currency.upper()
            and "windows" not in item.product.lower()
            and not any(word in names for word in _NOT_ON_DEMAND)
            and item.since <= now
            and (item.until is None or item.until > now)
        )


def _page(client: "httpx.Client", url: str) -> _Page:
    import httpx  # noqa: PLC0415 - as above

    try:
        answer = client.get(url)
    except (httpx.HTTPError, httpx.InvalidURL) as lost:
        raise unanswered(f"({type(lost).__name__})") from None
    if answer.status_code != HTTPStatus.OK:
        words = said(answer.text)
        raise error(answer.status_code, words, retry_after(answer.headers))
    try:
        return _Page.model_validate(json.loads(answer.text, parse_float=Decimal))
    except ValueError as unreadable:
        raise unanswered("The prices are not readable.") from unreadable


def _item(row: Any) -> _Item | None:
    """Read a row; one that is not whole is no price."""
    try:
        return _Item.model_validate(row)
    except ValidationError:
        return None


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    default = {"https": 443, "http": 80}.get(parts.scheme)
    return parts.scheme, parts.hostname, parts.port or default
