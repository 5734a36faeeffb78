"""The app's identity endpoint: slow, throttled, updating, broken."""

from collections.abc import Mapping

from local.azure.faults.kinds import Offer
from local.azure.faults.means import always, hang_up, slow
from local.azure.identity import refusal
from local.azure.routing import Kind
from local.azure.wire import Reply

_TOKEN = frozenset({Kind.TOKEN})


def _throttled() -> Reply:
    return refusal(429, "Too many requests.").with_headers({"Retry-After": "5"})


def _updating() -> Reply:
    return refusal(410, "The identity endpoint is being updated. Retry in 70 s.")


def _error() -> Reply:
    return refusal(500, "An unexpected error occurred while fetching the token.")


OFFERS: Mapping[str, Offer] = {
    "identity_unreachable": Offer(
        does="The connection is closed.", make=always(_TOKEN, hang_up)
    ),
    "identity_slow": Offer(
        does="A token comes after real seconds.",
        make=lambda seconds=6.0: slow(_TOKEN, seconds),
    ),
    "identity_throttled": Offer(does="429.", make=always(_TOKEN, _throttled)),
    "identity_updating": Offer(
        does="410: the endpoint is being updated, for some 70 s.",
        make=always(_TOKEN, _updating),
    ),
    "identity_error": Offer(does="500.", make=always(_TOKEN, _error)),
}
