"""What happens to the machine itself, or somebody does to it behind our back."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from local.azure.busy import Busy
from local.azure.faults.kinds import Fault, Make, Offer, StateFault, Undo
from local.azure.plan import Power, Verb

if TYPE_CHECKING:
    from local.azure.estate import LocalAzure
    from local.azure.vm import Vm

type Deed = Callable[["Vm"], object]


def _later(deed: Deed, after: float, when: Power = Power.RUNNING) -> Fault:
    """Do it to every machine, once, so many seconds after it reached a power."""

    def begin(azure: "LocalAzure") -> Undo:
        forgets = [vm.once(when, timedelta(seconds=after), deed) for vm in azure.vms]

        def undo() -> None:
            for forget in forgets:
                forget()

        return undo

    return StateFault(begin=begin)


def _in_seconds(deed: Deed, usual: float, when: Power = Power.RUNNING) -> Make:
    return lambda after=usual: _later(deed, after, when)


def host_moves(after: float = 1800, *, new_boot: bool = True) -> Fault:
    return _later(lambda vm: vm.move_host(new_boot=new_boot), after)


def while_busy(verb: str = "start", answer: str = "not_allowed") -> Fault:
    """Pick what an operation gets that comes while the opposite one is under way."""
    later, gets = Verb(verb), Busy(answer)

    def begin(azure: "LocalAzure") -> Undo:
        before = dict(azure.arm.while_busy)
        azure.arm.while_busy[later] = gets

        def undo() -> None:
            azure.arm.while_busy = before

        return undo

    return StateFault(begin=begin)


OFFERS: Mapping[str, Offer] = {
    "while_busy": Offer(
        does="A start while deallocating (or `verb=deallocate` while starting) is "
        "answered `not_allowed`, `conflict`, `other_operation`, or taken: it "
        "`preempts`, or `is_preempted`, or `waits`.",
        make=while_busy,
    ),
    "shut_down_inside": Offer(
        does="`poweroff` in the guest: stopped, allocated, billed.",
        make=_in_seconds(lambda vm: vm.shut_down_inside(), 900),
    ),
    "rebooted": Offer(
        does="The guest reboots: another boot.",
        make=_in_seconds(lambda vm: vm.reboot(), 1800),
    ),
    "host_moves": Offer(
        does="The machine moves to another host: its disks are blank, and its boot "
        "is new, or (`new_boot=false`) the same.",
        make=host_moves,
    ),
    "evicted": Offer(
        does="Azure deallocates the machine without our asking.",
        make=_in_seconds(lambda vm: vm.evict(), 1200),
    ),
    "stopped_outside": Offer(
        does="Somebody deallocates it in the portal.",
        make=_in_seconds(lambda vm: vm.deallocate_outside(), 1200),
    ),
    "powered_off_outside": Offer(
        does="Somebody powers it off in the portal: stopped, and billed.",
        make=_in_seconds(lambda vm: vm.power_off_outside(), 1200),
    ),
    "powered_off_while_off": Offer(
        does="Somebody powers it off after it was deallocated: it bills again.",
        make=_in_seconds(lambda vm: vm.power_off_outside(), 60, Power.DEALLOCATED),
    ),
    "started_outside": Offer(
        does="Somebody starts it in the portal.",
        make=_in_seconds(lambda vm: vm.start_outside(), 60, Power.DEALLOCATED),
    ),
    "gone": Offer(
        does="The machine is deleted: 404 from then on.",
        make=_in_seconds(lambda vm: vm.remove(), 1200),
    ),
}
