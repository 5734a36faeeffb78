"""What drives a guest: it sends the heartbeats and does each duty when it is due.

The guest's clock may jump. Azure's side then happens at its own instants, the guest's
acts as early as nothing that was already told contradicts; only the answers are new.
"""

import ssl
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from local.azure.front import Ground
from local.azure.guest import Act, Boot, Duty, Ending, Guest
from local.azure.machine import Machine
from local.azure.wire import Reply

_PATH = "/vm/heartbeat"
_STEPS = 100
_KEPT = 1000

type Send = Callable[[datetime], Reply]
type Report = Callable[[Mapping[str, Any]], "Heard"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """One heartbeat and what came back; status None is no answer at all."""

    at: datetime
    body: Mapping[str, Any]
    status: int | None
    answer: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What came back of a report; status None is no answer at all."""

    status: int | None
    answer: Mapping[str, Any] | None = None


class Heart:
    """One machine's guest at work; it reports to whatever it was connected to last."""

    def __init__(
        self, ground: Ground, machine: Machine, guest: Guest, deallocate: Send
    ) -> None:
        self.beats: deque[Beat] = deque(maxlen=_KEPT)
        self._ground = ground
        self._machine = machine
        self._guest = guest
        self._deallocate = deallocate
        self._guard = threading.RLock()
        self._client: httpx.Client | None = None
        self._report: Report | None = None

    def connect(self, base: str, token: str, authority: Path | None = None) -> None:
        """Send heartbeats to the functions at `base` from now on."""
        verify = ssl.create_default_context(cafile=authority) if authority else True
        client = httpx.Client(verify=verify, timeout=10, trust_env=False)
        with self._guard:
            self.report_to(partial(_post, client, base, token))
            self._client = client

    def report_to(self, report: Report) -> None:
        """Give heartbeats to a function from now on."""
        with self._guard:
            self.close()
            self._report = report

    def close(self) -> None:
        """Send nothing more."""
        with self._guard:
            if self._client is not None:
                self._client.close()
            self._client = self._report = None

    @property
    def next_at(self) -> datetime | None:
        """When something is due next, of the machine's or of the guest's."""
        with self._ground.lock:
            dues = [self._guest.next_at(self._ground.clock.now())]
            return min(filter(None, [*dues, self._machine.next_at]), default=None)

    def settle(self) -> None:
        """Do all that is due by now, in order."""
        with self._guard:
            for _ in range(_STEPS):
                if not self._step():
                    return
            raise RuntimeError(f"{self._guest.name} never comes to rest")

    def beat(self) -> Beat | None:
        """Send one heartbeat now; None where the guest is off."""
        with self._guard:
            self.settle()
            return self._beat()

    def _step(self) -> bool:
        with self._ground.lock:
            now = self._ground.clock.now()
            duty = self._guest.next_duty(now)
            event = self._machine.next_at
            if event is not None and event <= min(now, duty.at if duty else now):
                self._machine.settle(event)
                return True
            boot = self._guest.boot
        if duty is None or boot is None:
            return False
        self._do(duty, boot, now)
        return True

    def _do(self, duty: Duty, boot: Boot, now: datetime) -> None:
        match duty.act:
            case Act.BEAT:
                self._beat()
            case Act.ASK:
                boot.asked_for = boot.keeper.lease_ends
                self._beat()
            case Act.END:
                self._end(duty, boot)
            case Act.DEALLOCATE:
                self._leave(duty.at, boot, now)

    def _end(self, duty: Duty, boot: Boot) -> None:
        if duty.ending is Ending.LEASE and self._extended(boot):
            return
        drains = self._guest.habits.drains_for
        with self._ground.lock:
            boot.ending = duty.ending
            idle = duty.ending is Ending.IDLE
            boot.leaves_at = duty.at + (drains if idle else timedelta(0))
        self._beat()

    def _extended(self, boot: Boot) -> bool:
        """Ask once more at the end; an answer may have moved it."""
        self._beat()
        return boot.keeper.lease_ends > self._ground.clock.now()

    def _leave(self, at: datetime, boot: Boot, now: datetime) -> None:
        reply = self._deallocate(max(at, self._machine.settled_at))
        with self._ground.lock:
            boot.release_failed = reply.status not in (200, 202)
            boot.leaves_at = max(at, now) + self._guest.habits.retries_after

    def _beat(self) -> Beat | None:
        with self._ground.lock:
            boot, now = self._guest.boot, self._ground.clock.now()
            if boot is None:
                return None
            body = self._guest.heartbeat(boot, now)
            boot.next_beat = now + self._guest.habits.beat_every
        if self._report is None or not self._guest.habits.beats:
            return None
        heard = self._report(body)
        beat = Beat(at=now, body=body, status=heard.status, answer=heard.answer)
        self.beats.append(beat)
        if beat.status == httpx.codes.OK and beat.answer is not None:
            self._hear(beat.answer)
        return beat

    def _hear(self, answer: Mapping[str, Any]) -> None:
        with self._ground.lock:
            self._guest.hear(answer, self._ground.clock.now())


def _post(
    client: httpx.Client, base: str, token: str, body: Mapping[str, Any]
) -> Heard:
    headers = {"Authorization": f"Bearer {token}"}
    try:
        reply = client.post(f"{base}{_PATH}", json=body, headers=headers)
    except httpx.HTTPError:
        return Heard(status=None)
    return Heard(status=reply.status_code, answer=_json(reply))


def _json(reply: httpx.Response) -> Mapping[str, Any] | None:
    try:
        body = reply.json()
    except ValueError:
        return None
    return body if isinstance(body, dict) else None
