"""Makes a machine and ends it: itself the enforcer until others were seen to be.

Making a machine starts it, and Azure needs minutes until the roles work by which the
switch and the machine itself could end it. So whoever makes it stays, adopts it as a
session with a deadline, and takes it away on any failure, on Ctrl-C and after 30
minutes. What is made well is taken away too: it ends in a read `deallocated`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from control.decision import Ask
from control.deployment.course import Course, State
from control.deployment.off import Off, Stops
from control.errors import AzureError, CommandError, ControlError, Unavailable
from control.ports import Clock
from control.views import Answer, View
from control.words import LeaseState

LIMIT = timedelta(minutes=30)
# A machine may be read 12 times a minute, by us and by the app.
PAUSE = 15
_BLIND_LOOKS = 3
_BY_THE_APP = "a reading of it by the app"
# Some twenty minutes each.
_ROUNDS = 36
_COMES_LATE = timedelta(minutes=3)


class Adopts(Stops, Protocol):
    """The switch, as whoever makes a machine needs it."""

    def adopt(self, machine: str, ask: Ask) -> Answer:
        """Open a session for a machine that bills without one; never starts any."""


class World(Protocol):
    """What is done in Azure, and seen there; every method may raise `AzureError`."""

    def begin(self) -> None:
        """Send the deployment."""

    def course(self) -> Course | None:
        """Return how it goes; None where there is none."""

    def cancel(self) -> None:
        """End it; what it has begun goes on all the same."""

    def exists(self) -> bool:
        """Return whether Azure knows the machine."""

    def lacking_rights(self) -> Sequence[str]:
        """Return who may not deallocate it yet, in words."""

    def app_reads(self, after: datetime) -> bool:
        """Return whether the app itself has read its power after an instant."""

    def clear(self) -> Sequence[str]:
        """Delete a machine that was never allocated, and its blank disk; say what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who sits there: told what goes on, and may want it to end."""

    say: Callable[[str], None]
    ended: Callable[[], bool]


class Creation:
    """One machine being made."""

    def __init__(
        self,
        *,
        switch: Adopts,
        world: World,
        machine: str,
        ask: Ask,
        clock: Clock,
        person: Person,
    ) -> None:
        self._switch, self._world, self._clock = switch, world, clock
        self._machine, self._ask = machine, ask
        self._ended, self._say = person.ended, person.say
        self._session: str | None = None
        self._course: Course | None = None
        self._read_at: datetime | None = None
        self._doubted_at: datetime | None = None
        self._refused = False
        self._app_read = False
        self._blind = 0
        self._said = ""

    def run(self) -> None:
        """Make it, see that others can end it, and end it.

        Raises:
            CommandError: something failed, and whether the machine is off.
        """
        why: str | None = "something unforeseen happened."
        try:
            why = self._watched()
        finally:
            self._end(why)

    def _watched(self) -> str | None:
        """Return why it must end; None when all was seen."""
        until = self._clock.now() + LIMIT
        refused = self._begun()
        if refused is not None:
            return refused
        missing: Sequence[str] = ()
        while self._clock.now() < until:
            if self._ended():
                return "it was ended by hand."
            self._app_read = self._app_read or self._app_reads(missing)
            view = self._look()
            why = self._failure(view)
            if why is not None:
                return why
            missing = self._missing(view)
            if not missing:
                return None
            self._tell(view, missing)
            self._wait()
        return f"after 30 minutes there was still lacking {', '.join(missing)}."

    def _begun(self) -> str | None:
        """Send the deployment; an answer that was lost may mean that it runs."""
        try:
            self._world.begin()
        except Unavailable:
            self._say("Azure did not answer; whether it took the deployment shows.")
        except ControlError as refusal:
            self._refused = True
            return f"it was refused: {refusal}"
        return None

    def _look(self) -> View:
        """Look at the deployment and the machine; a billing one is adopted at once."""
        try:
            self._course = self._world.course()
        except AzureError:
            self._course = None
        view = self._switch.adopt(self._machine, self._ask).view
        if view.seen is not None:
            self._read_at = view.seen.reading.began_at
        self._blind = self._blind + 1 if view.lease is None else 0
        return view

    def _failure(self, view: View) -> str | None:
        if self._course is not None and self._course.state in _ENDED_BADLY:
            return f"{self._course}"
        if self._blind >= _BLIND_LOOKS:
            return "the ledger can't be read, and would not know what this costs."
        if view.lease is None:
            return None
        if view.lease.state is LeaseState.RELEASING:
            return f"the switch takes it away: {view.reason}"
        if self._session is not None and view.lease.session_id != self._session:
            return "somebody switched it off meanwhile."
        self._session = view.lease.session_id
        return None

    def _missing(self, view: View) -> list[str]:
        """Return what was not seen yet; roles come with the end of the deployment."""
        made = self._course is not None and self._course.state is State.SUCCEEDED
        return [
            *([] if made else ["the deployment's end"]),
            *([] if self._session else ["the machine"]),
            *(self._lacking_rights() if made else ["its roles"]),
            *([] if self._app_read else [_BY_THE_APP]),
            *([] if view.heartbeat else ["its first heartbeat"]),
        ]

    def _lacking_rights(self) -> Sequence[str]:
        try:
            return self._world.lacking_rights()
        except AzureError:
            return ["its roles"]

    def _app_reads(self, missing: Sequence[str]) -> bool:
        """Ask the app once all else is there, and before we look ourselves.

        It would answer with a reading of ours that is younger than some seconds.
        """
        if missing != [_BY_THE_APP] or self._read_at is None:
            return False
        try:
            return self._world.app_reads(self._read_at)
        except ControlError:
            return False

    def _tell(self, view: View, missing: Sequence[str]) -> None:
        """Say how it goes when that has changed."""
        power = view.seen.power if view.seen else "not known"
        until = view.lease.expires_at if view.lease else None
        bills = f", billed, until {until:%H:%M} UTC at most" if until else ""
        line = f"The machine is {power}{bills}. Not yet: {', '.join(missing)}."
        if line != self._said:
            self._said = line
            self._say(line)

    def _wait(self) -> None:
        """Wait for the next look, or for somebody who wants it to end."""
        for _ in range(PAUSE):
            if self._ended():
                return
            self._clock.wait(1)

    def _end(self, why: str | None) -> None:
        self._say("It is switched off again; this stays until Azure says so ...")
        if why is not None and not self._refused:
            self._doubted_at = self._clock.now()
        is_off = self._taken()
        left = self._left(why)
        if not is_off and (why is None or self._exists()):
            raise CommandError(
                f"{self._machine} IS NOT OFF, or that can't be told: {why or ''} Do it "
                f"by hand: `az vm deallocate --name {self._machine} --resource-group "
                "...`, and read PowerState/deallocated."
            )
        if why is None:
            self._say(f"{self._machine} is made, and Azure says: deallocated.")
            return
        raise CommandError(f"{why} {left}".strip())

    def _taken(self) -> bool:
        """Take it away, for hours if need be, and say now and then what else helps."""
        off = Off(self._switch, self._machine, self._ask.device, self._clock)
        for _ in range(_ROUNDS):
            if off.take(self._settled):
                return True
            self._say(
                f"{self._machine} IS NOT OFF YET. By hand: `az vm deallocate --name "
                f"{self._machine} --resource-group ...`. This goes on trying ..."
            )
            if self._course is not None and self._course.no_capacity:
                return False
        return False

    def _settled(self) -> bool:
        """Whether the deployment has ended; one that runs is cancelled.

        What it had begun goes on, and one whose answer was lost may only begin: a
        machine may come a while after.
        """
        course = self._world.course()
        self._course = course or self._course
        now = self._clock.now()
        if course is not None and not course.ended:
            self._doubted_at = now
            self._world.cancel()
            return False
        doubted = self._doubted_at
        return doubted is None or now - doubted >= _COMES_LATE

    def _left(self, why: str | None) -> str:
        """Clear what an allocation that failed has left; say what there is else."""
        if why is None:
            return ""
        capacity = self._course is not None and self._course.no_capacity
        if capacity and not self._refused:
            try:
                cleared = self._world.clear()
            except ControlError as refusal:
                return f"What is left of it could not be deleted: {refusal}"
            return f"Deleted: {', '.join(cleared)}." if cleared else ""
        if self._exists():
            return f"{self._machine} is there, deallocated."
        return f"There is no {self._machine}: nothing bills."

    def _exists(self) -> bool:
        try:
            return self._world.exists()
        except AzureError:
            return True


_ENDED_BADLY = frozenset({State.FAILED, State.CANCELED})
