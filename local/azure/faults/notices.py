"""The place where notices go does not take them."""

from collections.abc import Mapping

from local.azure.faults.kinds import Fault
from local.azure.faults.means import always, hang_up
from local.azure.routing import Kind
from local.azure.wire import error_reply
from local.offer import Offer

_NOTICE = frozenset({Kind.NOTICE})

OFFERS: Mapping[str, Offer[Fault]] = {
    "sink_unreachable": Offer(
        does="The connection is closed.", make=always(_NOTICE, hang_up)
    ),
    "sink_error": Offer(
        does="500.",
        make=always(
            _NOTICE,
            lambda: error_reply(
                500, "InternalServerError", "An internal error occurred."
            ),
        ),
    ),
}
