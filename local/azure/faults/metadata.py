"""The machine's metadata service: not there yet, updating, throttled, without identity.

It has been seen to answer 404, 410 or 429 for a minute and more after a boot.
"""

from collections.abc import Callable, Mapping

from local.azure.faults.kinds import Fault
from local.azure.faults.means import always, hang_up, refuse, slow
from local.azure.imds import refusal
from local.azure.routing import Kind
from local.azure.wire import Reply
from local.offer import Offer

_TOKEN = frozenset({Kind.IMDS_TOKEN})
_ALL = frozenset({Kind.IMDS_TOKEN, Kind.IMDS_INSTANCE})


def _answer(status: int, error: str, description: str) -> Callable[[], Reply]:
    return lambda: refusal(status, error, description)


def _throttled(retry_after: int | None = None) -> Fault:
    waits = {} if retry_after is None else {"Retry-After": str(retry_after)}
    said = refusal(429, "Too many requests", "Rate limit is exceeded.")
    return refuse(_ALL, lambda _: said.with_headers(waits))


OFFERS: Mapping[str, Offer[Fault]] = {
    "imds_unreachable": Offer(
        does="The connection is closed.", make=always(_ALL, hang_up)
    ),
    "imds_slow": Offer(
        does="An answer comes after real seconds.",
        make=lambda seconds=6.0: slow(_ALL, seconds),
    ),
    "imds_missing": Offer(
        does="404, as for the first seconds of a boot.",
        make=always(_ALL, _answer(404, "not found", "The resource is not found.")),
    ),
    "imds_updating": Offer(
        does="410: it is being updated, for up to 70 s.",
        make=always(_ALL, _answer(410, "gone", "IMDS is being updated.")),
    ),
    "imds_throttled": Offer(does="429.", make=_throttled),
    "imds_error": Offer(
        does="500.",
        make=always(_ALL, _answer(500, "internal error", "Failed to retrieve it.")),
    ),
    "imds_no_identity": Offer(
        does="400: the identity is not assigned to this machine.",
        make=always(_TOKEN, _answer(400, "invalid_request", "Identity not found")),
    ),
}
