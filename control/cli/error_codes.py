"""Every code of Azure's that was seen or documented, and the ways in which it arrives.

What each means is not said here: `control.azure.faults` decides that.
"""

from dataclasses import dataclass
from enum import StrEnum

from control.azure.faults import classify
from control.words import Fault


class Way(StrEnum):
    """How a code arrives: in an answer to a call, or as the end of a start."""

    START = "answer to a start"
    RESULT = "end of a start"
    READ = "answer to a read"
    POLL = "answer to a poll"
    STOP = "answer to a deallocate"
    BUDGET = "answer of the budget"
    VAULT = "answer of the vault"


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """One code in one way; `status` None where an operation or a status entry has it.

    `said` is a piece of the message where the text decides, `inner` the codes inside.
    """

    way: Way
    status: int | None = None
    code: str | None = None
    said: str = ""
    inner: tuple[str, ...] = ()

    @property
    def fault(self) -> Fault:
        """What the code means in this way, by the rule that the adapters use."""
        return classify(self.status, self.code, self.said, self.inner)


def _ended(*codes: str) -> tuple[Met, ...]:
    return tuple(Met(way=Way.RESULT, code=code) for code in codes)


def _answered(way: Way, status: int, *codes: str | None) -> tuple[Met, ...]:
    return tuple(Met(way=way, status=status, code=code) for code in codes)


def _not_allowed(way: Way, *said: str) -> tuple[Met, ...]:
    code = "OperationNotAllowed"
    return tuple(Met(way=way, status=409, code=code, said=each) for each in said)


def _inside(way: Way, status: int | None, outer: str, *inner: str) -> tuple[Met, ...]:
    return (Met(way=way, status=status, code=outer, inner=inner),)


_IN_PROGRESS = "another operation is in progress"
_RESULTS = (
    *_ended(
        "AllocationFailed",
        "ZonalAllocationFailed",
        "OverconstrainedAllocationRequest",
        "OverconstrainedZonalAllocationRequest",
    ),
    *_inside(Way.RESULT, None, "DeploymentFailed", "AllocationFailed"),
    *_inside(Way.RESULT, None, "DeploymentFailed", "Conflict", "ZonalAllocationFailed"),
    *_inside(
        Way.RESULT,
        None,
        "ResourceOperationFailure",
        "OverconstrainedZonalAllocationRequest",
    ),
    *_ended(
        "NoSubscriptionMatchedQuota",
        "OutOfTimeBudgetException",
        "FabricInternalOperationError",
        "NetworkingInternalOperationError",
        "InternalDiskManagementError",
        "VMStartTimedOut",
        "OSProvisioningTimedOut",
        "VMAgentStatusCommunicationError",
        "VMExtensionProvisioningTimeout",
        "VMExtensionProvisioningError",
        "OperationPreempted",
        "ResourceUpdateBlockedOnPlatformUpdate",
    ),
    Met(way=Way.RESULT, code="OperationNotAllowed", said="exceeding … Cores quota"),
)
_NOT_ALLOWED = _not_allowed(
    Way.START,
    "exceeding approved … Cores quota",
    _IN_PROGRESS,
    "an ongoing operation is changing power state",
    "either deallocated or marked to be deallocated",
    "requires the VM to be running",
    "the VM is running",
    "the VM is not deallocated",
    "when the VM is not running",
    "allowed only for Spot",
    "marked for deletion",
    "the VM is generalized",
    "extension … in failed state",
)
_NOT_FOUND = ("ResourceNotFound", "VMNotFound", "SubscriptionNotFound")
_STARTS = (
    *_answered(
        Way.START,
        409,
        "SkuNotAvailable",
        "InsufficientCapacity",
        "QuotaExceeded",
        "ReadOnlyDisabledSubscription",
        "ScopeLocked",
        "MissingSubscriptionRegistration",
        "PropertyChangeNotAllowed",
        "Conflict",
        "AttachDiskWhileBeingDetached",
        "ResourceUpdateBlockedOnPlatformUpdate",
        "TooManyVMRedeploymentRequests",
    ),
    *_NOT_ALLOWED,
    *_inside(Way.START, 400, "InvalidTemplateDeployment", "SkuNotAvailable"),
    Met(
        way=Way.START,
        status=400,
        code="InvalidTemplateDeployment",
        said="aka.ms/azureskunotavailable",
    ),
    *_inside(Way.START, 400, "InvalidTemplateDeployment", "QuotaExceeded"),
    *_answered(
        Way.START,
        403,
        "AuthorizationFailed",
        "LinkedAuthorizationFailed",
        "RequestDisallowedByAzure",
        "RequestDisallowedByPolicy",
    ),
    *_inside(Way.START, 429, "OperationNotAllowed", "TooManyRequests"),
    *_inside(Way.START, 429, "OperationNotAllowed", "TooManyRequestsReceived"),
    *_answered(
        Way.START,
        429,
        "SubscriptionRequestsThrottled",
        "ResourceRequestsThrottled",
        "TooManyRequests",
    ),
    *_inside(Way.START, 429, "RetryableError", "ReferencedResourceNotProvisioned"),
    *_answered(Way.START, 401, "ExpiredAuthenticationToken"),
    *_answered(
        Way.START, 404, "ResourceNotFound", "VMNotFound", "SubscriptionNotFound"
    ),
    *_answered(Way.START, 503, None),
    *_answered(Way.START, 504, "ResourceReadFailed", "GatewayTimeout"),
)
_LOOKS = (
    *_answered(Way.READ, 404, *_NOT_FOUND),
    *_answered(Way.READ, 400, "BadRequest"),
    *_answered(Way.READ, 401, "ExpiredAuthenticationToken"),
    *_answered(Way.READ, 403, "AuthorizationFailed"),
    *_inside(Way.READ, 429, "OperationNotAllowed", "TooManyRequests"),
    *_answered(Way.READ, 503, None),
    *_inside(Way.POLL, 500, "MultipleErrorsOccurred", "ServerTimeout"),
    *_answered(Way.POLL, 403, "AuthorizationFailed"),
    *_answered(Way.POLL, 404, "ResourceNotFound"),
    *_answered(Way.POLL, 503, None),
)
_STOPS = (
    *_answered(Way.STOP, 403, "AuthorizationFailed"),
    *_answered(Way.STOP, 404, *_NOT_FOUND),
    *_answered(
        Way.STOP, 409, "ScopeLocked", "ReadOnlyDisabledSubscription", "Conflict"
    ),
    *_not_allowed(Way.STOP, _IN_PROGRESS),
    *_inside(Way.STOP, 429, "OperationNotAllowed", "TooManyRequests"),
    *_answered(Way.STOP, 503, None),
)
_OTHERS = (
    *_answered(Way.BUDGET, 400, "400"),
    Met(way=Way.BUDGET, status=400, said="not associated with a valid offer type"),
    *_answered(Way.BUDGET, 403, "RBACAccessDenied", "BillingAccessDenied"),
    *_answered(Way.BUDGET, 429, "429"),
    Met(way=Way.VAULT, status=401, code="Unauthorized", said="AKV10000"),
)

MET: tuple[Met, ...] = (*_RESULTS, *_STARTS, *_LOOKS, *_STOPS, *_OTHERS)
