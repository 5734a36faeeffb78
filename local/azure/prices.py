"""The Retail Prices API: public, paged, case-sensitive."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from local.azure.odata import FilterError, Terms, matches, read
from local.azure.price_rows import USUAL, Price
from local.azure.routing import Call, Kind, Route, route
from local.azure.wire import Reply, json_reply

PATH = "/api/retail/prices"
_FIELDS = {"priceType": "type"}


class Prices:
    """The rows; `page_size` may be small so that a test turns pages."""

    def __init__(self) -> None:
        self.page_size = 1000
        self._rows = list(USUAL)

    @property
    def routes(self) -> list[Route]:
        return [route(Kind.PRICES, "GET", PATH, self._answer)]

    @property
    def rows(self) -> list[Price]:
        return list(self._rows)

    def replace(self, rows: Iterable[Price]) -> None:
        """Sell at these prices instead; none at all is 200 with zero rows."""
        self._rows = list(rows)

    def _answer(self, call: Call) -> Reply:
        query = call.request.query
        try:
            terms = _terms(query.get("$filter", ""))
        except FilterError as error:
            return json_reply(400, {"Error": {"Message": str(error)}})
        currency = query.get("currencyCode", "USD").strip("'")
        found = self._found(terms, currency)
        skip = int(query.get("$skip", "0"))
        items = found[skip : skip + self.page_size]
        more = len(found) > skip + self.page_size
        following = {**query, "$skip": str(skip + self.page_size)}
        link = f"{call.request.base}{PATH}?{urlencode(following)}" if more else None
        return json_reply(200, _envelope(items, currency, link))

    def _found(self, terms: Terms, currency: str) -> list[dict[str, Any]]:
        rows = (each.row() for each in self._rows if each.currency == currency)
        return [row for row in rows if matches(terms, row)]


def _terms(text: str) -> Terms:
    return [(_FIELDS.get(name, name), value) for name, value in read(text)]


def _envelope(
    items: list[dict[str, Any]], currency: str, link: str | None
) -> dict[str, Any]:
    return {
        "BillingCurrency": currency,
        "CustomerEntityId": "Default",
        "CustomerEntityType": "Retail",
        "Items": items,
        "NextPageLink": link,
        "Count": len(items),
    }
