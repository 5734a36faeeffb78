"""Faults on ARM's wire: refusals, lost and slow answers, odd instance views."""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from local.azure import refusals
from local.azure.faults import Fault, Make, WireFault
from local.azure.routing import VM_READS, VM_WRITES, Call, Kind
from local.azure.wire import HANG_UP, Reply, error_reply

_POLL = frozenset({Kind.POLL})
_ARM = VM_READS | VM_WRITES | _POLL

type Answer = Callable[[], Reply]


def refuse(kinds: frozenset[Kind], refusal: Callable[[Call], Reply]) -> Fault:
    """Answer with a refusal; the call is not taken."""
    return WireFault(kinds=kinds, act=lambda call, _: refusal(call))


def always(kinds: frozenset[Kind], refusal: Callable[[], Reply]) -> Make:
    return lambda: refuse(kinds, lambda _: refusal())


def told(kinds: frozenset[Kind], refusal: Callable[[Call], Reply]) -> Make:
    return lambda: refuse(kinds, refusal)


def throttled_by_compute(retry_after: int | None = 1200) -> Fault:
    return refuse(VM_WRITES, lambda _: refusals.throttled_by_compute(retry_after))


def throttled_by_arm(seconds: int = 306) -> Fault:
    return refuse(VM_WRITES, lambda call: refusals.throttled_by_arm(call, seconds))


def permission(action: str = "start/action") -> Fault:
    full = f"Microsoft.Compute/virtualMachines/{action}"
    return refuse(VM_WRITES, lambda call: refusals.not_authorized(call, full))


def lost(kinds: frozenset[Kind]) -> Fault:
    """Azure takes the call and the connection closes before the answer."""

    def act(_: Call, answer: Answer) -> Reply:
        answer()
        return HANG_UP

    return WireFault(kinds=kinds, act=act)


def slow(kinds: frozenset[Kind], seconds: float) -> Fault:
    """Azure takes the call and lets the caller wait for real seconds."""

    def act(_: Call, answer: Answer) -> Reply:
        reply = answer()
        threading.Event().wait(seconds)
        return reply

    return WireFault(kinds=kinds, act=act)


def force_refused() -> Fault:
    """Azure refuses `forceDeallocate`, and only that."""
    text = "The query parameter 'forceDeallocate' is not supported for this VM."

    def act(call: Call, answer: Answer) -> Reply:
        if "forceDeallocate" in call.request.query:
            return error_reply(400, "InvalidParameter", text)
        return answer()

    return WireFault(kinds=frozenset({Kind.VM_DEALLOCATE}), act=act)


def altered(change: Callable[[dict[str, Any]], None]) -> Make:
    """Let the instance view say something else; the machine is as it was."""

    def act(_: Call, answer: Answer) -> Reply:
        reply = answer()
        if reply.status != 200:  # noqa: PLR2004 - only a good answer has a view
            return reply
        body = reply.json()
        view = body.get("properties", {}).get("instanceView", body)
        change(view)
        return replace(reply, body=json.dumps(body).encode())

    return lambda: WireFault(kinds=VM_READS, act=act)


def _without_power(view: dict[str, Any]) -> None:
    view["statuses"] = [s for s in view["statuses"] if not _is_power(s)]


def _two_powers(view: dict[str, Any]) -> None:
    powers = ("deallocated", "running")
    for power in powers:
        code = f"PowerState/{power}"
        _without_one(view, code)
        view["statuses"].append(
            {"code": code, "level": "Info", "displayStatus": f"VM {power}"}
        )


def _without_one(view: dict[str, Any], code: str) -> None:
    view["statuses"] = [s for s in view["statuses"] if s["code"] != code]


def _no_statuses(view: dict[str, Any]) -> None:
    view["statuses"] = []


def _power_first(view: dict[str, Any]) -> None:
    view["statuses"].reverse()


def _is_power(status: Mapping[str, Any]) -> bool:
    return str(status["code"]).lower().startswith("powerstate/")


def _unavailable() -> Reply:
    return Reply(status=503)


def _poll_forbidden(call: Call) -> Reply:
    return refusals.not_authorized(call, "Microsoft.Compute/locations/operations/read")


def _poll_error() -> Reply:
    text = "Multiple error occurred: ServerTimeout."
    cause = {"x-ms-failure-cause": "gateway"}
    return error_reply(500, "MultipleErrorsOccurred", text, cause)


def _poll_not_found() -> Reply:
    return error_reply(404, "NotFound", "The entity was not found.")


CATALOGUE: Mapping[str, Make] = {
    "conflict": always(VM_WRITES, refusals.conflict),
    "quota": always(VM_WRITES, refusals.quota),
    "sku_not_available": always(VM_WRITES, refusals.sku_not_available),
    "permission": permission,
    "disabled_subscription": told(VM_WRITES, refusals.disabled_subscription),
    "scope_lock": told(VM_WRITES, refusals.scope_locked),
    "throttled_by_compute": throttled_by_compute,
    "throttled_by_arm": throttled_by_arm,
    "unavailable": always(_ARM, _unavailable),
    "unreachable": always(_ARM, lambda: HANG_UP),
    "force_refused": force_refused,
    "answer_lost": lambda: lost(VM_WRITES),
    "slow": lambda seconds=6.0: slow(_ARM, seconds),
    "no_power_state": altered(_without_power),
    "two_power_states": altered(_two_powers),
    "no_statuses": altered(_no_statuses),
    "power_first": altered(_power_first),
    "vm_not_found": told(VM_READS | VM_WRITES, refusals.no_such_machine),
    "subscription_not_found": told(_ARM, refusals.no_such_subscription),
    "poll_not_found": always(_POLL, _poll_not_found),
    "poll_forbidden": told(_POLL, _poll_forbidden),
    "poll_error": always(_POLL, _poll_error),
}
