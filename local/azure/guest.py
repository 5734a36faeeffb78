"""The GPU VM's inside: its boots, its phases, what it reports, what it must do next.

It never looks at a clock and sends nothing: `heart` drives it.
"""

import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from agent import report
from agent.keeper import ASKS_BEFORE, CLOSES_BEFORE
from agent.site import Limits

from local.azure import phases
from local.azure.activity import Activity
from local.azure.keeper import Disk, Keeper
from local.azure.phases import Phase, Stage
from local.azure.plan import Power

_EDGE_CLOSES = timedelta(seconds=CLOSES_BEFORE)
_LAST_QUESTION = timedelta(seconds=ASKS_BEFORE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """The guest's settable ways, the bad ones too; `fixed` keeps it in one phase."""

    takes: Mapping[Phase, timedelta] = field(default_factory=lambda: phases.USUAL)
    rendered: Limits = field(default_factory=Limits)
    beats: bool = True
    beat_every: timedelta = timedelta(seconds=30)
    first_beat: timedelta = timedelta(seconds=5)
    drains_for: timedelta = timedelta(seconds=30)
    retries_after: timedelta = timedelta(seconds=60)
    fixed: Phase | None = None
    gives_up_after: timedelta | None = None
    ends_itself: bool = True


class Ending(StrEnum):
    """Why the guest ends its boot."""

    IDLE = "idle"
    LEASE = "lease"
    BROKEN = "broken"
    NEVER_READY = "never_ready"


class Act(StrEnum):
    """What a guest does of its own accord."""

    BEAT = "beat"
    ASK = "ask"
    END = "end"
    DEALLOCATE = "deallocate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Duty:
    """An act that falls due; `ending` says why where the act is END."""

    at: datetime
    act: Act
    ending: Ending | None = None


class Boot:
    """One run of the guest, from power on to power off."""

    def __init__(self, at: datetime, habits: Habits, disk: Disk) -> None:
        self.id = str(uuid.uuid4())
        self.at = at
        self.blank_since = at
        self.keeper = Keeper(at, habits.rendered, disk)
        self.next_beat = at + habits.first_beat
        self.ending: Ending | None = None
        self.leaves_at: datetime | None = None
        self.release_failed = False
        self.asked_for: datetime | None = None
        self.was_ready = False


class Guest:
    """The inside of one machine; off unless the machine runs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.habits = Habits()
        self.activity = Activity()
        self.boot: Boot | None = None
        self._disk = Disk()

    def power(self, power: Power, at: datetime) -> None:
        """Follow the machine: running boots, anything else is the end of the boot."""
        if power is Power.RUNNING:
            self.start(at)
        else:
            self.boot = None

    def start(self, at: datetime) -> None:
        """Boot (again); gauges begin at nothing."""
        self.activity = replace(
            self.activity,
            requests_running=0,
            requests_waiting=0,
            open_connections=0,
            since=None,
        )
        self.boot = Boot(at, self.habits, self._disk)

    def move(self, at: datetime, *, new_boot: bool) -> None:
        """Find blank disks: all phases anew, in this boot or in another."""
        if self.boot is None:
            return
        if new_boot:
            self.start(at)
        else:
            self.boot.blank_since = at

    def ready_at(self, boot: Boot) -> datetime | None:
        """When this boot is or will be ready; never when it is kept from it."""
        if self.habits.fixed is not None:
            return None
        return boot.blank_since + sum(self.habits.takes.values(), timedelta(0))

    def stage(self, boot: Boot, now: datetime) -> Stage:
        """The phase it reports."""
        if self._draining(boot, now):
            return Stage(phase=Phase.DRAINING)
        if self.habits.fixed is not None:
            return self._fixed(self.habits.fixed, boot, now)
        return phases.stage(now - boot.blank_since, dict(self.habits.takes))

    def heartbeat(self, boot: Boot, now: datetime) -> dict[str, Any]:
        """The report, as the agent writes it."""
        stage = self.stage(boot, now)
        boot.was_ready |= stage.phase is Phase.READY
        return report.body(
            machine=self.name,
            boot_id=boot.id,
            uptime=(now - boot.at).total_seconds(),
            phase=asdict(stage),
            gauges=self._gauges(boot, now),
            lease={
                "armed_until": boot.keeper.lease_ends.timestamp(),
                "cap_at": boot.keeper.cap_at.timestamp(),
                "draining": stage.phase is Phase.DRAINING,
                "ending": boot.ending,
                "release_failed": boot.release_failed,
            },
        )

    def next_duty(self, now: datetime) -> Duty | None:
        """The earliest act that is due by now."""
        if self.boot is None:
            return None
        duties = [each for each in self._duties(self.boot, now) if each.at <= now]
        return min(duties, key=lambda duty: duty.at, default=None)

    def next_at(self, now: datetime) -> datetime | None:
        """When the next act falls due, as things stand; it may be past."""
        if self.boot is None:
            return None
        duties = self._duties(self.boot, now)
        return min((duty.at for duty in duties), default=None)

    def hear(self, answer: Mapping[str, Any], now: datetime) -> None:
        """Take a good answer to a heartbeat."""
        if self.boot is not None:
            self.boot.keeper.hear(answer, now)

    def _duties(self, boot: Boot, now: datetime) -> list[Duty]:
        duties = []
        if self.habits.beats:
            duties.append(Duty(at=boot.next_beat, act=Act.BEAT))
            duties += self._questions(boot)
        if boot.leaves_at is not None:
            duties.append(Duty(at=boot.leaves_at, act=Act.DEALLOCATE))
        elif self.habits.ends_itself:
            duties += self._endings(boot, now)
        return duties

    def _questions(self, boot: Boot) -> list[Duty]:
        ends = boot.keeper.lease_ends
        asked = boot.asked_for is not None and ends - boot.asked_for < _LAST_QUESTION
        if asked or boot.ending is not None:
            return []
        return [Duty(at=max(ends - _LAST_QUESTION, boot.at), act=Act.ASK)]

    def _endings(self, boot: Boot, now: datetime) -> list[Duty]:
        keeper = boot.keeper
        due = [(keeper.lease_ends, Ending.LEASE)]
        ready = self.ready_at(boot)
        deadline = keeper.boot_deadline
        if deadline is not None and self._late(boot, ready, deadline):
            due.append((deadline, Ending.NEVER_READY))
        patience = self.habits.gives_up_after
        if self.habits.fixed is Phase.BROKEN and patience is not None:
            due.append((boot.at + patience, Ending.BROKEN))
        if ready is not None and ready <= now and self._may_be_idle(boot):
            due.append(
                (self.activity.idle_from(ready) + keeper.idle_limit, Ending.IDLE)
            )
        return [
            Duty(at=max(at, boot.at), act=Act.END, ending=ending) for at, ending in due
        ]

    def _late(self, boot: Boot, ready: datetime | None, deadline: datetime) -> bool:
        """Whether the boot deadline finds it unready; once ready, it never does."""
        return not boot.was_ready and (ready is None or ready > deadline)

    def _may_be_idle(self, boot: Boot) -> bool:
        known = self.activity.idle_known and not self.activity.busy
        return known and boot.keeper.purpose != "setup"

    def _draining(self, boot: Boot, now: datetime) -> bool:
        closes = boot.keeper.lease_ends - _EDGE_CLOSES
        return bool(boot.ending or boot.keeper.drain) or (
            self.habits.ends_itself and now >= closes
        )

    def _fixed(self, phase: Phase, boot: Boot, now: datetime) -> Stage:
        if phase is Phase.BROKEN:
            return Stage(phase=phase, detail="vLLM exited with status 1 three times")
        takes = dict(self.habits.takes)
        if not takes.get(phase):
            return Stage(phase=phase)
        middle = phases.until(phase, takes) + takes[phase] / 2
        return phases.stage(min(now - boot.at, middle), takes)

    def _gauges(self, boot: Boot, now: datetime) -> dict[str, int | None]:
        activity, ready = self.activity, self.ready_at(boot)
        if ready is None or now < ready:
            activity = Activity(
                requests_running=None,
                requests_waiting=None,
                open_connections=None,
                prompt_tokens_total=None,
                generation_tokens_total=None,
                idle_known=False,
            )
        return {
            "requests_running": activity.requests_running,
            "requests_waiting": activity.requests_waiting,
            "open_connections": activity.open_connections,
            "idle_seconds": activity.idle_seconds(ready or now, now),
            "prompt_tokens_total": activity.prompt_tokens_total,
            "generation_tokens_total": activity.generation_tokens_total,
        }
