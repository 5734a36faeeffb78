"""An Azure in memory that makes a machine, by what happens how many seconds after."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from control.decision import Ask
from control.deployment.course import Course, Fault, State
from control.deployment.creation import Creation, Person
from control.errors import AzureError, Evidence, Unavailable
from control.words import Phase, Power, Purpose
from tests.unit.builders import UPDATING, VM, World, provisioning

NEVER = 1e9


@dataclass(kw_only=True)
class Azure:
    """`creation.World`; each number is so many seconds after the deployment began."""

    of: World
    comes_on: float = 20
    runs: float = 60
    ends: float = 90
    fault: Fault | None = None
    rights: float = 120
    app: float = 130
    beats: float = 140
    goes_off: float = 30
    refusal: AzureError | None = None
    unreadable: bool = False
    began: datetime | None = None
    cancelled: bool = False
    cleared: list[str] = field(default_factory=list)

    def begin(self) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.began = self.of.now()

    def course(self) -> Course | None:
        self.settle()
        if self.unreadable:
            raise Unavailable(Evidence())
        if self.began is None:
            return None
        if self.cancelled and not self._past(self.ends):
            return Course(state=State.CANCELED)
        if not self._past(self.ends):
            return Course(state=State.RUNNING)
        if self.fault:
            return Course(state=State.FAILED, faults=(self.fault,))
        return Course(state=State.SUCCEEDED)

    def cancel(self) -> None:
        self.cancelled = True

    def exists(self) -> bool:
        self.settle()
        return self.began is not None and self._past(self.comes_on) and not self.cleared

    def lacking_rights(self) -> Sequence[str]:
        return [] if self._past(self.rights) else ["its own right"]

    def app_reads(self, after: datetime) -> bool:
        return self._past(self.app) and after < self.of.now()

    def clear(self) -> Sequence[str]:
        self.cleared = [VM, "a blank disk"]
        self.of.machines.remove(VM)
        return self.cleared

    def _past(self, seconds: float) -> bool:
        began = self.began
        return began is not None and self.of.now() - began >= timedelta(seconds=seconds)

    def settle(self) -> None:
        """Let the machine be what it is by now."""
        if self.began is None or self.cleared:
            return
        sent = [c.at for c in self.of.machines.calls if c.verb == "deallocate"]
        if sent and self._past(self.comes_on):
            gone = self.of.now() - sent[0] >= timedelta(seconds=self.goes_off)
            power = Power.DEALLOCATED if gone else Power.DEALLOCATING
            self.of.machines.set(VM, power, provisioning=provisioning("succeeded"))
        elif self._past(self.runs):
            self.of.machines.set(VM, Power.RUNNING)
            if self._past(self.beats):
                self.of.says(Phase.DISK)
        elif self._past(self.comes_on):
            self.of.machines.set(VM, Power.STARTING, provisioning=UPDATING)


@dataclass(kw_only=True)
class Sitting:
    """A person who sits there, and may press Ctrl-C after so many seconds."""

    azure: Azure
    ends_after: float = NEVER
    heard: list[str] = field(default_factory=list)

    def ended(self) -> bool:
        return self.azure._past(self.ends_after)

    @property
    def person(self) -> Person:
        return Person(say=self.heard.append, ended=self.ended)


def creation(azure: Azure, sitting: Sitting) -> Creation:
    """Make the one under test, over the switch's twins."""
    azure.of.machines.remove(VM)
    return Creation(
        switch=azure.of.switch,
        world=azure,
        machine=VM,
        ask=Ask(device="vm-create", asked=timedelta(minutes=30), purpose=Purpose.SETUP),
        clock=azure.of.clock,
        person=sitting.person,
    )
