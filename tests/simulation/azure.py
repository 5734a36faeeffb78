"""Every fault of the local Azure about machines, as a happening."""

from collections.abc import Mapping
from random import Random
from typing import Any

from local.azure.faults import machines, operations, polls, refused, throttled, views
from local.azure.faults.kinds import OperationFault, StateFault
from local.offer import Offer
from tests.simulation.happening import Event, Happening
from tests.simulation.world import World

_OFFERS: Mapping[str, Offer[Any]] = {
    **refused.OFFERS,
    **throttled.OFFERS,
    **operations.OFFERS,
    **polls.OFFERS,
    **views.OFFERS,
    **machines.OFFERS,
}
# They make a caller wait in earnest; `arm_slow` and `arm_too_slow` do so here.
_REAL_SECONDS = {"slow", "accepted_slowly", "poll_slow"}
_BUSY = ("not_allowed", "other_operation", "marked", "conflict", "preempts")
_VARIED: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "quota": {"wording": ("cores", "unwrapped", "preflight")},
    "not_allowed": {"why": ("extension", "running", "not_deallocated", "generalized")},
    "warned_subscription": {"blocks": (True, False)},
    "gateway_timeout": {"takes": (True, False)},
    "vm_not_found": {"wording": ("now", "old", "compute")},
    "throttled_by_compute": {"retry_after": (None, 30, 1200)},
    "throttled_by_arm": {"seconds": (6, 306)},
    "bucket_empty": {"bucket": ("UpdateVM", "DeleteVM", "LowCostGet", "GetOperation")},
    "allocation_failed": {
        "code": ("AllocationFailed", "ZonalAllocationFailed"),
        "after": (5, 40, 300),
        "shows_starting": (True, False),
    },
    "start_fails": {
        "code": ("FabricInternalOperationError", "OutOfTimeBudgetException"),
        "after": (10, 90, 1500),
        "leaves": ("deallocated", "stopped"),
    },
    "os_provisioning_timed_out": {"after": (300, 1200), "stubborn": (True, False)},
    "boots_late": {
        "minutes": (5, 20, 50),
        "after": (300, 1200),
        "shows": ("deallocated", "starting"),
    },
    "start_preempted": {"status": ("Failed", "Canceled")},
    "lingers": {"minutes": (10, 90), "verb": ("start", "deallocate")},
    "never_ends": {"verb": ("start", "deallocate")},
    "start_takes": {"seconds": (300, 1800, 5400)},
    "stop_takes": {"seconds": (300, 1200)},
    "while_busy": {
        "verb": ("start", "deallocate"),
        "answer": (*_BUSY, "is_preempted", "waits"),
    },
    "host_moves": {"after": (300, 3000), "new_boot": (True, False)},
    **{
        name: {"after": (60, 600, 3000)}
        for name in (
            "shut_down_inside",
            "rebooted",
            "evicted",
            "subscription_disabled",
            "stopped_outside",
            "powered_off_outside",
            "started_outside",
            "gone",
        )
    },
}
_SPELL = (2.0, 45.0)
_LONG_SPELL = (30.0, 300.0)


def _fault(name: str, offer: Offer[Any]) -> Happening:
    kind = type(offer.make())
    state, operation = kind is StateFault, kind is OperationFault

    def begin(world: World, event: Event) -> None:
        how = dict(event.how)
        caller = how.pop("caller", None)
        if state:
            world.azure.faults.arm(name, **how)
            return
        target = world.name(event.machine)
        times = how.pop("times")
        world.azure.faults.arm(name, times=times, target=target, caller=caller, **how)

    def end(world: World, event: Event) -> None:
        world.azure.faults.clear(name, None if state else world.name(event.machine))

    def draw(chance: Random) -> Mapping[str, Any]:
        how = {key: chance.choice(of) for key, of in _VARIED.get(name, {}).items()}
        if state:
            return how
        times = chance.choice((1, 1, 2)) if operation else chance.choice((1, 3, None))
        return {**how, "times": times, "caller": chance.choice(("app", "app", None))}

    return Happening(
        says=_plain(offer.does, name),
        begin=begin,
        end=end,
        draw=draw,
        minutes=_LONG_SPELL if state or operation else _SPELL,
    )


def _plain(does: str, name: str) -> str:
    """Name the fault and say what it does; braces would be taken for parameters."""
    return f"{{machine}}, {name}: {does}".replace("<code>", "code")


HAPPENINGS: Mapping[str, Happening] = {
    name: _fault(name, offer)
    for name, offer in _OFFERS.items()
    if name not in _REAL_SECONDS
}
