"""Azure's own figure: absent, unreadable, unsupported, throttled, wrong or late."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from local.azure.faults.kinds import Fault, Make, StateFault, Undo
from local.azure.faults.means import altered, always, chosen, hang_up, refuse
from local.azure.routing import Kind
from local.azure.wire import Reply, error_reply
from local.offer import Offer

if TYPE_CHECKING:
    from local.azure.estate import Estate

_BUDGET = frozenset({Kind.BUDGET})
_REQUEST = "(Request ID: 4f0c7a52-2c27-4d0f-9c3b-0d4f6c1f2a10)"
# The wordings in which an offer without cost data was refused.
WORDINGS: Mapping[str, tuple[int, str, str]] = {
    "sponsored": (
        400,
        "400",
        (
            "Cost Management supports only Enterprise Agreement, Web direct and "
            "Microsoft Customer Agreement offer types. offerId: MS-AZR-0036P is "
            f"associated with offerType: None {_REQUEST}"
        ),
    ),
    "older": (
        400,
        "BadRequest",
        (
            "Subscription 5c9d2b1e-3f47-4a86-b0d1-9e2f6a7c8d90 is not associated with "
            "a valid offer type"
        ),
    ),
    "type": (400, "SubscriptionTypeNotSupported", f"Not supported. {_REQUEST}"),
    "account": (400, "AccountCostDisabled", f"Cost is disabled. {_REQUEST}"),
    "indirect": (403, "IndirectCostDisabled", f"Cost is disabled. {_REQUEST}"),
    "disallowed": (
        400,
        "DisallowedOperation",
        (
            "The current subscription type is not permitted to perform operations on "
            "any provider namespace. Please use a different subscription."
        ),
    ),
}


def unsupported(wording: str = "sponsored") -> Fault:
    status, code, message = chosen(WORDINGS, wording)
    return refuse(_BUDGET, lambda _: error_reply(status, code, message))


def throttled(retry_after: int = 30, by: str = "costmanagement-entity") -> Fault:
    """Say the wait in a header of its own, by who refused: an entity, a tenant."""
    headers = {
        f"x-ms-ratelimit-microsoft.{by}-retry-after": str(retry_after),
        "x-ms-ratelimit-remaining-microsoft.costmanagement-entity-requests": (
            "DefaultQuota:0"
        ),
    }
    reply = error_reply(429, "429", "Too many requests. Please retry.", headers)
    return refuse(_BUDGET, lambda _: reply)


def forbidden(code: str = "RBACAccessDenied") -> Fault:
    reply = error_reply(403, code, f"The client may not read costs. {_REQUEST}")
    return refuse(_BUDGET, lambda _: reply)


def _refused(status: int, code: str, message: str) -> Make:
    return always(_BUDGET, lambda: error_reply(status, code, message))


def _html() -> Reply:
    page = b"<html><body><h1>Our services aren't available right now</h1></body></html>"
    return Reply(status=200, headers={"Content-Type": "text/html"}, body=page)


def _spend(change: Callable[[dict[str, Any]], None]) -> Make:
    return lambda: altered(_BUDGET, lambda body: change(body["properties"]))


def _null(budget: dict[str, Any]) -> None:
    budget["currentSpend"] = None


def _amount(amount: float | str | None) -> Callable[[dict[str, Any]], None]:
    def change(budget: dict[str, Any]) -> None:
        budget["currentSpend"] = {"amount": amount, "unit": "USD"}

    return change


def _other_currency(budget: dict[str, Any]) -> None:
    budget["currentSpend"] = {"amount": 1.0, "unit": "EUR"}


def late(hours: float = 20) -> Fault:
    """Tell nothing of what was spent until so many hours from now."""

    def begin(azure: "Estate") -> Undo:
        azure.budgets.hold_back(azure.now() + timedelta(hours=hours))
        return lambda: azure.budgets.hold_back(datetime.min.replace(tzinfo=UTC))

    return StateFault(begin=begin)


def stale(hours: float = 20) -> Fault:
    """Tell for so many hours what was known when this began."""

    def begin(azure: "Estate") -> Undo:
        azure.budgets.keep(azure.now() + timedelta(hours=hours))
        return lambda: azure.budgets.keep(datetime.min.replace(tzinfo=UTC))

    return StateFault(begin=begin)


OFFERS: Mapping[str, Offer[Fault]] = {
    "budget_unreachable": Offer(
        does="The connection is closed.", make=always(_BUDGET, hang_up)
    ),
    "budget_throttled": Offer(
        does="429 with the code `429` and private wait headers.", make=throttled
    ),
    "budget_unsupported": Offer(
        does="The offer has no cost data, in any of its wordings: "
        + ", ".join(f"`{name}`" for name in WORDINGS)
        + ".",
        make=unsupported,
    ),
    "budget_forbidden": Offer(
        does="403 RBACAccessDenied, or BillingAccessDenied.", make=forbidden
    ),
    "budget_missing": Offer(
        does="404: no such budget.", make=_refused(404, "404", "Budget not found.")
    ),
    "budget_failed_dependency": Offer(
        does="424 FailedDependency.",
        make=_refused(424, "FailedDependency", "A dependency has failed."),
    ),
    "budget_error": Offer(
        does="500.",
        make=_refused(500, "InternalServerError", "An internal error occurred."),
    ),
    "budget_html": Offer(does="200 with a page in HTML.", make=always(_BUDGET, _html)),
    "budget_null": Offer(does="`currentSpend` is null.", make=_spend(_null)),
    "budget_nan": Offer(does="The amount is NaN.", make=_spend(_amount(float("nan")))),
    "budget_negative": Offer(
        does="The amount is negative.", make=_spend(_amount(-12.5))
    ),
    "budget_text": Offer(does="The amount is a word.", make=_spend(_amount("unknown"))),
    "budget_other_currency": Offer(
        does="The amount is in another currency.", make=_spend(_other_currency)
    ),
    "budget_late": Offer(
        does="Azure's figure stays 0 for hours, whatever was spent.", make=late
    ),
    "budget_stale": Offer(
        does="Azure's figure stays for hours what it was, whatever is spent.",
        make=stale,
    ),
}
