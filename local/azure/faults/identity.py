"""The app's identity endpoint: slow, throttled, updating, broken."""

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from local.azure.faults.kinds import Fault, StateFault, Undo
from local.azure.faults.means import always, hang_up, refuse, slow
from local.azure.identity import refusal
from local.azure.routing import Kind
from local.azure.wire import Reply
from local.offer import Offer

if TYPE_CHECKING:
    from local.azure.estate import Estate

_TOKEN = frozenset({Kind.TOKEN})


def throttled(retry_after: int | None = 5) -> Fault:
    waits = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return refuse(
        _TOKEN, lambda _: refusal(429, "Too many requests.").with_headers(waits)
    )


def stale(seconds: float = -5) -> Fault:
    """Give tokens out that live so long; less than nothing is an expired one."""

    def begin(azure: "Estate") -> Undo:
        before = azure.identity.life
        azure.identity.life = timedelta(seconds=seconds)

        def undo() -> None:
            azure.identity.life = before

        return undo

    return StateFault(begin=begin)


def _updating() -> Reply:
    return refusal(410, "The identity endpoint is being updated. Retry in 70 s.")


def _error() -> Reply:
    return refusal(500, "An unexpected error occurred while fetching the token.")


OFFERS: Mapping[str, Offer[Fault]] = {
    "identity_unreachable": Offer(
        does="The connection is closed.", make=always(_TOKEN, hang_up)
    ),
    "identity_slow": Offer(
        does="A token comes after real seconds.",
        make=lambda seconds=6.0: slow(_TOKEN, seconds),
    ),
    "identity_throttled": Offer(does="429.", make=throttled),
    "identity_stale": Offer(
        does="The token that it gives out has expired already.", make=stale
    ),
    "identity_updating": Offer(
        does="410: the endpoint is being updated, for some 70 s.",
        make=always(_TOKEN, _updating),
    ),
    "identity_error": Offer(does="500.", make=always(_TOKEN, _error)),
}
