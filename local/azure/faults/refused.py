"""ARM refuses a call, loses its answer or is slow with it."""

from collections.abc import Mapping

from local.azure import refusals
from local.azure.faults.kinds import Answer, Fault, WireFault
from local.azure.faults.means import (
    always,
    chosen,
    hang_up,
    lost,
    refuse,
    slow,
    taken,
    told,
)
from local.azure.routing import VM_READS, VM_WRITES, Call, Kind
from local.azure.wire import Reply, error_reply
from local.offer import Offer

_START = frozenset({Kind.VM_START})
_STOP = frozenset({Kind.VM_DEALLOCATE})
_VM = VM_READS | VM_WRITES
_ARM = _VM | {Kind.POLL}
_QUOTA = {
    "cores": refusals.quota,
    "unwrapped": refusals.quota_unwrapped,
    "preflight": refusals.quota_preflight,
}
_NOT_FOUND = {
    "now": refusals.no_such_machine,
    "old": refusals.no_such_machine_of_old,
    "compute": refusals.no_such_machine_by_compute,
}


def permission(action: str = "start/action") -> Fault:
    full = f"Microsoft.Compute/virtualMachines/{action}"
    return refuse(VM_WRITES, lambda call: refusals.not_authorized(call, full))


def not_allowed(why: str = "extension") -> Fault:
    text = chosen(refusals.NOT_AS_IT_IS, why)
    return refuse(VM_WRITES, lambda call: refusals.not_allowed(call, f"since {text}"))


def quota(wording: str = "cores") -> Fault:
    reply = chosen(_QUOTA, wording)
    return refuse(_START, lambda _: reply())


def warned(*, blocks: bool = True) -> Fault:
    """Refuse writes as the newer text has it, or nothing as the older one."""

    def act(call: Call, answer: Answer) -> Reply:
        return refusals.disabled_subscription(call) if blocks else answer()

    return WireFault(kinds=VM_WRITES, act=act)


def gateway_timeout(*, takes: bool = True) -> Fault:
    if takes:
        return taken(VM_WRITES, refusals.gateway_timeout)
    return refuse(VM_WRITES, refusals.gateway_timeout)


def vm_not_found(wording: str = "now") -> Fault:
    return refuse(_VM, chosen(_NOT_FOUND, wording))


def force_refused() -> Fault:
    """Azure refuses `forceDeallocate`, and only that."""
    text = "The query parameter 'forceDeallocate' is not supported for this VM."

    def act(call: Call, answer: Answer) -> Reply:
        if "forceDeallocate" in call.request.query:
            return error_reply(400, "InvalidParameter", text)
        return answer()

    return WireFault(kinds=_STOP, act=act)


def unavailable() -> Reply:
    return Reply(status=503)


def _group_is_missing(call: Call) -> Reply:
    return refusals.not_authorized(call, "Microsoft.Compute/virtualMachines/read")


OFFERS: Mapping[str, Offer[Fault]] = {
    "conflict": Offer(
        does="409 Conflict: another request is changing the machine.",
        make=always(VM_WRITES, refusals.conflict),
    ),
    "power_is_changing": Offer(
        does="409 OperationNotAllowed: an operation is changing the power state.",
        make=told(
            VM_WRITES,
            lambda call: refusals.power_is_changing(call, "deallocated", "start"),
        ),
    ),
    "another_operation": Offer(
        does="409 OperationNotAllowed: another operation is in progress.",
        make=told(VM_WRITES, refusals.another_operation),
    ),
    "marked_deallocated": Offer(
        does="409 OperationNotAllowed: the machine is marked to be deallocated.",
        make=told(VM_WRITES, refusals.marked_deallocated),
    ),
    "marked_for_deletion": Offer(
        does="409 OperationNotAllowed: the machine is marked for deletion.",
        make=told(VM_WRITES, refusals.marked_for_deletion),
    ),
    "platform_update": Offer(
        does="409 ResourceUpdateBlockedOnPlatformUpdate.",
        make=always(VM_WRITES, refusals.platform_update),
    ),
    "not_allowed": Offer(
        does="409 OperationNotAllowed for what the machine is: "
        + ", ".join(f"`{why}`" for why in refusals.NOT_AS_IT_IS)
        + ".",
        make=not_allowed,
    ),
    "quota": Offer(
        does="The cores' quota is used up: 409 OperationNotAllowed, or `unwrapped` 409 "
        "QuotaExceeded, or `preflight` 400 with QuotaExceeded inside.",
        make=quota,
    ),
    "sku_not_available": Offer(
        does="409 SkuNotAvailable: the size is not offered here.",
        make=always(_START, refusals.sku_not_available),
    ),
    "permission": Offer(
        does="403 AuthorizationFailed: the identity may not do this.", make=permission
    ),
    "group_missing": Offer(
        does="403 AuthorizationFailed for a resource group that is not there.",
        make=told(_VM, _group_is_missing),
    ),
    "disabled_subscription": Offer(
        does="409 ReadOnlyDisabledSubscription for every write; reads work.",
        make=told(VM_WRITES, refusals.disabled_subscription),
    ),
    "warned_subscription": Offer(
        does="A warned subscription: writes are refused as the newer text has it, or "
        "(`blocks=false`) everything works as the older one has it.",
        make=warned,
    ),
    "region_policy": Offer(
        does="403 RequestDisallowedByAzure: a policy of the region.",
        make=always(_START, refusals.disallowed_by_azure),
    ),
    "not_registered": Offer(
        does="409 MissingSubscriptionRegistration for Microsoft.Compute.",
        make=always(VM_WRITES, refusals.not_registered),
    ),
    "scope_lock": Offer(
        does="409 ScopeLocked for every write.",
        make=told(VM_WRITES, refusals.scope_locked),
    ),
    "scope_lock_on_stop": Offer(
        does="A lock that lets a start through and refuses the deallocate.",
        make=told(_STOP, refusals.scope_locked),
    ),
    "unavailable": Offer(
        does="503 with an empty body, for any call.", make=always(_ARM, unavailable)
    ),
    "unreachable": Offer(
        does="The connection is closed before the call is taken.",
        make=always(_ARM, hang_up),
    ),
    "gateway_timeout": Offer(
        does="504 ResourceReadFailed: Azure took the write, or (`takes=false`) it did "
        "not.",
        make=gateway_timeout,
    ),
    "answer_lost": Offer(
        does="Azure takes the write and the connection closes before the answer.",
        make=lambda: lost(VM_WRITES),
    ),
    "slow": Offer(
        does="Any call is taken and answered after real seconds.",
        make=lambda seconds=6.0: slow(_ARM, seconds),
    ),
    "accepted_slowly": Offer(
        does="A write is taken and answered after real seconds.",
        make=lambda seconds=6.0: slow(VM_WRITES, seconds),
    ),
    "force_refused": Offer(
        does="400 for a deallocate with `forceDeallocate`, and only that.",
        make=force_refused,
    ),
    "token_expired": Offer(
        does="401 ExpiredAuthenticationToken, whatever the token says.",
        make=always(_ARM, refusals.token_expired),
    ),
    "vm_not_found": Offer(
        does="404 ResourceNotFound, though the machine is there, worded as `now` or "
        "`old`, or by `compute`: VMNotFound.",
        make=vm_not_found,
    ),
    "subscription_not_found": Offer(
        does="404 SubscriptionNotFound on a living subscription.",
        make=told(_ARM, refusals.no_such_subscription),
    ),
}
