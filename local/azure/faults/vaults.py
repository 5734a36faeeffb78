"""Key Vault refuses, throttles, or does not answer.

Its challenge before the first call, and the bin a deleted secret goes to, are no
faults: the vault always has them.
"""

from collections.abc import Mapping

from local.azure.faults.kinds import Fault
from local.azure.faults.means import always, hang_up, refuse, slow
from local.azure.routing import VAULT, Kind
from local.azure.vault import challenge, not_found
from local.azure.wire import Reply, error_reply, json_reply
from local.offer import Offer

_GET = frozenset({Kind.SECRET_GET})


def _forbidden() -> Reply:
    text = "Client address is not authorized and caller is not a trusted service."
    error = {
        "code": "Forbidden",
        "message": text,
        "innererror": {"code": "ForbiddenByFirewall"},
    }
    return json_reply(403, {"error": error})


def _error() -> Reply:
    return error_reply(500, "InternalServerError", "An internal error occurred.")


def throttled(retry_after: int | None = 10) -> Fault:
    text = "Request was not processed because too many requests were received."
    waits = {} if retry_after is None else {"Retry-After": str(retry_after)}
    reply = error_reply(429, "Throttled", text, waits)
    return refuse(VAULT, lambda _: reply)


OFFERS: Mapping[str, Offer[Fault]] = {
    "vault_unreachable": Offer(
        does="The connection is closed.", make=always(VAULT, hang_up)
    ),
    "vault_challenged": Offer(
        does="401 with a challenge, whatever the token says.",
        make=lambda: refuse(VAULT, lambda _: challenge(missing=False)),
    ),
    "vault_forbidden": Offer(
        does="403 ForbiddenByFirewall.", make=always(VAULT, _forbidden)
    ),
    "vault_throttled": Offer(does="429 Throttled.", make=throttled),
    "vault_error": Offer(does="500.", make=always(VAULT, _error)),
    "vault_slow": Offer(
        does="A secret comes after real seconds.",
        make=lambda seconds=6.0: slow(VAULT, seconds),
    ),
    "secret_deleted": Offer(
        does="A listed secret is 404 when it is read: it was deleted in between.",
        make=lambda: refuse(_GET, lambda call: not_found(call.parts["secret"])),
    ),
}
