"""The several ways in which Azure says "too many requests", each with its own wait."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from local.azure import throttles
from local.azure.faults.kinds import Fault, StateFault, Undo
from local.azure.faults.means import always, chosen, refuse
from local.azure.limits import BUCKETS, DELETE, READ, UPDATE
from local.azure.routing import VM_READS, VM_WRITES, Call, Kind
from local.offer import Offer

if TYPE_CHECKING:
    from local.azure.estate import Estate


def _of(call: Call) -> str:
    return (DELETE if call.kind is Kind.VM_DEALLOCATE else UPDATE).name


def by_compute(retry_after: int | None = 1200) -> Fault:
    return refuse(
        VM_WRITES, lambda call: throttles.throttled_by_compute(retry_after, _of(call))
    )


def by_compute_lately(retry_after: int | None = None) -> Fault:
    return refuse(VM_WRITES, lambda _: throttles.throttled_lately(retry_after))


def by_arm(seconds: int = 306) -> Fault:
    return refuse(VM_WRITES, lambda call: throttles.throttled_by_arm(call, seconds))


def by_storage(seconds: int = 6) -> Fault:
    return refuse(VM_WRITES, lambda call: throttles.throttled_by_storage(call, seconds))


def bucket_empty(bucket: str = "DeleteVM") -> Fault:
    """Let others have used every token of one of the machine's buckets."""
    used = chosen(BUCKETS, bucket)

    def begin(azure: "Estate") -> Undo:
        def hold(tokens: int) -> None:
            for vm in azure.vms:
                azure.arm.limits.hold(used, vm.name, tokens, azure.now())

        hold(0)
        return lambda: hold(used.burst)

    return StateFault(begin=begin)


OFFERS: Mapping[str, Offer[Fault]] = {
    "throttled_by_compute": Offer(
        does="429 of Compute: no `error` wrapper, TooManyRequests inside, 0 left.",
        make=by_compute,
    ),
    "throttled_by_compute_newer": Offer(
        does="429 of Compute: TooManyRequestsReceived inside, often without a wait.",
        make=by_compute_lately,
    ),
    "throttled_by_arm": Offer(
        does="429 SubscriptionRequestsThrottled: the hourly limit, the wait in words.",
        make=by_arm,
    ),
    "throttled_by_storage": Offer(
        does="429 SubscriptionRequestsThrottled: the backend's limit; 0 s was seen.",
        make=by_storage,
    ),
    "bucket_empty": Offer(
        does="A machine's own bucket is empty and refills by a few tokens a minute: "
        + ", ".join(f"`{name}`" for name in BUCKETS)
        + ".",
        make=bucket_empty,
    ),
    "throttled_resource": Offer(
        does="429 ResourceRequestsThrottled.",
        make=always(VM_WRITES, throttles.throttled_resource),
    ),
    "too_many_requests": Offer(
        does="429 TooManyRequests, without a wait.",
        make=always(VM_WRITES, throttles.too_many_requests),
    ),
    "network_busy": Offer(
        does="429 RetryableError of the network: busy, no throttling.",
        make=always(VM_WRITES, throttles.network_busy),
    ),
    "reads_throttled": Offer(
        does="429 of Compute for readings of the machine.",
        make=lambda retry_after=60: refuse(
            VM_READS, lambda _: throttles.throttled_by_compute(retry_after, READ.name)
        ),
    ),
}
