"""The app over the real switch and memory ports: the main promises, through HTTP."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from control.assembly import Ports, assemble
from control.errors import Capacity, Evidence, Quota, Unavailable
from control.ledger import Ledger
from control.memory import MemoryMachines, MemoryNotices, MemoryPrices
from control.web.app import App
from control.web.http import Response
from control.web.site import Place
from control.words import Power
from tests.unit.web.support import MACHINE, OPERATOR, PARIS, VM, Site, document, slug

OTHER = "vm-2"
NO_ANSWER = Unavailable(Evidence(message="no answer"))


class Real(Site):
    """The same site, over a real switch."""

    def __init__(self, *machines: str) -> None:
        super().__init__(*machines)
        self.names = tuple(self.policies)
        self.azure = MemoryMachines(self.clock, self.names)
        self.notices = MemoryNotices()
        Ledger(self.table).initialise(Decimal(0), self.clock.now())
        ports = Ports(
            clock=self.clock,
            table=self.table,
            machines=self.azure,
            prices=MemoryPrices(),
            notices=self.notices,
        )
        self.real = assemble(self.policies, ports)
        place = Place(policies=self.policies, zone=PARIS, chat={})
        self.app = App(
            switch=self.real,
            devices=self.devices,
            tokens=self.tokens,
            clock=self.clock,
            place=place,
        )

    def sent(self, verb: str) -> int:
        return sum(call.verb == verb for call in self.azure.calls)

    def minutes(self, count: float) -> None:
        self.clock.advance(timedelta(minutes=count))
        self.real.tick()

    def comes_on(self) -> None:
        """The start succeeds: its operation ends and the machine runs."""
        for url in self.azure.operations:
            self.azure.finish(url)
        self.azure.set(VM, Power.RUNNING)

    def beat(self, phase: str, **more: Any) -> Response:
        body = {"machine": VM, "boot_id": "boot-1", "phase": phase} | more
        return self.call("heartbeat", token=MACHINE, body=body)

    def on(self) -> None:
        """Start, come on, and be ready ten minutes later."""
        assert self.call("start").status == 202
        self.comes_on()
        self.minutes(10)
        assert self.beat("ready", uptime_s=60).status == 200

    @property
    def status(self) -> dict[str, Any]:
        return document(self.get("status"))


@pytest.fixture
def real() -> Real:
    return Real()


def test_a_whole_session(real: Real) -> None:
    """Start, ready, extend, stop, off: states, sentences and the ledger's line."""
    assert real.status["state"] == "off"
    first = real.call("start", body={"hours": 1})
    assert first.status == 202
    assert document(first)["state"] == "starting"
    again = real.call("start")
    assert again.status == 200
    assert document(again)["session"]["id"] == document(first)["session"]["id"]
    assert real.sent("start") == 1
    real.comes_on()
    real.minutes(1)
    assert real.beat("weights", progress=0.4, uptime_s=30).status == 200
    assert (real.status["state"], real.status["progress"]) == ("loading", 0.4)
    real.minutes(1)
    answer = document(real.beat("ready", uptime_s=90))
    assert answer["session_id"] == document(first)["session"]["id"]
    real.clock.advance(timedelta(seconds=10))
    assert real.status["state"] == "ready"
    longer = real.call("extend", body={"minutes": "30"})
    assert longer.status == 200
    real.minutes(1)
    stopped = real.call("stop")
    assert (stopped.status, document(stopped)["state"]) == (202, "stopping")
    assert real.sent("deallocate") == 1
    real.azure.set(VM, Power.DEALLOCATED)
    real.minutes(2)
    assert real.status["state"] == "off"
    assert real.status["last_session"]["stop_reason"] == "user"
    (line,) = document(real.get("sessions"))["sessions"]
    assert (line["started_by"], line["stopped_by"]) == ("iphone", "iphone")
    one = real.get("session", token=OPERATOR, params={"id": line["id"]})
    events = [entry["event"] for entry in document(one)["journal"]]
    assert {"opened", "stop", "closed"} <= set(events)


def test_ten_starts_at_once_are_one(real: Real) -> None:
    """One ARM start, one session, ten answers with its id, one of them a 202."""
    with ThreadPoolExecutor(10) as pool:
        tries = [pool.submit(real.call, "start") for _ in range(10)]
    answers = [one.result() for one in tries]
    assert sorted(answer.status for answer in answers) == [200] * 9 + [202]
    assert len({document(answer)["session"]["id"] for answer in answers}) == 1
    assert real.sent("start") == 1


def test_a_stop_without_a_ledger_goes_by_arm_alone(real: Real) -> None:
    """Deallocated at once; the answer says to press again."""
    real.on()
    real.table.unreachable = True
    answer = real.call("stop", accept="text/plain")
    assert answer.status == 202
    assert answer.body.startswith(b"Stopping by Azure alone")
    assert b"Press stop again" in answer.body
    assert real.sent("deallocate") == 1
    status = real.status
    assert (status["session"], status["offer"], status["budget"]) == (None, None, None)
    assert (status["state"], status["problem"]) == ("unmanaged", "ledger-unverified")
    assert slug(real.call("start")) == "ledger-unverified"
    assert slug(real.call("extend", body={"minutes": 5})) == "ledger-unverified"
    assert slug(real.get("sessions")) == "ledger-unverified"
    assert slug(real.beat("ready")) == "ledger-unverified"


def test_a_stop_that_nobody_took_says_so(real: Real) -> None:
    """Without ledger and Azure the first words are no success."""
    real.on()
    real.table.unreachable = True
    real.azure.fail("deallocate", NO_ANSWER, times=None)
    answer = real.call("stop", accept="text/plain")
    assert answer.body.startswith(b"Not stopped: ")


def test_a_start_that_azure_refuses_for_good_is_503_with_its_cause(real: Real) -> None:
    """Row 10: `start-failed`, once, and no session stays open."""
    real.azure.fail(
        "start", Quota(Evidence(status=409, code="QuotaExceeded")), times=None
    )
    answer = real.call("start")
    assert slug(answer) == "start-failed"
    assert "quota" in document(answer)["detail"]
    assert real.sent("start") == 1
    assert real.status["state"] == "off"


def test_a_start_that_got_no_answer_is_202(real: Real) -> None:
    """Asked, and Azure has not answered yet."""
    real.azure.fail("start", NO_ANSWER)
    answer = real.call("start", accept="text/plain")
    assert answer.status == 202
    assert answer.body.startswith(b"Asked, but Azure has not answered yet.")


def test_no_capacity_is_waited_for_and_named(real: Real) -> None:
    """The state and the sentence say that nothing is billed."""
    real.azure.fail("start", Capacity(Evidence(status=409, code="AllocationFailed")))
    real.call("start")
    real.minutes(0.5)
    assert real.status["state"] == "waiting_for_capacity"
    assert real.status["billing"] is False


def test_the_lock_keeps_everybody_out_until_it_is_lifted(real: Real) -> None:
    """423 for a start, and a GET lifts nothing."""
    assert real.call("lock", token=OPERATOR).status == 200
    assert slug(real.call("start")) == "locked"
    assert real.call("unlock", "GET", token=OPERATOR).status == 405
    assert real.status["locked"] is True
    assert real.status["offer"]["refused"] == "locked"
    assert real.call("unlock", token=OPERATOR).status == 200
    assert real.call("start").status == 202


def test_a_device_gets_no_more_than_its_own_hours(real: Real) -> None:
    """The iPhone's token has max_hours 3: asked for 4, the device limits it."""
    made = document(real.call("start", body={"hours": 4}))
    assert made["session"]["limited_by"] == "device"
    assert made["session"]["seconds_left"] == 3 * 3600
    assert made["summary"].startswith("Starting. It runs until 14:00 (the longest for")


def test_an_extend_beyond_the_cap_names_the_rule(real: Real) -> None:
    """422 with the rule and the furthest deadline; without a lease 409."""
    assert slug(real.call("extend", body={"minutes": 5})) == "not-running"
    real.on()
    answer = real.call("extend", token=OPERATOR, body={"minutes": 200})
    assert slug(answer) == "beyond-limit"
    assert document(answer)["limited_by"] == "max_runtime"
    assert document(answer)["extendable_until"].endswith("Z")


def test_an_overdue_machine_is_taken_away_by_a_look(real: Real) -> None:
    """A frozen timer: an authenticated GET releases; without a token it does not."""
    real.on()
    real.clock.advance(timedelta(hours=3))
    assert real.get("status", token=None).status == 401
    assert real.call("status", "HEAD").status == 200
    assert real.sent("deallocate") == 0
    assert real.status["state"] == "stopping"
    assert real.sent("deallocate") == 1


def test_every_machine_is_stopped_and_one_is_started() -> None:
    """Without `?machine=`."""
    real = Real(VM, OTHER)
    real.azure.set(VM, Power.RUNNING)
    real.azure.set(OTHER, Power.RUNNING)
    made = real.call("stop")
    assert made.status == 202
    assert len(document(made)["machines"]) == 2
    stopped = {call.machine for call in real.azure.calls if call.verb == "deallocate"}
    assert stopped == {VM, OTHER}


def test_healthz_follows_the_timer(real: Real) -> None:
    """Its own ticks, through the ledger."""
    assert real.get("healthz", token=None).status == 503
    real.minutes(1)
    assert document(real.get("healthz", token=None))["last_tick_age_s"] == 0
    real.clock.advance(timedelta(minutes=4))
    assert real.get("healthz", token=None).status == 503


def test_no_token_is_in_any_row_or_notice(real: Real) -> None:
    """After a whole session."""
    real.on()
    real.call("stop", token=OPERATOR)
    rows = [repr(row) for part in ("-", VM) for row in real.table.scan(part, " ", "~")]
    kept = f"{rows} {real.notices.sent}"
    for token in ("phone-secret", "operator-secret", "machine-secret"):
        assert token not in kept
