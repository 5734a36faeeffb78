"""What the VM's inside may do: be used, be silent, be broken, not end itself."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from local.azure.phases import Phase
from tests.simulation.happening import Event, Happening
from tests.simulation.world import World

type Do = Callable[[World, Event], None]


def _behave(**habits: Any) -> Do:
    return lambda world, event: world.vm(event.machine).behave(**habits)


def _use(world: World, event: Event) -> None:
    """Ask the model something all the time; it takes requests once it is ready."""
    vm = world.vm(event.machine)
    at = event.at
    while at < event.ends:
        world.tasks.at(at, lambda: _ask(world, vm.name))
        at += timedelta(minutes=5)


def _ask(world: World, name: str) -> None:
    vm = world.azure.machine(name)
    if vm.phase is Phase.READY:
        vm.use(requests_running=1)


def _rest(world: World, event: Event) -> None:
    world.vm(event.machine).rest()


def _set_clock(world: World, event: Event) -> None:
    off = timedelta(minutes=event.how["minutes"])
    world.hazards.guest_clock[world.name(event.machine)] = off


def _right_clock(world: World, event: Event) -> None:
    world.hazards.guest_clock.pop(world.name(event.machine), None)


def _carry_over(world: World, event: Event) -> None:
    name = world.name(event.machine)
    world.hazards.guest_idle[name] = event.how["minutes"] * 60


def _count_anew(world: World, event: Event) -> None:
    world.hazards.guest_idle.pop(world.name(event.machine), None)


HAPPENINGS: Mapping[str, Happening] = {
    "used": Happening(
        says="the model of {machine} is used", begin=_use, end=_rest, minutes=(10, 200)
    ),
    "silent": Happening(
        says="{machine} sends no heartbeats",
        begin=_behave(beats=False),
        end=_behave(beats=True),
        minutes=(2, 200),
    ),
    "keeper_dead": Happening(
        says="the lease keeper of {machine} is dead: it does not end itself",
        begin=_behave(ends_itself=False),
        end=_behave(ends_itself=True),
        minutes=(30, 600),
    ),
    "keeper_and_heart_dead": Happening(
        says="the agent of {machine} is dead: no heartbeats, and no end of its own",
        begin=_behave(ends_itself=False, beats=False),
        end=_behave(ends_itself=True, beats=True),
        minutes=(30, 600),
    ),
    "stuck": Happening(
        says="the boots of {machine} get no further than {phase}",
        begin=lambda world, event: world.vm(event.machine).behave(
            fixed=Phase(event.how["phase"])
        ),
        end=_behave(fixed=None),
        draw=lambda draw: {"phase": draw.choice(("disk", "weights", "loading"))},
        minutes=(20, 240),
    ),
    "broken": Happening(
        says="vLLM of {machine} is broken",
        begin=_behave(fixed=Phase.BROKEN, gives_up_after=None),
        end=_behave(fixed=None),
        minutes=(5, 120),
    ),
    "gives_up": Happening(
        says="vLLM of {machine} is broken, and it gives up 20 minutes after its boot",
        begin=_behave(fixed=Phase.BROKEN, gives_up_after=timedelta(minutes=20)),
        end=_behave(fixed=None, gives_up_after=None),
        minutes=(25, 120),
    ),
    "clock_wrong": Happening(
        says="the wall clock of {machine} is {minutes} minutes off",
        begin=_set_clock,
        end=_right_clock,
        draw=lambda draw: {"minutes": draw.choice((-600, -90, -5, 5, 90, 600))},
        minutes=(30, 600),
    ),
    "idle_carried_over": Happening(
        says="the watcher of {machine} counts {minutes} minutes of idle from before",
        begin=_carry_over,
        end=_count_anew,
        draw=lambda draw: {"minutes": draw.choice((30, 1112))},
        minutes=(30, 600),
    ),
}
