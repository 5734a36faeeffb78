"""The virtual GPU VM: its boot, its heartbeats, its lease keeper, its bad habits."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from agent.site import Limits

from local.azure import Kind, LocalAzure, Phase, Power
from local.azure.server import Listener
from local.azure.wire import Reply, Request, json_reply
from local.certificate import Certificate
from local.clock import SharedClock

MINUTE = timedelta(minutes=1)
READY = timedelta(seconds=40 + 1500)
FIELDS = (
    "machine boot_id uptime_s phase progress detail requests_running requests_waiting "
    "open_connections idle_seconds prompt_tokens_total generation_tokens_total "
    "armed_until cap_at ending release_failed"
)


@dataclass
class Functions:
    """What the heartbeats reach: it keeps them and answers as it is told."""

    clock: SharedClock
    lease: datetime | None = None
    status: int = 200
    drain: bool = False
    session: str | None = "01S"
    purpose: str | None = None
    hours: float = 4
    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    tokens: set[str | None] = field(default_factory=set)
    came: threading.Event = field(default_factory=threading.Event)

    def answer(self, request: Request) -> Reply:
        assert (request.method, request.path) == ("POST", "/vm/heartbeat")
        self.bodies.append(request.json())
        self.tokens.add(request.bearer)
        self.came.set()
        answer = {
            "now": self.clock.now().isoformat(),
            "session_id": self.session,
            "expires_at": self.lease.isoformat() if self.lease else None,
            "drain": self.drain,
            "idle_minutes": 20,
            "purpose": self.purpose,
            "ready_deadline_minutes": 75,
            "max_runtime_hours": self.hours,
        }
        return json_reply(self.status, answer)


@pytest.fixture
def functions(azure: LocalAzure, clock: SharedClock) -> Iterator[Functions]:
    """The VM runs, reports here and holds a lease of two hours."""
    made = Functions(clock, lease=clock.now() + timedelta(hours=2))
    listener = Listener(made.answer, None)
    made.url = listener.url
    azure.vm.connect(listener.url, "vm-token")
    azure.vm.start_outside()
    try:
        yield made
    finally:
        azure.vm.heart.close()
        listener.close()


def beat(azure: LocalAzure) -> dict[str, Any]:
    sent = azure.vm.beat()
    assert sent is not None
    return dict(sent.body)


def power(azure: LocalAzure) -> Power:
    return azure.vm.power


def own_stops(azure: LocalAzure) -> list[datetime]:
    return [seen.at for seen in azure.log.of(Kind.VM_DEALLOCATE, caller="vm")]


def test_a_boot_goes_through_its_phases(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """Disk, weights with progress, no seeding, then GPU, loading, edge and ready."""
    seen: list[tuple[str, float | None]] = []
    clock.advance(timedelta(seconds=40))
    for _ in range(26):
        body = beat(azure)
        if body["phase"] not in [phase for phase, _ in seen]:
            seen.append((body["phase"], body["progress"]))
        clock.advance(MINUTE)
    assert [phase for phase, _ in seen] == [
        "disk",
        "weights",
        "gpu",
        "loading",
        "edge",
        "ready",
    ]
    assert seen[-1] == ("ready", 1.0)
    assert functions.tokens == {"vm-token"}


def test_weights_say_how_far_they_are(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """Shards and gigabytes beside a progress that rises."""
    clock.advance(timedelta(seconds=40 + 60 + 337.5))
    body = beat(azure)
    assert (body["phase"], body["progress"]) == ("weights", 0.375)
    assert body["detail"] == "24 of 64 shards, 223 of 595 GB"
    assert functions.bodies[-1] == body


def test_a_heartbeat_has_every_field(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """Before ready the gauges are unknown; the deadline follows the first answer."""
    clock.advance(timedelta(seconds=100))
    azure.settle()
    body = beat(azure)
    assert list(body) == FIELDS.split()
    assert body["uptime_s"] == 60
    assert body["requests_running"] is body["idle_seconds"] is None
    assert (body["ending"], body["release_failed"]) == (None, False)
    assert body["armed_until"] == "2026-11-30T12:00:00Z"
    assert body["cap_at"] == "2026-11-30T14:00:40Z"
    assert functions.bodies[0]["armed_until"] == "2026-11-30T11:15:40Z"


def test_activity_shows_in_the_gauges(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """Requests and connections hold idle at 0; it counts from the last of them."""
    clock.advance(READY + MINUTE)
    assert beat(azure)["idle_seconds"] == 60
    azure.vm.use(requests_running=2, open_connections=1, generation_tokens_total=900)
    clock.advance(MINUTE)
    busy = beat(azure)
    assert (busy["requests_running"], busy["idle_seconds"]) == (2, 0)
    azure.vm.rest()
    clock.advance(MINUTE)
    rested = beat(azure)
    assert (rested["open_connections"], rested["idle_seconds"]) == (0, 60)
    assert rested["generation_tokens_total"] == 900
    azure.vm.use(idle_known=False)
    assert functions.bodies[-1] == rested
    assert beat(azure)["idle_seconds"] is None


def test_idle_drains_and_deallocates_itself(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """The last heartbeats say draining and why; then its own call ends the billing."""
    clock.advance(READY + 20 * MINUTE - timedelta(seconds=1))
    assert beat(azure)["phase"] == "ready"
    clock.advance(timedelta(seconds=1))
    azure.settle()
    last = functions.bodies[-1]
    assert (last["phase"], last["ending"]) == ("draining", "idle")
    assert own_stops(azure) == []
    clock.advance(MINUTE)
    azure.settle()
    assert len(own_stops(azure)) == 1
    clock.advance(MINUTE)
    assert power(azure) is Power.DEALLOCATED
    assert azure.vm.beat() is None


def test_the_lease_ends_the_boot(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """At T it asks once more, then it deallocates itself."""
    clock.advance(READY)
    beat(azure)
    azure.vm.use(requests_running=1)
    clock.advance(timedelta(hours=2, seconds=-30) - READY)
    assert beat(azure)["phase"] == "draining"
    clock.advance(timedelta(seconds=30))
    azure.settle()
    assert functions.bodies[-1]["ending"] == "lease"
    assert own_stops(azure) == [functions.lease]


def test_an_extend_is_learnt_even_at_the_end(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """The question at T brings the new deadline, and the edge opens again."""
    clock.advance(MINUTE)
    beat(azure)
    azure.vm.use(requests_running=1)
    assert functions.lease is not None
    functions.lease += timedelta(minutes=30)
    clock.advance(timedelta(hours=2))
    azure.vm.use(requests_running=1)
    azure.settle()
    assert own_stops(azure) == []
    assert beat(azure)["phase"] == "ready"


def test_the_question_at_the_end_is_the_last_chance(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """An extend after the last usual heartbeat is still in time."""
    clock.advance(READY)
    beat(azure)
    azure.vm.use(requests_running=1)
    assert functions.lease is not None
    clock.advance(functions.lease - clock.now() - timedelta(seconds=10))
    assert beat(azure)["phase"] == "draining"
    functions.lease += timedelta(minutes=30)
    clock.advance(timedelta(seconds=10))
    azure.settle()
    assert own_stops(azure) == []
    assert beat(azure)["phase"] == "ready"


def test_without_answers_it_keeps_the_deadline_it_knows(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """Errors and silence move nothing; it ends exactly at T, however late one looks."""
    clock.advance(MINUTE)
    beat(azure)
    azure.vm.use(requests_running=1)
    functions.status = 503
    known, functions.lease = functions.lease, clock.now() + timedelta(hours=3)
    clock.advance(MINUTE)
    beat(azure)
    azure.vm.connect("http://127.0.0.1:1", "vm-token")
    clock.advance(timedelta(hours=3))
    azure.settle()
    assert own_stops(azure) == [known]
    assert azure.vm.billed_seconds() == 7200


def test_an_answer_without_a_deadline_changes_nothing(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """A null `expires_at` leaves the boot deadline in force."""
    functions.lease = functions.session = None
    clock.advance(MINUTE)
    beat(azure)
    assert beat(azure)["armed_until"] == "2026-11-30T11:15:40Z"


def test_an_answer_it_cannot_read_changes_nothing(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """A 200 of something else is no answer of the functions."""
    listener = Listener(lambda _: json_reply(200, {"now": "soon"}), None)
    azure.vm.connect(listener.url, "vm-token")
    clock.advance(MINUTE)
    assert beat(azure)["armed_until"] == "2026-11-30T11:15:40Z"
    assert azure.vm.beats[-1].status == 200
    listener.close()
    assert functions.bodies == []


def test_a_drain_ends_it_at_once(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """While the lease is being released it drains and deallocates by itself too."""
    clock.advance(READY)
    functions.drain = True
    azure.settle()
    assert beat(azure)["phase"] == "draining"
    assert own_stops(azure) == []
    functions.lease = clock.now()
    beat(azure)
    azure.settle()
    assert functions.bodies[-1]["ending"] == "lease"
    assert own_stops(azure) == [clock.now()]


def test_no_answer_takes_it_past_its_cap(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """An answer lowers the cap and never raises it again, not even over a reboot."""
    functions.lease, functions.hours = clock.now() + timedelta(hours=9), 2
    clock.advance(timedelta(seconds=40))
    beat(azure)
    assert beat(azure)["cap_at"] == "2026-11-30T12:00:40Z"
    functions.hours = 8
    clock.advance(MINUTE)
    first = beat(azure)
    azure.vm.reboot()
    beat(azure)
    again = beat(azure)
    assert again["boot_id"] != first["boot_id"]
    assert (again["uptime_s"], again["cap_at"]) == (0, "2026-11-30T12:00:40Z")
    assert again["armed_until"] == "2026-11-30T12:00:40Z"
    functions.session = "02S"
    assert azure.vm.power is Power.RUNNING


@pytest.mark.parametrize(("purpose", "stops"), [(None, 1), ("setup", 0)])
def test_a_boot_that_never_gets_ready_ends_itself(
    azure: LocalAzure,
    clock: SharedClock,
    functions: Functions,
    purpose: str | None,
    stops: int,
) -> None:
    """Stuck in the weights until its boot deadline; set-up boots have none."""
    functions.purpose = purpose
    azure.vm.behave(fixed=Phase.WEIGHTS)
    clock.advance(MINUTE)
    beat(azure)
    clock.advance(timedelta(minutes=76))
    azure.settle()
    assert functions.bodies[-1]["phase"] == ("draining" if stops else "weights")
    assert functions.bodies[-1]["ending"] == ("never_ready" if stops else None)
    assert len(own_stops(azure)) == stops


def test_a_refused_stop_is_said_and_tried_again(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """Every minute for ever; the heartbeats say that it failed."""
    azure.faults.arm("permission", times=2, caller="vm")
    clock.advance(READY)
    functions.drain, functions.lease = True, clock.now()
    beat(azure)
    for _ in range(3):
        azure.settle()
        clock.advance(MINUTE)
    assert [entry.status for entry in azure.log.of(Kind.VM_DEALLOCATE)] == [
        403,
        403,
        202,
    ]
    assert functions.bodies[-1]["release_failed"] is True


def test_a_broken_guest_says_so(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """Phase broken; with patience set it ends itself as broken."""
    azure.vm.behave(fixed=Phase.BROKEN)
    clock.advance(5 * MINUTE)
    assert beat(azure)["phase"] == "broken"
    azure.vm.behave(gives_up_after=10 * MINUTE)
    clock.advance(10 * MINUTE)
    azure.settle()
    assert functions.bodies[-1]["ending"] == "broken"
    assert len(own_stops(azure)) == 1


def test_a_silent_guest_still_keeps_its_lease(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """No heartbeats: the values of its payload end it at the boot deadline."""
    payload = Limits(ready_deadline_minutes=60, idle_minutes=500)
    azure.vm.behave(beats=False, rendered=payload)
    clock.advance(timedelta(hours=3))
    azure.settle()
    assert functions.bodies == []
    assert own_stops(azure) == [
        datetime.fromisoformat("2026-11-30T11:00:40Z"),
    ]


def test_a_dead_lease_keeper_runs_on(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """With its own ends off, only somebody else stops it."""
    azure.vm.behave(ends_itself=False)
    clock.advance(timedelta(hours=9))
    azure.settle()
    assert power(azure) is Power.RUNNING
    assert functions.bodies[-1]["ending"] is None


def test_settling_never_changes_what_was_told(
    azure: LocalAzure, clock: SharedClock, functions: Functions
) -> None:
    """A reading after T is kept: the guest's own stop then comes after it."""
    functions.status = 503
    clock.advance(timedelta(hours=2))
    assert power(azure) is Power.RUNNING
    told = clock.now()
    clock.advance(MINUTE)
    azure.settle()
    assert own_stops(azure) == [told]


def test_a_paced_guest_lives_by_itself(
    clock: SharedClock, certificate: Certificate
) -> None:
    """At 600 times the speed it reports every half minute and jumps with the clock."""
    functions = Functions(clock, lease=clock.now() + timedelta(hours=2))
    listener = Listener(functions.answer, None)
    try:
        with LocalAzure(clock, certificate, pace=True) as azure:
            azure.vm.connect(listener.url, "vm-token")
            azure.vm.start_outside()
            clock.run_at(600)
            assert functions.came.wait(5)
            clock.advance(timedelta(hours=3))
            deadline = threading.Event()
            for _ in range(50):
                if own_stops(azure):
                    break
                deadline.wait(0.1)
            assert len(own_stops(azure)) == 1
            assert azure.unknown_routes == []
    finally:
        listener.close()
