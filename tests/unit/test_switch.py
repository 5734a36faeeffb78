"""The switch as whole stories, told in minutes over the twins."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from control import keys
from control.errors import LedgerError
from control.memory import MemoryTable
from control.ports import Row
from control.views import SessionFilter
from control.words import Fault, LeaseState, Limit, Phase, Power, Purpose, StopReason
from tests.unit.builders import (
    ASK,
    ASKED_AT,
    HOUR,
    MINUTE,
    OTHER_VM,
    POLICY,
    PRICE,
    SECOND,
    UPDATING,
    VM,
    World,
    at,
    beat,
    busy_beat,
    error,
    provisioning,
    world,
)


def reason(of: World) -> StopReason:
    """Return why the lease is being released."""
    release = of.state().lease.release
    assert release is not None
    return release.reason


def test_a_whole_evening() -> None:
    """Start, weights, ready, warned, ended at what was asked, one ledger line."""
    of = world()
    of.switch.tick()
    answer = of.start()
    assert answer.opened
    assert answer.view.lease is not None
    assert answer.view.lease.limited_by is Limit.ASKED
    of.reads(Power.STARTING, UPDATING)
    of.pass_by(1)
    of.reads(Power.RUNNING, provisioning("succeeded", of.now()))
    of.machines.finish(of.operation())
    for minute in range(116):
        of.pass_by(1)
        of.says(Phase.WEIGHTS if minute < 20 else Phase.READY, uptime_s=60.0 * minute)
    assert [text for text in of.notes() if "ends in" in text] == [
        "The session ends in 15 minutes. Extend it if you need longer.",
        "The session ends in 5 minutes. Extend it if you need longer.",
    ]
    of.pass_by(5)
    assert reason(of) is StopReason.ASKED
    of.reads(Power.DEALLOCATING, UPDATING)
    of.pass_by(2)
    of.off()
    of.pass_by(1)
    line = of.closed()
    assert line.stop_reason is StopReason.ASKED
    assert line.billed_seconds == (of.now() - MINUTE - ASKED_AT).total_seconds()
    assert line.cost is not None
    assert line.cost > 2 * PRICE
    assert sum(line.phases.values()) >= 7200
    assert of.count("start") == 1
    assert of.view().last == line


def test_a01_a_start_that_failed_and_boots_all_the_same() -> None:
    """OSProvisioningTimedOut at +20, running from +25: told off, and charged."""
    of = world()
    of.start()
    of.reads(Power.STARTING, UPDATING)
    of.pass_by(20)
    of.machines.finish(of.operation(), Fault.OTHER, code="OSProvisioningTimedOut")
    of.pass_by(1)
    assert of.count("deallocate") == 1
    assert reason(of) is StopReason.START_FAILED
    of.pass_by(4)
    of.reads(
        Power.RUNNING, provisioning("failed", of.now(), code="OSProvisioningTimedOut")
    )
    of.pass_by(1)
    assert of.count("deallocate") == 6
    answer = of.switch.stop(VM, "iphone")
    assert answer.refusal is None
    of.off()
    of.pass_by(1)
    line = of.closed()
    assert line.stop_reason is StopReason.START_FAILED
    assert line.problem == "OSProvisioningTimedOut"
    assert line.cost is not None
    assert line.cost > PRICE / 3


def test_a02_running_50_minutes_after_the_start_was_declared_dead() -> None:
    """One deallocate at +40, and another within a tick of +52."""
    of = world()
    of.start()
    of.pass_by(40)
    of.machines.finish(of.operation(), Fault.OTHER, code="VMStartTimedOut")
    of.pass_by(1)
    assert of.count("deallocate") == 1
    assert of.closed().stop_reason is StopReason.START_FAILED
    of.pass_by(11)
    of.reads(Power.RUNNING, provisioning("failed", of.now()))
    of.pass_by(1)
    assert of.count("deallocate") == 2
    assert reason(of) is StopReason.LATE_START
    assert any("come late" in entry for entry in _texts(of))
    of.off()
    of.pass_by(1)
    of.reads(Power.RUNNING, provisioning("succeeded", of.now()))
    of.pass_by(1)
    assert of.state().lease.state is LeaseState.HELD


def _texts(of: World) -> list[str]:
    session = of.state().session
    assert session is not None
    return [line.text for line in of.ledger.journal(VM, session.id)]


def test_a02_a_new_start_is_not_taken_for_the_late_one() -> None:
    """The user starts again at +45; what runs at +52 is that session."""
    of = world()
    of.start()
    of.pass_by(40)
    of.machines.finish(of.operation(), Fault.OTHER, code="VMStartTimedOut")
    of.pass_by(5)
    assert of.start().opened
    of.pass_by(7)
    of.reads(Power.RUNNING, provisioning("succeeded", of.now()))
    of.pass_by(2)
    assert of.state().lease.state is LeaseState.HELD
    assert of.count("deallocate") == 1


def test_a06_stop_pressed_three_times_on_a_machine_that_is_off() -> None:
    """Nothing is sent; there is no power-off to send."""
    of = world()
    of.off()
    for _ in range(3):
        assert of.switch.stop(VM, "iphone").refusal is None
    assert {call.verb for call in of.machines.calls} == {"read"}
    assert not hasattr(of.machines, "power_off")


def test_a07_shut_down_from_inside() -> None:
    """Within one tick, though the lease had an hour left; closed when off is read."""
    of = world()
    of.running()
    of.pass_by(8)
    of.reads(Power.STOPPED, provisioning("succeeded", of.now()))
    of.pass_by(1)
    assert reason(of) is StopReason.GUEST_SHUTDOWN
    assert of.count("deallocate") == 1
    of.pass_by(1)
    assert of.state().session is not None
    of.off()
    of.pass_by(1)
    assert of.closed().ended_at == of.now() - MINUTE


def test_a07_found_stopped_without_a_session() -> None:
    """It is billed: adopted and switched off in the same tick."""
    of = world()
    of.reads(Power.STOPPED, provisioning())
    of.pass_by(1)
    assert of.count("deallocate") == 1
    assert reason(of) is StopReason.GUEST_SHUTDOWN


def test_a08_the_power_state_is_missing_all_along() -> None:
    """It neither ends the session nor frees the slot; the deadline holds."""
    of = world()
    of.running()
    of.reads(Power.UNKNOWN)
    for _ in range(100):
        of.pass_by(1)
        of.says(Phase.READY)
    assert of.state().lease.state is LeaseState.HELD
    assert not of.start().opened
    of.pass_by(20)
    assert reason(of) is StopReason.ASKED
    assert of.count("deallocate") >= 1


@pytest.mark.parametrize("healthy", [True, False])
def test_a09_running_and_failed_at_the_same_time(healthy: object) -> None:
    """Money and life follow the power; without a heartbeat the deadline comes."""
    of = world()
    of.start()
    of.reads(
        Power.RUNNING,
        provisioning("failed", ASKED_AT, fault=Fault.OTHER, code="OSProvisioning"),
    )
    of.machines.finish(of.operation(), Fault.OTHER, code="OSProvisioningTimedOut")
    for _ in range(80):
        of.pass_by(1)
        if healthy:
            of.says(Phase.READY)
    if healthy:
        assert of.state().lease.state is LeaseState.HELD
        assert "provisioning-failed" in of.view().problems
    else:
        assert reason(of) is StopReason.NEVER_READY


def test_a12_started_in_the_portal() -> None:
    """One adopted row dated at first sight, one notice, and the usual limit."""
    of = world()
    of.off()
    of.pass_by(1)
    of.reads(Power.RUNNING, provisioning("succeeded", of.now()))
    of.pass_by(3)
    session = of.state().session
    assert session is not None
    assert (session.adopted, session.started_by) == (True, "outside")
    assert session.billing_since == ASKED_AT + MINUTE
    assert len(of.notes()) == 1
    assert of.count("deallocate") == 0
    for _ in range(240):
        of.pass_by(1)
        of.says(Phase.READY)
    assert reason(of) is StopReason.MAX_RUNTIME


def test_a15_an_operation_that_never_ends() -> None:
    """Each tick looks once; a stop goes out at once; the deadline ends it."""
    of = world()
    of.start()
    of.reads(Power.STARTING, UPDATING)
    of.pass_by(10)
    assert of.count("operation", of.operation()) == 10
    of.switch.stop(VM, "iphone")
    assert of.count("deallocate") == 1


def test_a15_nobody_stops_it() -> None:
    """75 minutes after the start was sent it is released."""
    of = world()
    of.start()
    of.reads(Power.STARTING, UPDATING)
    of.pass_by(74)
    assert of.count("deallocate") == 0
    of.pass_by(1)
    assert reason(of) is StopReason.NEVER_READY


def test_a17_off_without_our_asking() -> None:
    """Closed outside at ARM's time, charged until then, and not started again."""
    of = world()
    of.running()
    of.pass_by(18)
    of.clock.advance(20 * SECOND)
    of.off()
    of.clock.advance(40 * SECOND)
    of.switch.tick()
    line = of.closed()
    assert line.stop_reason is StopReason.OUTSIDE
    assert line.ended_at == at("10:20") + 20 * SECOND
    assert line.billed_seconds == 1220
    of.pass_by(5)
    assert of.count("start") == 1


def test_a17_gone_for_a_tick_and_for_ever() -> None:
    """One 404 is nothing; three in a row end the session at the first."""
    of = world()
    of.running()
    of.machines.remove(VM)
    of.pass_by(1)
    of.reads(Power.RUNNING)
    of.pass_by(1)
    assert of.state().lease.state is LeaseState.HELD
    of.machines.remove(VM)
    of.pass_by(3)
    line = of.closed()
    assert line.stop_reason is StopReason.OUTSIDE
    assert line.ended_at == of.now() - 2 * MINUTE
    refusal = of.start().refusal
    assert refusal is not None
    assert refusal.slug == "no-machine"


def test_a17_back_from_gone_after_a_stop() -> None:
    """A stop while it was gone is carried out when it is back."""
    of = world()
    of.running()
    of.machines.remove(VM)
    of.pass_by(3)
    of.switch.stop(VM, "ipad")
    of.reads(Power.RUNNING)
    of.pass_by(1)
    assert reason(of) is StopReason.USER
    session = of.state().session
    assert session is not None
    assert session.stopped_by == "ipad"
    assert of.count("deallocate") == 1


@pytest.mark.parametrize("beats", [True, False])
def test_a18_the_guest_watcher_does_nothing(beats: object) -> None:
    """Silent it ends at its start's deadline, frozen at busy at the lease's end."""
    of = world()
    of.running()
    frozen = busy_beat(requests_running=1, idle_seconds=0.0, received_at=of.now())
    for _ in range(118):
        of.pass_by(1)
        if beats and of.state().lease.state is LeaseState.HELD:
            of.switch.heartbeat(replace(frozen, received_at=of.now()))
    expected = StopReason.ASKED if beats else StopReason.NEVER_READY
    assert reason(of) is expected


@pytest.mark.parametrize("hours", [4, 7])
def test_b01_no_tick_for_hours(hours: int) -> None:
    """The first one takes it away, and everything until then is charged."""
    of = world()
    of.running()
    of.clock.set(ASKED_AT + hours * HOUR + 40 * MINUTE)
    of.switch.tick()
    assert of.count("deallocate") == 1
    of.off()
    of.pass_by(1)
    line = of.closed()
    assert line.billed_seconds == hours * 3600 + 2400
    assert line.stop_reason is StopReason.ASKED


def test_d02_the_own_budget_ends_it_while_azure_says_zero() -> None:
    """100 an hour and 300 left: over within three hours; then starts are refused."""
    budget = replace(POLICY.budget, limit=Decimal(300), standing_per_month=Decimal(0))
    of = world(price_per_hour=Decimal(100), budget=budget)
    of.prices.price = Decimal(100)
    of.start(asked=4 * HOUR)
    of.machines.finish(of.operation())
    of.reads(Power.RUNNING, provisioning("succeeded", of.now()))
    while of.state().lease.state is LeaseState.HELD:
        of.pass_by(1)
        of.says(Phase.READY)
        assert of.now() <= ASKED_AT + 3 * HOUR
    assert reason(of) is StopReason.BUDGET
    of.off()
    of.pass_by(2)
    refusal = of.start().refusal
    assert refusal is not None
    assert refusal.slug == "budget-exhausted"


def test_d06_an_evening_over_the_months_end() -> None:
    """22:00Z to 02:00Z: both months' totals sum to the session's line."""
    of = world()
    of.clock.set(at("22:00"))
    of.start(asked=4 * HOUR)
    of.machines.finish(of.operation())
    of.reads(Power.RUNNING, provisioning("succeeded", of.now()))
    of.pass_by(1)
    of.clock.set(at("22:00") + 4 * HOUR)
    of.switch.tick()
    of.off()
    of.pass_by(1)
    totals = of.ledger.totals(VM, POLICY.budget.start, POLICY.budget.end)
    assert [total.cost for total in totals] == [2 * PRICE, 2 * PRICE]
    assert of.closed().cost == 4 * PRICE


def test_c09_without_init_nothing_starts_and_all_else_runs() -> None:
    """Start is refused; adopt, stop and enforcement go on."""
    of = world(carried=None)
    refusal = of.start().refusal
    assert refusal is not None
    assert refusal.slug == "ledger-unverified"
    of.reads(Power.RUNNING)
    of.pass_by(1)
    assert of.state().lease.state is LeaseState.HELD
    of.switch.stop(VM, "iphone")
    assert of.count("deallocate") == 1


def test_a01_without_a_ledger_a_stop_goes_out_by_arm_alone() -> None:
    """Everything else says that it is not verified; the status is of ARM alone."""
    of = world()
    of.reads(Power.RUNNING)
    of.table.unreachable = True
    answer = of.switch.stop(VM, "iphone")
    assert answer.refusal is None
    assert not answer.unsent
    assert of.count("deallocate") == 1
    assert answer.view.lease is None
    assert "press stop again" in answer.view.reason
    for refused in (
        of.start(),
        of.switch.extend(VM, Decimal(30), "iphone", None),
        of.switch.lock(VM, "laptop", locked=True),
    ):
        assert refused.refusal is not None
        assert refused.refusal.slug == "ledger-unverified"
    view = of.view()
    assert (view.lease, view.session, view.offer, view.spend) == (None,) * 4
    assert view.seen is not None
    assert view.seen.power is Power.RUNNING
    assert view.problems == ("ledger-unverified",)
    with pytest.raises(LedgerError):
        of.switch.sessions(VM, SessionFilter())
    with pytest.raises(LedgerError):
        of.switch.heartbeat(beat())


class Halting(MemoryTable):
    """A table that stops answering once the last tick is asked for."""

    def get(self, partition: str, key: str) -> Row | None:
        self.unreachable = self.unreachable or key == keys.TICK
        return super().get(partition, key)


def test_a01_a_ledger_that_goes_away_during_a_stop_refuses_nothing() -> None:
    """The stop was carried out and is told; only the last tick is not known."""
    of = world(over=Halting())
    of.reads(Power.RUNNING)
    answer = of.switch.stop(VM, "iphone")
    assert answer.refusal is None
    assert answer.view.lease is not None
    assert answer.view.lease.state is LeaseState.RELEASING
    assert answer.view.tick_at is None
    assert of.count("deallocate") == 1


def test_a01_a_stop_that_nobody_takes_says_so() -> None:
    """Neither the ledger nor Azure."""
    of = world()
    of.reads(Power.RUNNING)
    of.table.unreachable = True
    of.machines.fail("deallocate", error(Fault.UNAVAILABLE, 503))
    assert of.switch.stop(VM, "iphone").unsent


def test_a_lock_ends_the_lease_and_refuses_starts_until_it_is_lifted() -> None:
    """It survives whatever comes between."""
    of = world()
    of.running()
    of.switch.lock(VM, "laptop", locked=True)
    assert reason(of) is StopReason.LOCKED
    of.off()
    of.pass_by(1)
    assert of.closed().stopped_by == "laptop"
    refusal = of.start().refusal
    assert refusal is not None
    assert refusal.slug == "locked"
    of.switch.lock(VM, "laptop", locked=False)
    of.clock.advance(10 * SECOND)
    assert of.start().opened


def test_an_extend_moves_the_end_and_its_repetition_does_not() -> None:
    """The view says how far it may go."""
    of = world()
    of.running()
    for _ in range(2):
        answer = of.switch.extend(VM, Decimal(30), "iphone", None)
        assert answer.refusal is None
        assert answer.view.lease is not None
        assert answer.view.lease.expires_at == ASKED_AT + 150 * MINUTE
        assert answer.view.extendable_until == ASKED_AT + 4 * HOUR
        of.clock.advance(5 * SECOND)


def test_hunting_for_capacity_eats_no_paid_time() -> None:
    """Found at the fourth start: two hours from then, and billed from then."""
    of = world()
    of.start()
    for _ in range(3):
        of.reads(Power.STARTING, UPDATING)
        of.clock.advance(10 * SECOND)
        of.switch.tick()
        of.machines.finish(of.operation(), Fault.CAPACITY, code="AllocationFailed")
        of.reads(Power.DEALLOCATED)
        starts = of.count("start")
        while of.count("start") == starts:
            of.pass_by(1)
    found_at = of.now()
    of.reads(Power.RUNNING, provisioning("succeeded", of.now()))
    of.machines.finish(of.operation())
    of.pass_by(1)
    state = of.state()
    assert state.session is not None
    assert state.session.billing_since == found_at
    assert state.lease.expires_at == found_at + 2 * HOUR


def test_a10_heartbeats_count_for_the_session_they_were_sent_in() -> None:
    """Not the old boot's, not one that goes back in time; null is not zero."""
    of = world()
    of.running()
    of.says(Phase.READY, uptime_s=100.0)
    of.says(Phase.WEIGHTS, uptime_s=90.0)
    assert of.state().lease.phase is Phase.READY
    of.says(Phase.LOADING, uptime_s=None)
    assert of.state().lease.phase is Phase.LOADING
    of.says(Phase.READY, uptime_s=1.0)
    assert of.state().lease.phase is Phase.READY
    of.says(Phase.EDGE, boot_id="boot-2", uptime_s=1.0)
    assert of.state().lease.phase is Phase.EDGE
    of.switch.stop(VM, "iphone")
    of.off()
    of.clock.advance(2 * MINUTE)
    of.switch.tick()
    of.running()
    of.says(Phase.READY, boot_id="boot-2", uptime_s=900.0)
    assert of.state().lease.phase is None
    of.says(Phase.DISK, boot_id="boot-3", uptime_s=5.0)
    assert of.state().lease.phase is Phase.DISK


def test_the_vm_is_told_how_long_it_may_live() -> None:
    """While it is released the deadline is the release, without a lease none."""
    of = world()
    bare = of.switch.heartbeat(beat(received_at=of.now()))
    assert (bare.session_id, bare.expires_at, bare.drain) == (None, None, False)
    of.start(purpose=Purpose.SETUP)
    of.reads(Power.RUNNING)
    held = of.switch.heartbeat(beat(received_at=of.now()))
    assert held.expires_at == ASKED_AT + 2 * HOUR
    assert (held.drain, held.purpose) == (False, Purpose.SETUP)
    assert held.session_id
    of.clock.advance(MINUTE)
    of.switch.stop(VM, "iphone")
    going = of.switch.heartbeat(beat(received_at=of.now()))
    assert (going.drain, going.expires_at) == (True, of.now())


def test_two_machines_are_independent_but_for_the_budget() -> None:
    """One runs, the other has its own lease and offer."""
    of = world(names=(VM, OTHER_VM))
    assert of.switch.machines == (VM, OTHER_VM)
    of.running()
    answer = of.switch.start(OTHER_VM, replace(ASK, device="ipad"))
    assert answer.opened
    spend = answer.view.spend
    assert spend is not None
    assert of.view().spend is not None
    of.switch.stop(VM, "iphone")
    assert of.state(OTHER_VM).lease.state is LeaseState.HELD
    assert of.count("deallocate", OTHER_VM) == 0


def test_the_last_pass_of_the_timer_is_known() -> None:
    """For whoever watches the watcher."""
    of = world()
    assert of.switch.last_tick() is None
    made = of.switch.tick()
    assert of.switch.last_tick() == made


def test_b03_a_list_of_sessions_enforces_too() -> None:
    """A frozen timer is made up for."""
    of = world()
    of.running()
    of.clock.set(ASKED_AT + 3 * HOUR)
    page = of.switch.sessions(VM, SessionFilter())
    assert of.count("deallocate") == 1
    (listed,) = page.sessions
    found = of.switch.session(VM, listed.id)
    assert found is not None
    assert found[0] == listed
    assert of.switch.session(VM, "nothing") is None


def test_too_many_starts_in_an_hour() -> None:
    """Counted by the ledger; the oldest falls out of the hour."""
    of = world(max_starts_per_hour=2)
    for _ in range(2):
        of.machines.fail("start", error(Fault.QUOTA))
        of.start()
        of.clock.advance(timedelta(minutes=10))
    refusal = of.start().refusal
    assert refusal is not None
    assert refusal.slug == "too-many-starts"
    of.clock.set(ASKED_AT + HOUR)
    assert of.start().opened
