"""What happens to the machine itself, or somebody does to it behind our back."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from local.azure.busy import Busy
from local.azure.faults.kinds import Fault, Make, StateFault, Undo
from local.azure.meter import Meter
from local.azure.plan import BILLED, Power, Verb
from local.offer import Offer

if TYPE_CHECKING:
    from local.azure.estate import Estate
    from local.azure.vm import Vm

type Deed = Callable[["Vm", datetime], object]


def _later(deed: Deed, after: float, when: Power = Power.RUNNING) -> StateFault:
    """Do it to every machine, once, so many seconds after it reached a power."""

    def begin(azure: "Estate") -> Undo:
        forgets = [vm.once(when, timedelta(seconds=after), deed) for vm in azure.vms]

        def undo() -> None:
            for forget in forgets:
                forget()

        return undo

    return StateFault(begin=begin)


def _in_seconds(deed: Deed, usual: float, when: Power = Power.RUNNING) -> Make:
    return lambda after=usual: _later(deed, after, when)


def host_moves(after: float = 1800, *, new_boot: bool = True) -> Fault:
    return _later(lambda vm, at: vm.move_host(at, new_boot=new_boot), after)


def gone(after: float = 1200) -> Fault:
    """Delete the machines; clearing brings them back, deallocated."""
    deletes = _later(lambda vm, at: vm.remove(at), after)

    def begin(azure: "Estate") -> Undo:
        forget = deletes.begin(azure)

        def undo() -> None:
            forget()
            for vm in azure.vms:
                vm.restore()

        return undo

    return StateFault(begin=begin)


def _metered(change: Callable[[Meter], None]) -> Make:
    """Let Azure's bill be reckoned otherwise, from now on and until it is cleared."""

    def begin(azure: "Estate") -> Undo:
        meters = [vm.machine.meter for vm in azure.vms]
        before = [(meter.billed, meter.least) for meter in meters]
        for meter in meters:
            change(meter)

        def undo() -> None:
            for meter, (billed, least) in zip(meters, before, strict=True):
                meter.billed, meter.least = billed, least

        return undo

    return lambda: StateFault(begin=begin)


def _starts_for_nothing(meter: Meter) -> None:
    meter.billed = BILLED - {Power.STARTING}


def _at_least_five_minutes(meter: Meter) -> None:
    meter.least = 300.0


def subscription_disabled(after: float = 1200) -> Fault:
    """Stop every machine of the subscription and refuse all writes from then on."""

    def begin(azure: "Estate") -> Undo:
        def disable(_: "Vm", at: datetime) -> None:
            azure.arm.read_only = True
            for vm in azure.vms:
                vm.evict(at)

        forget = _later(disable, after).begin(azure)

        def undo() -> None:
            forget()
            azure.arm.read_only = False

        return undo

    return StateFault(begin=begin)


def while_busy(verb: str = "start", answer: str = "not_allowed") -> Fault:
    """Pick what an operation gets that comes while the opposite one is under way."""
    later, gets = Verb(verb), Busy(answer)

    def begin(azure: "Estate") -> Undo:
        before = dict(azure.arm.while_busy)
        azure.arm.while_busy[later] = gets

        def undo() -> None:
            azure.arm.while_busy = before

        return undo

    return StateFault(begin=begin)


OFFERS: Mapping[str, Offer[Fault]] = {
    "while_busy": Offer(
        does="A start while deallocating (or `verb=deallocate` while starting) is "
        "answered `not_allowed`, `other_operation`, `marked` or `conflict`, or "
        "taken: it `preempts`, or `is_preempted`, or `waits`.",
        make=while_busy,
    ),
    "shut_down_inside": Offer(
        does="`poweroff` in the guest: stopped, allocated, billed.",
        make=_in_seconds(lambda vm, at: vm.shut_down_inside(at), 900),
    ),
    "rebooted": Offer(
        does="The guest reboots: another boot.",
        make=_in_seconds(lambda vm, at: vm.reboot(at), 1800),
    ),
    "host_moves": Offer(
        does="The machine moves to another host: its disks are blank, and its boot "
        "is new, or (`new_boot=false`) the same.",
        make=host_moves,
    ),
    "evicted": Offer(
        does="Azure deallocates the machine without our asking.",
        make=_in_seconds(lambda vm, at: vm.evict(at), 1200),
    ),
    "subscription_disabled": Offer(
        does="The subscription is disabled: its machines are deallocated, and every "
        "write is 409 ReadOnlyDisabledSubscription.",
        make=subscription_disabled,
    ),
    "stopped_outside": Offer(
        does="Somebody deallocates it in the portal.",
        make=_in_seconds(lambda vm, at: vm.deallocate_outside(at), 1200),
    ),
    "powered_off_outside": Offer(
        does="Somebody powers it off in the portal: stopped, and billed.",
        make=_in_seconds(lambda vm, at: vm.power_off_outside(at), 1200),
    ),
    "powered_off_while_off": Offer(
        does="Somebody powers it off after it was deallocated: it bills again.",
        make=_in_seconds(
            lambda vm, at: vm.power_off_outside(at), 60, Power.DEALLOCATED
        ),
    ),
    "started_outside": Offer(
        does="Somebody starts it in the portal.",
        make=_in_seconds(lambda vm, at: vm.start_outside(at), 60, Power.DEALLOCATED),
    ),
    "starting_is_free": Offer(
        does="`starting` is not billed, as Azure's older pages have it.",
        make=_metered(_starts_for_nothing),
    ),
    "five_minutes_at_least": Offer(
        does="Each run is billed for 300 s at least, as Azure answered in 2025.",
        make=_metered(_at_least_five_minutes),
    ),
    "gone": Offer(
        does="The machine is deleted: 404 from then on.",
        make=gone,
    ),
}
