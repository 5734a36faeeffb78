"""What only an operation shows: Azure said 202 and something else happens."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

from local.azure.faults.kinds import Fault, Offer, OperationFault
from local.azure.machine import PREEMPTED
from local.azure.plan import Failure, Plan, Power, Verb

_NO_CAPACITY = (
    "Allocation failed. We do not have sufficient capacity for the requested VM size "
    "in this region. Read more about improving likelihood of allocation success at "
    "http://aka.ms/allocation-guidance"
)
_OS_TIMED_OUT = (
    "OS Provisioning for VM did not finish in the allotted time. The VM may still "
    "finish provisioning successfully. Please check provisioning state later."
)
_START_TIMED_OUT = (
    "VM did not start in the allotted time. The VM may still start successfully. "
    "Please check the power state later."
)
_EXTENSION = (
    "VM has reported a failure when processing extension 'AzureMonitorLinuxAgent'."
)


def _fault(verb: Verb, change: Callable[[Plan], Plan]) -> Fault:
    return OperationFault(verb=verb, change=change)


def allocation_failed(
    code: str = "AllocationFailed", after: float = 40, *, shows_starting: bool = False
) -> Fault:
    return _ends_badly(
        Failure(code=code, message=_NO_CAPACITY), after, shows_starting=shows_starting
    )


def start_fails(
    code: str = "FabricInternalOperationError",
    after: float = 90,
    *,
    status: str = "Failed",
) -> Fault:
    failure = Failure(code=code, message="An internal error occurred.", status=status)
    return _ends_badly(failure, after, shows_starting=True)


def _ends_badly(failure: Failure, after: float, *, shows_starting: bool) -> Fault:
    """The start ends so and the machine stays, or falls back to, deallocated."""

    def change(plan: Plan) -> Plan:
        return replace(
            plan,
            passing=Power.STARTING if shows_starting else None,
            arrives=None,
            ends=timedelta(seconds=after),
            blank=timedelta(0),
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


def extension_failed(after: float = 300, runs_after: float = 40) -> Fault:
    return declared_failed(
        "VMExtensionProvisioningError", _EXTENSION, after, runs_after, stubborn=False
    )


def start_preempted(after: float = 20) -> Fault:
    """Something newer took the start's place; the VM stays deallocated."""

    def change(plan: Plan) -> Plan:
        ends = timedelta(seconds=after)
        return replace(plan, arrives=None, ends=ends, failure=PREEMPTED)

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


OFFERS: Mapping[str, Offer] = {
    "allocation_failed": Offer(
        does="The start fails for want of capacity (ZonalAllocationFailed and "
        "Overconstrained... too), shown only by its operation and the view.",
        make=allocation_failed,
    ),
    "start_fails": Offer(
        does="The start fails late with an internal code; it was shown as starting.",
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
    "extension_failed": Offer(
        does="The machine runs and its start fails for an extension: Failed + running.",
        make=extension_failed,
    ),
    "start_preempted": Offer(
        does="The start ends as OperationPreempted and the machine stays off.",
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
