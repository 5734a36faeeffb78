"""Faults that only an operation shows: Azure said 202 and something else happens."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from local.azure.faults import Fault, Make, OperationFault
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


def allocation_failed(
    code: str = "AllocationFailed", after: float = 40, *, shows_starting: bool = False
) -> Fault:
    """No capacity, told by the operation and the provisioning state alone."""

    def change(plan: Plan) -> Plan:
        return replace(
            plan,
            passing=Power.STARTING if shows_starting else None,
            arrives=None,
            ends=timedelta(seconds=after),
            blank=timedelta(0),
            failure=Failure(code=code, message=_NO_CAPACITY),
        )

    return OperationFault(verb=Verb.START, change=change)


def declared_failed(
    code: str, message: str, after: float, runs_after: float, *, stubborn: bool
) -> Fault:
    """The start ends as Failed and the VM runs all the same, later."""

    def change(plan: Plan) -> Plan:
        return replace(
            plan,
            arrives=timedelta(seconds=runs_after),
            ends=timedelta(seconds=after),
            failure=Failure(code=code, message=message),
            stubborn=stubborn,
        )

    return OperationFault(verb=Verb.START, change=change)


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


def start_preempted(after: float = 20) -> Fault:
    """Something newer took the start's place; the VM stays deallocated."""

    def change(plan: Plan) -> Plan:
        return replace(
            plan,
            arrives=None,
            ends=timedelta(seconds=after),
            failure=PREEMPTED,
        )

    return OperationFault(verb=Verb.START, change=change)


def never_ends(verb: str = "start") -> Fault:
    """The operation stays InProgress; the power arrives as usual."""
    return OperationFault(verb=Verb(verb), change=lambda plan: replace(plan, ends=None))


def stop_runs_on() -> Fault:
    """The deallocate succeeds and the VM runs on, billed."""
    return OperationFault(
        verb=Verb.DEALLOCATE,
        change=lambda plan: replace(plan, passing=None, arrives=None),
    )


CATALOGUE: Mapping[str, Make] = {
    "allocation_failed": allocation_failed,
    "os_provisioning_timed_out": os_provisioning_timed_out,
    "start_timed_out": start_timed_out,
    "start_preempted": start_preempted,
    "never_ends": never_ends,
    "stop_runs_on": stop_runs_on,
}
