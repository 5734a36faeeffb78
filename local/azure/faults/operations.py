"""What only an operation shows: Azure said 202 and something else happens."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

from local.azure.faults.kinds import Fault, OperationFault
from local.azure.faults.means import chosen
from local.azure.plan import PREEMPTED, Failure, Plan, Power, Verb
from local.offer import Offer

_NO_CAPACITY = (
    "Allocation failed. We do not have sufficient capacity for the requested VM size "
    "in this {}. Read more about improving likelihood of allocation success at "
    "http://aka.ms/allocation-guidance"
)
_CONSTRAINED = (
    "Allocation failed. VM(s) with the following constraints cannot be allocated, "
    "because the condition is too restrictive. Please remove some constraints and try "
    "again. Constraints applied are:\n  - {}\n  - VM Size\n"
)
_OF_CAPACITY = {
    "ZonalAllocationFailed": _NO_CAPACITY.format("zone"),
    "OverconstrainedAllocationRequest": _CONSTRAINED.format("Networking Constraints"),
    "OverconstrainedZonalAllocationRequest": _CONSTRAINED.format("Availability Zone"),
    "OverConstrainedAllocationRequest": "The required VM size is not currently "
    "available in the selected location.",
}
_OS_TIMED_OUT = (
    "OS Provisioning for VM '{0}' did not finish in the allotted time. The VM may "
    "still finish provisioning successfully. Please check provisioning state later."
)
_START_TIMED_OUT = (
    "VM '{0}' did not start in the allotted time. The VM may still start successfully. "
    "Please check the power state later."
)
_OF_EXTENSIONS = {
    "VMExtensionProvisioningError": "VM has reported a failure when processing "
    "extension 'AzureMonitorLinuxAgent'.",
    "VMExtensionProvisioningTimeout": "Provisioning of VM extension "
    "'AzureMonitorLinuxAgent' has timed out. Extension installation may be taking too "
    "long, or extension status could not be obtained.",
    "VMAgentStatusCommunicationError": "VM '{0}' has not reported status for VM agent "
    "or extensions. Please verify the VM has a running VM agent, and can establish "
    "outbound connections to Azure storage.",
}


_AT_ONCE = timedelta(0)


def _fault(verb: Verb, change: Callable[[Plan], Plan]) -> Fault:
    return OperationFault(verb=verb, change=change)


def allocation_failed(
    code: str = "AllocationFailed", after: float = 40, *, shows_starting: bool = False
) -> Fault:
    message = _OF_CAPACITY.get(code, _NO_CAPACITY.format("region"))
    failure = Failure(code=code, message=message)
    return _ends_badly(failure, after, shows_starting=shows_starting)


def start_fails(
    code: str = "FabricInternalOperationError",
    after: float = 90,
    *,
    status: str = "Failed",
    leaves: str = "deallocated",
) -> Fault:
    failure = Failure(code=code, message="An internal error occurred.", status=status)
    left = Power(leaves)
    if left is Power.DEALLOCATED:
        return _ends_badly(failure, after, shows_starting=True)
    ends = timedelta(seconds=after)
    return _fault(
        Verb.START,
        lambda plan: replace(
            plan, goal=left, arrives=ends, ends=ends, blank=_AT_ONCE, failure=failure
        ),
    )


def _ends_badly(failure: Failure, after: float, *, shows_starting: bool) -> Fault:
    """The start ends so and the machine stays, or falls back to, deallocated."""

    def change(plan: Plan) -> Plan:
        return replace(
            plan,
            passing=Power.STARTING if shows_starting else None,
            arrives=None,
            ends=timedelta(seconds=after),
            blank=_AT_ONCE,
            failure=failure,
        )

    return _fault(Verb.START, change)


def declared_failed(
    code: str, message: str, after: float, runs_after: float, *, stubborn: bool
) -> Fault:
    """The start ends as Failed and the VM runs all the same."""

    def change(plan: Plan) -> Plan:
        return replace(
            plan,
            arrives=timedelta(seconds=runs_after),
            ends=timedelta(seconds=after),
            failure=Failure(code=code, message=message),
            stubborn=stubborn,
        )

    return _fault(Verb.START, change)


def os_provisioning_timed_out(
    after: float = 1200, runs_after: float = 1500, *, stubborn: bool = False
) -> Fault:
    return declared_failed(
        "OSProvisioningTimedOut", _OS_TIMED_OUT, after, runs_after, stubborn=stubborn
    )


def start_timed_out(
    after: float = 2400, runs_after: float = 3120, *, stubborn: bool = True
) -> Fault:
    return declared_failed(
        "VMStartTimedOut", _START_TIMED_OUT, after, runs_after, stubborn=stubborn
    )


def boots_late(
    minutes: float = 50, after: float = 1200, *, shows: str = "deallocated"
) -> Fault:
    """The start is declared dead and comes on, however often it is stopped."""
    dies, later = timedelta(seconds=after), timedelta(minutes=minutes)
    passing = chosen({"deallocated": None, "starting": Power.STARTING}, shows)
    failure = Failure(code="VMStartTimedOut", message=_START_TIMED_OUT)
    return _fault(
        Verb.START,
        lambda plan: replace(
            plan,
            passing=passing,
            arrives=dies + later,
            ends=dies,
            blank=_AT_ONCE,
            failure=failure,
            stubborn=True,
        ),
    )


def extension_failed(
    code: str = "VMExtensionProvisioningError",
    after: float = 300,
    runs_after: float = 40,
) -> Fault:
    message = chosen(_OF_EXTENSIONS, code)
    return declared_failed(code, message, after, runs_after, stubborn=False)


def start_preempted(after: float = 20, status: str = "Failed") -> Fault:
    """Something newer took the start's place; the VM stays deallocated."""
    preempted = replace(PREEMPTED, status=status)

    def change(plan: Plan) -> Plan:
        ends = timedelta(seconds=after)
        return replace(plan, arrives=None, ends=ends, failure=preempted)

    return _fault(Verb.START, change)


def never_ends(verb: str = "start") -> Fault:
    return _fault(Verb(verb), lambda plan: replace(plan, ends=None))


def lingers(minutes: float = 90, verb: str = "start") -> Fault:
    ends = timedelta(minutes=minutes)
    return _fault(Verb(verb), lambda plan: replace(plan, ends=ends))


def start_takes(seconds: float = 1800) -> Fault:
    takes = timedelta(seconds=seconds)
    return _fault(Verb.START, lambda plan: replace(plan, arrives=takes, ends=takes))


def stop_takes(seconds: float = 1200) -> Fault:
    takes = timedelta(seconds=seconds)
    return _fault(
        Verb.DEALLOCATE, lambda plan: replace(plan, arrives=takes, ends=takes)
    )


def starts_as_stopped() -> Fault:
    """The view says `stopped` where it would say `starting`."""
    return _fault(Verb.START, lambda plan: replace(plan, passing=Power.STOPPED))


def stop_runs_on() -> Fault:
    return _fault(
        Verb.DEALLOCATE, lambda plan: replace(plan, passing=None, arrives=None)
    )


def stop_fails(code: str = "InternalOperationError", after: float = 30) -> Fault:
    failure = Failure(code=code, message="An internal error occurred.")

    def change(plan: Plan) -> Plan:
        ends = timedelta(seconds=after)
        return replace(plan, passing=None, arrives=None, ends=ends, failure=failure)

    return _fault(Verb.DEALLOCATE, change)


OFFERS: Mapping[str, Offer[Fault]] = {
    "allocation_failed": Offer(
        does="The start fails for want of capacity (ZonalAllocationFailed and "
        "Overconstrained... too), shown only by its operation and the view.",
        make=allocation_failed,
    ),
    "start_fails": Offer(
        does="The start fails late with an internal code; it was shown as starting, "
        "and `leaves` the machine deallocated, or stopped and billed.",
        make=start_fails,
    ),
    "os_provisioning_timed_out": Offer(
        does="The start is declared dead at 20 minutes and boots at 25.",
        make=os_provisioning_timed_out,
    ),
    "start_timed_out": Offer(
        does="The start is declared dead at 40 minutes and boots at 52, even after a "
        "deallocate.",
        make=start_timed_out,
    ),
    "boots_late": Offer(
        does="The start is declared dead at 20 minutes, shows `deallocated` (or "
        "`starting`), and boots 50 minutes later whatever was done.",
        make=boots_late,
    ),
    "extension_failed": Offer(
        does="The machine runs and its start fails for an extension or the agent: "
        "Failed + running.",
        make=extension_failed,
    ),
    "start_preempted": Offer(
        does="The start ends as OperationPreempted, Failed or Canceled, and the "
        "machine stays off.",
        make=start_preempted,
    ),
    "never_ends": Offer(
        does="The operation stays InProgress for ever; the power arrives as usual.",
        make=never_ends,
    ),
    "lingers": Offer(
        does="The operation stays InProgress for 90 minutes while the power is there.",
        make=lingers,
    ),
    "start_takes": Offer(
        does="The start takes long, as large machines do.", make=start_takes
    ),
    "starts_as_stopped": Offer(
        does="While it starts, the view says `stopped`.", make=starts_as_stopped
    ),
    "stop_takes": Offer(does="The deallocate takes long.", make=stop_takes),
    "stop_runs_on": Offer(
        does="The deallocate succeeds and the machine runs on, billed.",
        make=stop_runs_on,
    ),
    "stop_fails": Offer(
        does="The deallocate fails late and the machine runs on, billed.",
        make=stop_fails,
    ),
}
