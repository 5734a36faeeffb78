"""How a deployment goes, and what a person can do about its failures: pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Whether it still runs, and how it ended."""

    RUNNING = "runs"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "was cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that failed, by Azure's code and its words."""

    code: str
    text: str

    @property
    def no_capacity(self) -> bool:
        """Whether Azure had no such machine: what is left of it can be cleared."""
        return self.code.lower() in _NO_CAPACITY

    def __str__(self) -> str:
        what = _TO_DO.get(self.code.lower(), "")
        return f"{self.code}: {self.text} {what}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A deployment's state, and what failed in it."""

    state: State
    faults: Sequence[Fault] = ()

    @property
    def ended(self) -> bool:
        return self.state is not State.RUNNING

    @property
    def no_capacity(self) -> bool:
        return any(each.no_capacity for each in self.faults)

    def __str__(self) -> str:
        return f"the deployment {self.state}. {' '.join(map(str, self.faults))}".strip()


_NO_CAPACITY = frozenset(
    {
        "allocationfailed",
        "zonalallocationfailed",
        "overconstrainedallocationrequest",
        "overconstrainedzonalallocationrequest",
        "insufficientcapacity",
        "skunotavailable",
    }
)
_TO_DO = {
    **dict.fromkeys(
        _NO_CAPACITY,
        "Azure has no such machine free: quota is no capacity. Try again in an hour, "
        "at night, or with another MACHINE_LOCATION.",
    ),
    "nicreservedforanothervm": "Azure keeps the network card for three minutes after a "
    "machine was deleted: run it again then.",
    "propertychangenotallowed": "The machine is there, and what it was made from never "
    "changes: nothing was touched. A payload is changed by `python -m control payload "
    "update`; another machine is made from its disk.",
    "conflictinguserinput": "A disk of that name is there: OS_DISK_ID makes the "
    "machine from it.",
    "roleassignmentupdatenotpermitted": "An identity was made anew, and its old "
    "assignment stands under that name: delete that one.",
    "conflicterror": "`python -m control preflight` tells both ways out.",
    "400": "`python -m control preflight` tells the day for BUDGETS_FROM.",
    "quotaexceeded": "Ask for more under Quotas in the portal; it takes days.",
    "authorizationfailed": "Your login needs the role Owner, or Contributor and User "
    "Access Administrator.",
    "deploymentactive": "One of the same name still runs: wait for its end.",
    "osprovisioningtimedout": "The machine was made, and has not said that it is up; "
    "its console is under Boot diagnostics in the portal.",
}
