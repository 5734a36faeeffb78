"""How a session's time divides into phases."""

import pytest

from control.rules import phases
from control.words import Phase
from tests.unit.builders import MINUTE, NOW, SECOND, at, beat, lease, session


def test_the_names_are_those_of_the_contract() -> None:
    """Broken and draining are no phase of a boot."""
    assert (
        *("allocate_s", "disk_s", "weights_s", "seeding_s", "gpu_s"),
        *("loading_s", "edge_s", "ready_s", "idle_s"),
    ) == phases.NAMES


def test_before_the_first_heartbeat_it_allocates() -> None:
    """From the request on."""
    assert phases.so_far(lease(), session(), NOW) == {"allocate_s": 1800}


def test_a_phase_counts_since_it_began_and_what_was_before_stays() -> None:
    """The same phase of a second boot adds up."""
    of = lease(phase=Phase.WEIGHTS, phase_since=NOW - 5 * MINUTE)
    before = session(phases={"allocate_s": 60, "weights_s": 10})
    assert phases.so_far(of, before, NOW) == {"allocate_s": 60, "weights_s": 310}


def test_a_heartbeat_older_than_its_phase_takes_nothing_away() -> None:
    """No phase is negative."""
    of = lease(phase=Phase.DISK, phase_since=NOW)
    assert phases.so_far(of, session(), NOW - SECOND) == {"disk_s": 0}


@pytest.mark.parametrize(
    ("idle", "ready", "apart"),
    [(600.9, 1200, 600), (9999.0, 0, 1800), (None, 1800, None), (0.0, 1800, None)],
)
def test_the_idle_part_of_ready_stands_apart(
    idle: float | None, ready: int, apart: int | None
) -> None:
    """Never more than it was ready."""
    of = lease(phase=Phase.READY, phase_since=at("10:00"))
    made = phases.whole(of, session(), beat(idle_seconds=idle), NOW)
    assert made["ready_s"] == ready
    assert made.get("idle_s") == apart


def test_a_session_that_was_never_ready_was_never_idle() -> None:
    """Whatever the VM says."""
    of = lease(phase=Phase.GPU, phase_since=at("10:00"))
    made = phases.whole(of, session(), beat(Phase.GPU, idle_seconds=60.0), NOW)
    assert made == {"gpu_s": 1800}
    assert phases.whole(of, session(), None, NOW) == {"gpu_s": 1800}
