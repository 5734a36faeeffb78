"""Others who have the machine in their hands: the portal, another control plane."""

from collections.abc import Callable, Mapping
from datetime import timedelta

from local.azure.vm import Vm
from tests.simulation.happening import Event, Happening
from tests.simulation.world import World

TAG = "controlled-by"
_OTHER = "another-switch"


def _deed(deed: Callable[[Vm], object]) -> Callable[[World, Event], None]:
    return lambda world, event: (deed(world.vm(event.machine)), None)[1]


def _start_and_stop(world: World, event: Event) -> None:
    """Start it and think better of it, maybe between two ticks."""
    vm = world.vm(event.machine)
    vm.start_outside()
    later = world.tasks.now() + timedelta(seconds=event.how["seconds"])
    world.tasks.at(later, lambda: (vm.deallocate_outside(), None)[1])


def _tag(world: World, event: Event) -> None:
    world.vm(event.machine).machine.tags[TAG] = _OTHER


def _untag(world: World, event: Event) -> None:
    world.vm(event.machine).machine.tags.pop(TAG, None)


def _tag_and_start(world: World, event: Event) -> None:
    _tag(world, event)
    world.vm(event.machine).start_outside()


def _stop_and_untag(world: World, event: Event) -> None:
    world.vm(event.machine).deallocate_outside()
    _untag(world, event)


HAPPENINGS: Mapping[str, Happening] = {
    "portal_start": Happening(
        says="somebody starts {machine} in the portal", begin=_deed(Vm.start_outside)
    ),
    "portal_stop": Happening(
        says="somebody stops {machine} in the portal",
        begin=_deed(Vm.deallocate_outside),
    ),
    "portal_power_off": Happening(
        says="somebody powers {machine} off in the portal: stopped, and billed",
        begin=_deed(Vm.power_off_outside),
    ),
    "portal_start_stop": Happening(
        says="somebody starts {machine} in the portal and stops it {seconds} s later",
        begin=_start_and_stop,
        draw=lambda draw: {"seconds": draw.choice((5, 20, 50, 90, 200))},
    ),
    "foreign_tag": Happening(
        says="another control plane tags {machine}",
        begin=_tag,
        end=_untag,
        minutes=(5, 300),
    ),
    "foreign_run": Happening(
        says="another control plane tags {machine}, starts it, and stops it at the end",
        begin=_tag_and_start,
        end=_stop_and_untag,
        minutes=(10, 200),
    ),
}
