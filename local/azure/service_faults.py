"""Faults of the services beside ARM: vaults, prices, budgets, identity, notices."""

from collections.abc import Mapping

from local.azure.arm_faults import always, refuse, slow
from local.azure.faults import Fault, Make
from local.azure.routing import VAULT, Kind
from local.azure.wire import HANG_UP, Reply, error_reply, json_reply

_PRICES = frozenset({Kind.PRICES})
_BUDGET = frozenset({Kind.BUDGET})
_TOKEN = frozenset({Kind.TOKEN})
_NOTICE = frozenset({Kind.NOTICE})
_OFFER = (
    "Cost Management supports only Enterprise Agreement, Web direct and Microsoft "
    "Customer Agreement offer types. offerId: MS-AZR-0036P is associated with "
    "offerType: None (Request ID: 4f0c7a52-2c27-4d0f-9c3b-0d4f6c1f2a10)"
)


def _lost() -> Reply:
    return HANG_UP


def _error() -> Reply:
    return error_reply(500, "InternalServerError", "An internal error occurred.")


def _vault_forbidden() -> Reply:
    text = "Client address is not authorized and caller is not a trusted service."
    error = {
        "code": "Forbidden",
        "message": text,
        "innererror": {"code": "ForbiddenByFirewall"},
    }
    return json_reply(403, {"error": error})


def vault_throttled(retry_after: int = 10) -> Fault:
    text = "Request was not processed because too many requests were received."
    reply = error_reply(429, "Throttled", text, {"Retry-After": str(retry_after)})
    return refuse(VAULT, lambda _: reply)


def prices_throttled(retry_after: int = 60) -> Fault:
    headers = {
        "x-ms-ratelimit-retailprices-retry-after": str(retry_after),
        "x-ms-ratelimit-remaining-retailprices-requests": "0",
    }
    reply = error_reply(429, "429", "Too many requests. Please retry.", headers)
    return refuse(_PRICES, lambda _: reply)


def budget_throttled(retry_after: int = 30) -> Fault:
    headers = {
        "x-ms-ratelimit-microsoft.consumption-retry-after": str(retry_after),
        "x-ms-ratelimit-microsoft.costmanagement-entity-retry-after": str(retry_after),
    }
    reply = error_reply(429, "429", "Too many requests. Please retry.", headers)
    return refuse(_BUDGET, lambda _: reply)


def _offer_unsupported() -> Reply:
    return error_reply(400, "400", _OFFER)


CATALOGUE: Mapping[str, Make] = {
    "vault_unreachable": always(VAULT, _lost),
    "vault_forbidden": always(VAULT, _vault_forbidden),
    "vault_throttled": vault_throttled,
    "vault_error": always(VAULT, _error),
    "vault_slow": lambda seconds=6.0: slow(VAULT, seconds),
    "prices_unreachable": always(_PRICES, _lost),
    "prices_throttled": prices_throttled,
    "prices_error": always(_PRICES, _error),
    "budget_unreachable": always(_BUDGET, _lost),
    "budget_throttled": budget_throttled,
    "budget_unsupported": always(_BUDGET, _offer_unsupported),
    "budget_error": always(_BUDGET, _error),
    "identity_unreachable": always(_TOKEN, _lost),
    "identity_error": always(_TOKEN, _error),
    "sink_unreachable": always(_NOTICE, _lost),
    "sink_error": always(_NOTICE, _error),
}
