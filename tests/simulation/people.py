"""People with a phone: they tap once, twice or in panic, and look at the page."""

from collections.abc import Mapping
from datetime import timedelta
from random import Random
from typing import Any

from tests.simulation.happening import Event, Happening
from tests.simulation.services import OPERATOR, PHONE, TABLET
from tests.simulation.world import World

_TAPS_APART = timedelta(seconds=0.4)
_LOOKS_APART = timedelta(seconds=30)


def _tap(
    world: World, event: Event, route: str, body: Mapping[str, Any] | None = None
) -> None:
    """Send it so many times; every second tap reaches the other instance."""
    how, name = event.how, world.name(event.machine)
    for number in range(how.get("taps", 1)):

        def tap(number: int = number) -> None:
            world.request(
                route,
                how.get("device", PHONE),
                body,
                instance=(number + how.get("instance", 0)) % 2,
                machine=name,
            )

        world.tasks.at(world.tasks.now() + number * _TAPS_APART, tap)


def _start(world: World, event: Event) -> None:
    wish = {"hours": "hours", "until": "until", "purpose": "purpose"}
    body = {field: event.how[name] for field, name in wish.items() if name in event.how}
    _tap(world, event, "start", body)


def _extend(world: World, event: Event) -> None:
    _tap(world, event, "extend", {"minutes": event.how["minutes"]})


def _look(world: World, event: Event) -> None:
    """Keep the page open: a look each half minute."""
    name = world.name(event.machine)
    for number in range(int(event.lasts / _LOOKS_APART) + 1):
        at = event.at + number * _LOOKS_APART
        world.tasks.at(at, lambda: _get(world, "status", name))


def _get(world: World, route: str, name: str) -> None:
    world.request(route, PHONE, machine=name)


def _whose(draw: Random) -> dict[str, Any]:
    return {
        "device": draw.choice((PHONE, PHONE, TABLET)),
        "taps": draw.choice((1, 1, 1, 2, 3)),
        "instance": draw.randrange(2),
    }


def _wish(draw: Random) -> Mapping[str, Any]:
    if draw.random() < 0.15:
        return {**_whose(draw), "until": f"{draw.randrange(24):02d}:00"}
    return {**_whose(draw), "hours": draw.choice((0.5, 1, 2, 2, 3))}


def _set_up(draw: Random) -> Mapping[str, Any]:
    return {"device": OPERATOR, "hours": draw.choice((1, 2)), "purpose": "setup"}


HAPPENINGS: Mapping[str, Happening] = {
    "start": Happening(
        says="{device} taps start on {machine}, {taps} times",
        begin=_start,
        draw=_wish,
    ),
    "set_up": Happening(
        says="the operator starts {machine} to set it up, for {hours} h",
        begin=_start,
        draw=_set_up,
    ),
    "stop": Happening(
        says="{device} taps stop on {machine}, {taps} times",
        begin=lambda world, event: _tap(world, event, "stop"),
        draw=_whose,
    ),
    "extend": Happening(
        says="{device} extends {machine} by {minutes} minutes, {taps} times",
        begin=_extend,
        draw=lambda draw: {**_whose(draw), "minutes": draw.choice((15, 30, 60, 120))},
    ),
    "lock": Happening(
        says="the operator locks {machine}",
        begin=lambda world, event: _tap(world, event, "lock"),
        end=lambda world, event: _tap(world, event, "unlock"),
        draw=lambda _: {"device": OPERATOR},
        minutes=(1, 90),
    ),
    "page": Happening(
        says="the page of {machine} is open", begin=_look, minutes=(1, 10)
    ),
    "ledger": Happening(
        says="the sessions of {machine} are read",
        begin=lambda world, event: _get(world, "sessions", world.name(event.machine)),
    ),
}
