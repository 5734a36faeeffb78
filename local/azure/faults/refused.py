"""ARM refuses a call, loses its answer or is slow with it."""

from collections.abc import Mapping

from local.azure import refusals
from local.azure.faults.kinds import Answer, Fault, Offer, WireFault
from local.azure.faults.means import always, hang_up, lost, refuse, slow, taken, told
from local.azure.routing import VM_READS, VM_WRITES, Call, Kind
from local.azure.wire import Reply, error_reply

_START = frozenset({Kind.VM_START})
_STOP = frozenset({Kind.VM_DEALLOCATE})
_VM = VM_READS | VM_WRITES
_ARM = _VM | {Kind.POLL}


def permission(action: str = "start/action") -> Fault:
    full = f"Microsoft.Compute/virtualMachines/{action}"
    return refuse(VM_WRITES, lambda call: refusals.not_authorized(call, full))


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


OFFERS: Mapping[str, Offer] = {
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
    "quota": Offer(
        does="409 OperationNotAllowed: the cores' quota is used up.",
        make=always(VM_WRITES, refusals.quota),
    ),
    "sku_not_available": Offer(
        does="409 SkuNotAvailable: the size is not offered here.",
        make=always(VM_WRITES, refusals.sku_not_available),
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
        does="A warned subscription as the newer text has it: writes are refused.",
        make=told(VM_WRITES, refusals.disabled_subscription),
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
        does="Azure takes the write and answers 504 ResourceReadFailed.",
        make=lambda: taken(VM_WRITES, refusals.gateway_timeout),
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
        does="404 ResourceNotFound, though the machine is there.",
        make=told(_VM, refusals.no_such_machine),
    ),
    "subscription_not_found": Offer(
        does="404 SubscriptionNotFound on a living subscription.",
        make=told(_ARM, refusals.no_such_subscription),
    ),
}
