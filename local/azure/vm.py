"""The virtual GPU VM as a test or the demo handles it: machine, guest and heart."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from local.azure.activity import Activity
from local.azure.arm import AUDIENCE
from local.azure.front import Front, Ground
from local.azure.guest import Guest
from local.azure.heart import Beat, Heart
from local.azure.identity import Identity
from local.azure.imds import Imds
from local.azure.machine import Machine
from local.azure.phases import Phase
from local.azure.plan import Power, Verb
from local.azure.views import resource_id
from local.azure.wire import Reply, Request

_VERSION = "2026-04-01"
_ACPI = timedelta(seconds=10)

type Deed = Callable[["Vm", datetime], object]


class Vm:
    """One machine; what it does by itself happens in `settle`, `beat` or the pacer."""

    def __init__(
        self,
        machine: Machine,
        guest: Guest,
        ground: Ground,
        arm: Front,
        identity: Identity,
        subscription: str,
    ) -> None:
        self.machine = machine
        self.guest = guest
        self._ground = ground
        self._arm = arm
        self._identity = identity
        self._subscription = subscription
        self.imds = Imds(machine, identity, subscription)
        self.imds_url = ""
        self.heart = Heart(ground, machine, guest, self._leave)

    @property
    def name(self) -> str:
        return self.machine.spec.name

    @property
    def power(self) -> Power:
        """What the power truly is now."""
        with self._ground.lock:
            self.machine.settle(self._ground.clock.now())
            return self.machine.power

    @property
    def phase(self) -> Phase | None:
        """What the guest would report now; None while it is off."""
        with self._ground.lock:
            now = self._ground.clock.now()
            self.machine.settle(now)
            boot = self.guest.boot
            return self.guest.stage(boot, now).phase if boot else None

    @property
    def beats(self) -> list[Beat]:
        """The heartbeats sent, oldest first, with their answers."""
        return list(self.heart.beats)

    def billed_seconds(self) -> float:
        """What Azure truly bills until now."""
        with self._ground.lock:
            now = self._ground.clock.now()
            self.machine.settle(now)
            return self.machine.meter.seconds(now)

    def connect(self, base: str, token: str, authority: Path | None = None) -> None:
        """Let the guest report to the functions at `base` with its token."""
        self.heart.connect(base, token, authority)

    def settle(self) -> None:
        """Let the guest do all that is due by now."""
        self.heart.settle()

    def beat(self) -> Beat | None:
        """Settle, then send one heartbeat now."""
        return self.heart.beat()

    def behave(self, **changes: Any) -> None:
        """Change the guest's habits by name, for example `beats=False`."""
        with self._ground.lock:
            self.guest.habits = replace(self.guest.habits, **changes)

    def use(self, **gauges: Any) -> None:
        """Set gauges by name; activity that ends now holds the machine until now."""
        with self._ground.lock:
            now = self._ground.clock.now()
            since = gauges.pop("since", now)
            self.guest.activity = replace(self.guest.activity, since=since, **gauges)

    def rest(self) -> None:
        """All requests end now."""
        self.use(requests_running=0, requests_waiting=0, open_connections=0)

    def forget_activity(self) -> None:
        """Be idle since ready, whatever was."""
        with self._ground.lock:
            self.guest.activity = Activity()

    def start_outside(self, at: datetime | None = None) -> Reply:
        """Somebody presses start in the portal."""
        return self._send(Verb.START, "operator", at or self._ground.clock.now())

    def deallocate_outside(self, at: datetime | None = None) -> Reply:
        """Somebody, or Azure's auto-shutdown, deallocates it."""
        return self._send(Verb.DEALLOCATE, "operator", at or self._ground.clock.now())

    def power_off_outside(self, at: datetime | None = None) -> Reply:
        """Somebody powers it off: stopped and billed, even if it was deallocated."""
        return self._send(Verb.POWER_OFF, "operator", at or self._ground.clock.now())

    def evict(self, at: datetime | None = None) -> None:
        """Azure takes it away: deallocated, with no operation of anybody's."""
        with self._ground.lock:
            self.machine.change_power(Power.DEALLOCATED, self._instant(at))

    def move_host(self, at: datetime | None = None, *, new_boot: bool = True) -> None:
        """Run on another host: the local disks are blank, so weights come anew."""
        with self._ground.lock:
            self.guest.move(self._instant(at), new_boot=new_boot)

    def once(self, power: Power, after: timedelta, deed: "Deed") -> Callable[[], None]:
        """Let a deed be done once, so long after a power; returns what forgets it.

        It is done at its own instant, however far the clock has jumped over it.
        """

        def do(at: datetime) -> None:
            deed(self, at)

        with self._ground.lock:
            self._instant(None)
            return self.machine.once(power, after, do)

    def shut_down_inside(self, at: datetime | None = None) -> None:
        """`poweroff` in the guest: stopped, allocated, billed."""
        with self._ground.lock:
            now = self._instant(at)
            if self.machine.power is Power.RUNNING:
                self.machine.change_power(Power.STOPPING, now)
                self.machine.due(now + _ACPI, Power.STOPPED)

    def reboot(self, at: datetime | None = None) -> None:
        """A new boot id under the same power."""
        with self._ground.lock:
            now = self._instant(at)
            if self.machine.power is Power.RUNNING:
                self.guest.start(now)

    def remove(self, at: datetime | None = None) -> None:
        """Delete the VM; ARM answers 404 from now on."""
        with self._ground.lock:
            self.machine.remove(self._instant(at))

    def restore(self) -> None:
        """Let it exist again, deallocated."""
        with self._ground.lock:
            self.machine.restore()

    def come_on(self, at: datetime | None = None) -> None:
        """Run from now on without a call: the late start of a dead operation."""
        with self._ground.lock:
            self.machine.change_power(Power.RUNNING, self._instant(at))

    def _instant(self, at: datetime | None) -> datetime:
        """The instant of a deed that the agenda does, or the clock's present."""
        if at is not None:
            return max(at, self.machine.settled_at)
        now = self._ground.clock.now()
        self.machine.settle(now)
        return now

    def _leave(self, at: datetime) -> Reply:
        return self._send(Verb.DEALLOCATE, "vm", at)

    def _send(self, verb: Verb, caller: str, at: datetime) -> Reply:
        token = self._identity.issue(caller, AUDIENCE)
        request = Request(
            method="POST",
            path=f"{resource_id(self.machine, self._subscription)}/{verb}",
            query={"api-version": _VERSION},
            headers={"authorization": f"Bearer {token.text}"},
            base=AUDIENCE,
        )
        return self._arm.handle(request, at)
