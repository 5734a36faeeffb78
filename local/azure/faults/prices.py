"""The public price list: throttled, empty, paged, full of look-alikes."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from local.azure import price_rows
from local.azure.faults.kinds import Fault, Make, StateFault, Undo
from local.azure.faults.means import always, hang_up, refuse
from local.azure.price_rows import Price
from local.azure.routing import Kind
from local.azure.wire import error_reply
from local.offer import Offer

if TYPE_CHECKING:
    from local.azure.estate import Estate

_PRICES = frozenset({Kind.PRICES})


def throttled(retry_after: int = 60) -> Fault:
    headers = {
        "x-ms-ratelimit-retailprices-retry-after": str(retry_after),
        "x-ms-ratelimit-remaining-retailprices-requests": "0",
    }
    reply = error_reply(429, "429", "Too many requests. Please retry.", headers)
    return refuse(_PRICES, lambda _: reply)


def paged(size: int = 2) -> Fault:
    def begin(azure: "Estate") -> Undo:
        before = azure.prices.page_size
        azure.prices.page_size = size

        def undo() -> None:
            azure.prices.page_size = before

        return undo

    return StateFault(begin=begin)


def _rows(choose: Callable[[], Iterable[Price]]) -> Make:
    def make() -> Fault:
        def begin(azure: "Estate") -> Undo:
            before = azure.prices.rows
            azure.prices.replace(choose())
            return lambda: azure.prices.replace(before)

        return StateFault(begin=begin)

    return make


def _duplicates() -> list[Price]:
    """The same meter twice, a dearer twin, and an older row."""
    twins = [Price(price=84.80), Price(price=90.0), Price(price=84.80)]
    return [*twins, Price(price=98.32, since="2024-06-01T00:00:00Z")]


OFFERS: Mapping[str, Offer[Fault]] = {
    "prices_unreachable": Offer(
        does="The connection is closed.", make=always(_PRICES, hang_up)
    ),
    "prices_throttled": Offer(
        does="429 with the list's private wait headers.", make=throttled
    ),
    "prices_error": Offer(
        does="500.",
        make=always(
            _PRICES,
            lambda: error_reply(
                500, "InternalServerError", "An internal error occurred."
            ),
        ),
    ),
    "prices_none": Offer(
        does="200 with zero rows: the region does not have the size.",
        make=_rows(lambda: ()),
    ),
    "prices_paged": Offer(
        does="Two rows a page, the right one on a later page.", make=paged
    ),
    "prices_look_alikes": Offer(
        does="Every row but the right one: Spot, Low Priority, Windows, DevTest, "
        "Reservation at its whole-term price on the same meter, one from the future "
        "and one that has ended.",
        make=_rows(lambda: price_rows.LOOK_ALIKES),
    ),
    "prices_duplicates": Offer(
        does="The right row twice, beside a dearer twin and an older one.",
        make=_rows(_duplicates),
    ),
    "prices_future": Offer(
        does="A cheaper row that begins years from now, beside the right one.",
        make=_rows(
            lambda: [Price(price=84.80), Price(price=1.0, since="2099-01-01T00:00:00Z")]
        ),
    ),
    "prices_named_linux": Offer(
        does="The right row's product ends in `Linux`, its size is spelled in full.",
        make=_rows(lambda: [*price_rows.LOOK_ALIKES, price_rows.NAMED_LINUX]),
    ),
    "prices_zero": Offer(
        does="The right row costs nothing.", make=_rows(lambda: [Price(price=0.0)])
    ),
    "prices_far_off": Offer(
        does="The right row costs ten times what is configured.",
        make=_rows(lambda: [Price(price=848.0)]),
    ),
}
