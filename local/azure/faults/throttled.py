"""The several ways in which Azure says "too many requests", each with its own wait."""

from collections.abc import Mapping

from local.azure import refusals
from local.azure.faults.kinds import Fault, Offer
from local.azure.faults.means import always, refuse
from local.azure.routing import VM_READS, VM_WRITES


def by_compute(retry_after: int | None = 1200) -> Fault:
    return refuse(VM_WRITES, lambda _: refusals.throttled_by_compute(retry_after))


def by_compute_lately(retry_after: int | None = None) -> Fault:
    return refuse(VM_WRITES, lambda _: refusals.throttled_lately(retry_after))


def by_arm(seconds: int = 306) -> Fault:
    return refuse(VM_WRITES, lambda call: refusals.throttled_by_arm(call, seconds))


def by_storage(seconds: int = 6) -> Fault:
    return refuse(VM_WRITES, lambda call: refusals.throttled_by_storage(call, seconds))


OFFERS: Mapping[str, Offer] = {
    "throttled_by_compute": Offer(
        does="429 of Compute: no `error` wrapper, TooManyRequests in its details.",
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
    "throttled_resource": Offer(
        does="429 ResourceRequestsThrottled.",
        make=always(VM_WRITES, refusals.throttled_resource),
    ),
    "too_many_requests": Offer(
        does="429 TooManyRequests, without a wait.",
        make=always(VM_WRITES, refusals.too_many_requests),
    ),
    "network_busy": Offer(
        does="429 RetryableError of the network: busy, no throttling.",
        make=always(VM_WRITES, refusals.network_busy),
    ),
    "reads_throttled": Offer(
        does="429 of Compute for readings of the machine.",
        make=lambda retry_after=60: refuse(
            VM_READS, lambda _: refusals.throttled_by_compute(retry_after)
        ),
    ),
}
