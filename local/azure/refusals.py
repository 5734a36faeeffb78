"""Azure's refusals word for word, as recorded or as its catalogue gives them."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime

from local.azure.routing import Call
from local.azure.tokens import Token
from local.azure.wire import Reply, error_reply, json_reply

OPERATOR = "operator"
_GATEWAY = {"x-ms-failure-cause": "gateway"}
_AUTHORITY = 'Bearer authorization_uri="https://login.windows.net/"'
_US_TIME = "%-m/%-d/%Y %-I:%M:%S %p"


def _gateway(status: int, code: str, message: str) -> Reply:
    headers = {**_GATEWAY, "x-ms-request-id": str(uuid.uuid4())}
    return error_reply(status, code, message, headers)


def _challenge(code: str, message: str, description: str) -> Reply:
    text = f'{_AUTHORITY}, error="invalid_token", error_description="{description}"'
    return _gateway(401, code, message).with_headers({"WWW-Authenticate": text})


def no_token() -> Reply:
    return _challenge(
        "AuthenticationFailed",
        "Authentication failed. The 'Authorization' header is missing.",
        "The authentication failed because of missing 'Authorization' header.",
    )


def unknown_token() -> Reply:
    text = "The access token is invalid."
    return _challenge("InvalidAuthenticationToken", text, text)


def wrong_audience(token: Token, wanted: str) -> Reply:
    text = (
        "The access token has been obtained for wrong audience or resource "
        f"'{token.audience}'. It should exactly match with one of the allowed "
        f"audiences '{wanted}'."
    )
    return _challenge("InvalidAuthenticationTokenAudience", text, text)


def token_expired() -> Reply:
    """Refuse whatever came: the token that was sent is as good as unknown."""
    return _expired(datetime.now(UTC))


def expired_token(token: Token) -> Reply:
    return _expired(token.expires)


def _expired(at: datetime) -> Reply:
    now = datetime.now(UTC)
    return _challenge(
        "ExpiredAuthenticationToken",
        f"The access token expiry UTC time '{at.strftime(_US_TIME)}' is "
        f"earlier than current UTC time '{now.strftime(_US_TIME)}'.",
        "The access token has expired.",
    )


def not_authorized(call: Call, action: str) -> Reply:
    return _gateway(
        403,
        "AuthorizationFailed",
        f"The client '{call.caller}' with object id "
        f"'{uuid.uuid5(uuid.NAMESPACE_DNS, call.caller)}' does not have authorization "
        f"to perform action '{action}' over scope '{call.request.path}' or the scope "
        "is invalid. If access was recently granted, please refresh your credentials.",
    )


def operators_only[Of](
    action: str,
) -> Callable[[Callable[[Of, Call], Reply]], Callable[[Of, Call], Reply]]:
    """Keep an answer for the operator: neither the app nor a machine may ask for it."""

    def decorate(answer: Callable[[Of, Call], Reply]) -> Callable[[Of, Call], Reply]:
        def check(of: Of, call: Call) -> Reply:
            allowed = call.caller == OPERATOR
            return answer(of, call) if allowed else not_authorized(call, action)

        return check

    return decorate


def no_such_machine(call: Call) -> Reply:
    return _not_found(
        call,
        " For more details please go to https://aka.ms/ARMResourceNotFoundFix",
    )


def no_such_machine_of_old(call: Call) -> Reply:
    return _not_found(call, "")


def no_such_machine_by_compute(call: Call) -> Reply:
    text = f"The VM '{call.parts['vm']}' cannot be found."
    return error_reply(404, "VMNotFound", text)


def _not_found(call: Call, link: str) -> Reply:
    return _gateway(
        404,
        "ResourceNotFound",
        f"The Resource 'Microsoft.Compute/virtualMachines/{call.parts['vm']}' under "
        f"resource group '{call.parts['group']}' was not found.{link}",
    )


def no_such_subscription(call: Call) -> Reply:
    name = call.parts.get("subscription", "")
    text = f"The subscription '{name}' could not be found."
    return _gateway(404, "SubscriptionNotFound", text)


def conflict() -> Reply:
    return error_reply(
        409,
        "Conflict",
        "The request failed due to conflict with a concurrent request. To resolve it, "
        "please refer to https://aka.ms/activitylog to get more details on the "
        "conflicting requests.",
    )


def power_is_changing(call: Call, state: str, operation: str) -> Reply:
    return error_reply(
        409,
        "OperationNotAllowed",
        "An ongoing operation is changing power state of Virtual Machine "
        f"{call.target} to {state}. Please perform operation {operation} after some "
        "time.",
    )


_QUOTA = (
    "Operation could not be completed as it results in exceeding approved "
    "standardNDISRH200V5Family Cores quota. Additional details - Deployment Model: "
    "Resource Manager, Location: eastus2, Current Limit: 0, Current Usage: 0, "
    "Additional Required: 96, (Minimum) New Limit Required: 96."
)


def quota() -> Reply:
    return error_reply(409, "OperationNotAllowed", _QUOTA)


def quota_unwrapped() -> Reply:
    return json_reply(409, {"code": "QuotaExceeded", "message": _QUOTA})


def quota_preflight() -> Reply:
    error = {
        "code": "InvalidTemplateDeployment",
        "message": "The deployment is not valid. See inner errors for details.",
        "details": [{"code": "QuotaExceeded", "message": _QUOTA}],
    }
    return json_reply(400, {"error": error}, _GATEWAY)


def sku_not_available() -> Reply:
    return error_reply(
        409,
        "SkuNotAvailable",
        "The requested VM size for resource 'Following SKUs have failed for Capacity "
        "Restrictions: Standard_ND96isr_H200_v5' is currently not available in "
        "location 'eastus2'. Please try another size or deploy to a different "
        "location or different zone. See https://aka.ms/azureskunotavailable for "
        "details.",
    )


def disabled_subscription(call: Call) -> Reply:
    return _gateway(
        409,
        "ReadOnlyDisabledSubscription",
        f"The subscription '{call.parts.get('subscription')}' is disabled and "
        "therefore marked as read only. You cannot perform any write actions on this "
        "subscription until it is re-enabled.",
    )


def scope_locked(call: Call) -> Reply:
    scope = call.request.path.rpartition("/")[0]
    return _gateway(
        409,
        "ScopeLocked",
        f"The scope '{scope}' cannot perform write operation because following "
        f"scope(s) are locked: '{scope.partition('/providers/')[0]}'. Please remove "
        "the lock and try again.",
    )


def another_operation(call: Call) -> Reply:
    return not_allowed(call, "since another operation is in progress.")


def marked_deallocated(call: Call) -> Reply:
    return not_allowed(
        call, "since the VM is either deallocated or marked to be deallocated."
    )


def marked_for_deletion(call: Call) -> Reply:
    return not_allowed(
        call,
        "since the VM is marked for deletion. You can only retry the Delete operation "
        "(or wait for an ongoing one to complete).",
    )


NOT_AS_IT_IS = {
    "extension": "VM has extension 'AzureMonitorLinuxAgent' in failed state.",
    "running": "the VM is running. Please power off explicitly in case you shut down "
    "the VM from inside the guest operating system.",
    "not_deallocated": "the VM is not deallocated.",
    "generalized": "the VM is generalized.",
}


def not_allowed(call: Call, why: str) -> Reply:
    verb = call.request.path.rpartition("/")[2]
    text = f"Operation '{verb}' is not allowed on VM '{call.target}' {why}"
    return error_reply(409, "OperationNotAllowed", text)


def platform_update() -> Reply:
    return error_reply(
        409,
        "ResourceUpdateBlockedOnPlatformUpdate",
        "Resource cannot be updated at this time due to ongoing platform update. "
        "Please try again later.",
    )


def not_running() -> Reply:
    text = "Cannot modify extensions in the VM when the VM is not running."
    return error_reply(409, "OperationNotAllowed", text)


def command_in_progress() -> Reply:
    return error_reply(
        409,
        "Conflict",
        "Run command extension execution is in progress. Please wait for completion "
        "before invoking a run command.",
    )


def no_such_command(name: object) -> Reply:
    text = f"The entity was not found: there is no run command '{name}'."
    return error_reply(404, "NotFound", text)


def disallowed_by_azure() -> Reply:
    return error_reply(
        403,
        "RequestDisallowedByAzure",
        "Resource was disallowed by Azure: This policy maintains a set of best "
        "available regions where your subscription can deploy resources.",
    )


def not_registered() -> Reply:
    return _gateway(
        409,
        "MissingSubscriptionRegistration",
        "The subscription is not registered to use namespace 'Microsoft.Compute'. See "
        "https://aka.ms/rps-not-found for how to register subscriptions.",
    )


def gateway_timeout(call: Call) -> Reply:
    url = call.request.base + call.request.path.rpartition("/")[0]
    error = {
        "code": "ResourceReadFailed",
        "target": call.parts["vm"],
        "message": "Policy required full resource content to evaluate the request. The "
        f"request to GET resource '{url}' failed with status 'GatewayTimeout'.",
    }
    headers = {**_GATEWAY, "x-ms-request-id": str(uuid.uuid4())}
    return json_reply(504, {"error": error}, headers)
