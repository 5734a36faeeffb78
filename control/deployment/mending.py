"""Makes anew what ends a machine that is there: its roles, its shutdown, its metrics.

The machine is left out of such a deployment. Whether Azure starts one all the same is
not known, so its power is read afterwards, as after every deployment.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from control.deployment.course import State
from control.deployment.creation import PAUSE, Person, World
from control.deployment.off import Off, Stops
from control.errors import AzureError, CommandError
from control.model import Observed
from control.observe import KEPT_FOR
from control.ports import Clock
from control.views import View
from control.words import LeaseState, Power

_LOOKS = 14
_LIMIT = timedelta(minutes=30)


def mend(world: World, person: Person, clock: Clock) -> None:
    """Send the deployment, and wait until both may deallocate the machine.

    Raises:
        CommandError: it failed, or took longer than half an hour.
    """
    world.begin()
    until = clock.now() + _LIMIT
    while clock.now() < until:
        if person.ended():
            raise CommandError("it was ended by hand; the deployment goes on.")
        course = _read(world.course)
        if course is not None and course.ended and course.state is not State.SUCCEEDED:
            raise CommandError(str(course))
        if course is not None and course.ended and not world.lacking_rights():
            return
        clock.wait(PAUSE)
    raise CommandError("the deployment did not end in half an hour.")


def _read[T](ask: Callable[[], T]) -> T | None:
    try:
        return ask()
    except AzureError:
        return None


def strayed(view: View, since: datetime) -> bool:
    """Whether the machine bills, and nobody asked for that before an instant."""
    if view.seen is None or not view.seen.power.billing or view.lease is None:
        return False
    if view.policy.other_controller(view.seen.reading) is not None:
        return False
    adopted, by = view.lease.adopted_at, view.lease.device
    by_nobody = adopted is not None and adopted >= since and by is None
    return view.lease.state is LeaseState.NONE or by_nobody


def ensure_off(
    switch: Stops, machine: str, since: datetime, clock: Clock, person: Person
) -> None:
    """Read the power; take away what a deployment has brought on.

    Raises:
        CommandError: it had to be taken away, or can't be told.
    """
    view = _fresh(switch, machine, clock)
    if view.seen is not None and view.seen.reading.not_found:
        person.say(f"There is no {machine}: nothing bills.")
        return
    if view.seen is not None and view.seen.power is Power.DEALLOCATED:
        person.say(f"{machine} is deallocated: nothing bills.")
        return
    if view.seen is None or view.seen.power.billing is None or view.lease is None:
        raise CommandError(
            f"{machine}: Azure or the ledger can't be read: look at it in the portal."
        )
    if not strayed(view, since):
        person.say(f"{machine} is {view.seen.power}: {_whose(view)}.")
        return
    person.say(f"{machine} is {view.seen.power}, and nobody asked for it. Taken away.")
    if not Off(switch, machine, "vm-check", clock).take():
        raise CommandError(f"{machine} IS NOT OFF, and bills: look in the portal.")
    raise CommandError(
        f"{machine} was on after a deployment, and nobody had asked for it. It is "
        "deallocated now; the ledger has what it cost."
    )


def _fresh(switch: Stops, machine: str, clock: Clock) -> View:
    """Look at it now: a reading of somebody's is kept for some seconds."""
    asked_at = clock.now()
    view = switch.status(machine)
    young = view.seen is not None and view.seen.reading.began_at >= asked_at
    if view.seen is None or (young and _is_known(view.seen)):
        return view
    for _ in range(_LOOKS):
        clock.wait((KEPT_FOR + timedelta(seconds=1)).total_seconds())
        view = switch.status(machine)
        if view.seen is not None and _is_known(view.seen):
            break
    return view


def _is_known(seen: Observed) -> bool:
    """A machine that is being started has no power state for a while."""
    return seen.reading.not_found or seen.power.billing is not None


def _whose(view: View) -> str:
    assert view.seen is not None
    assert view.lease is not None
    if view.lease.state is LeaseState.NONE:
        return "of another switch" if view.seen.power.billing else "no lease is held"
    return f"its lease is {view.lease.state}"
