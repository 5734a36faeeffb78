"""The lease keeper, on a clock of seconds since boot: what ends it, what does not."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from agent.board import Board
from agent.errors import AgentError
from agent.keeper import Answer, Keeper, read
from agent.lease import Lease, State
from agent.site import Limits
from hypothesis import given
from hypothesis import strategies as st

BOOTED = datetime(2026, 11, 30, 10, tzinfo=UTC).timestamp()
MINUTE, HOUR = 60.0, 3600.0
DEADLINE = 75 * MINUTE


@dataclass
class World:
    """A control plane that says what the test lets it, and an Azure that counts."""

    now: float = 0.0
    heard: tuple[Answer, float] | None = None
    next_answer: Answer | None = None
    refuses: bool = False
    fault: Exception | None = None
    asked: list[float] = field(default_factory=list)
    deallocated: list[float] = field(default_factory=list)

    def ask(self) -> None:
        self.asked.append(self.now)
        if self.fault is not None:
            raise self.fault
        if self.next_answer is None:
            raise AgentError("no answer")
        self.heard = (self.next_answer, self.now)

    def answer(self) -> tuple[Answer, float] | None:
        return self.heard

    def deallocate(self) -> None:
        self.deallocated.append(self.now)
        if self.refuses:
            raise AgentError("Azure did not take the deallocation: 403.")

    def wall(self) -> float:
        return BOOTED + self.now


@dataclass
class Boot:
    """One boot of a machine whose OS disk keeps `caps`."""

    folder: Path
    caps: dict[str, float] = field(default_factory=dict)
    booted: float = BOOTED
    limits: Limits = field(default_factory=Limits)
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self.world = World()
        self.board = Board(self.folder)
        self.begin()

    def begin(self) -> None:
        """Start the process (anew)."""
        keeper = Keeper(self.limits, self.caps)
        state = State.of(self.board)
        self.lease = Lease(keeper, self.board, self.world, self.said.append, state)

    def answer(self, ends: float, now: float | None = None, **more: Any) -> Answer:
        """An answer of the control plane, whose lease ends so long after boot."""
        at = self.world.now if now is None else now
        said = {
            "now": self._stamp(at),
            "session_id": "01S",
            "expires_at": self._stamp(ends),
            "drain": False,
        }
        return read(said | more, self.limits)

    def hear(self, ends: float, **more: Any) -> None:
        """Let a heartbeat be answered now."""
        self.world.heard = (self.answer(ends, **more), self.world.now)

    def at(self, now: float) -> None:
        self.world.now = now
        self.lease.step(now)

    def until(self, end: float, step: float = 1.0) -> None:
        """Let the clock run."""
        now = self.world.now
        while now + step <= end:
            now += step
            self.at(now)

    @property
    def told(self) -> dict[str, Any]:
        return self.board.get("lease")

    def has_failed(self) -> bool:
        return bool(self.told["release_failed"])

    def is_draining(self) -> bool:
        return bool(self.told["draining"])

    def _stamp(self, at: float) -> str:
        return datetime.fromtimestamp(self.booted + at, UTC).isoformat()


@pytest.fixture
def boot(tmp_path: Path) -> Boot:
    return Boot(tmp_path / "state")


def test_unheard_and_unready_it_ends_at_the_boot_deadline(boot: Boot) -> None:
    """75 minutes after boot, whoever sleeps; it asked first, and tries for ever."""
    boot.until(DEADLINE - 1)
    assert boot.world.deallocated == []
    boot.until(DEADLINE + 190)
    assert boot.world.deallocated == [DEADLINE + at for at in (0, 60, 120, 180)]
    assert boot.told["ending"] == "never_ready"
    assert boot.world.asked == [DEADLINE - 120, DEADLINE]


def test_the_lease_ends_it(boot: Boot) -> None:
    """Asked two minutes before, closed one minute before, deallocated at the end."""
    boot.board.phase("ready")
    boot.hear(HOUR)
    boot.until(HOUR - 61)
    assert not boot.is_draining()
    boot.until(HOUR - 1)
    assert boot.is_draining()
    assert boot.world.deallocated == []
    boot.until(HOUR + 1)
    assert boot.world.asked == [HOUR - 120, HOUR]
    assert boot.world.deallocated == [HOUR]
    assert boot.told["ending"] == "lease"


def test_an_extend_in_the_last_second_reopens_it(boot: Boot) -> None:
    """The answer at the end moved the deadline: nothing is deallocated."""
    boot.board.phase("ready")
    boot.hear(HOUR)
    boot.until(HOUR - 1)
    boot.world.next_answer = boot.answer(2 * HOUR, now=HOUR)
    boot.until(HOUR + 10)
    assert boot.world.deallocated == []
    assert not boot.is_draining()
    assert boot.told["ending"] is None
    assert boot.told["armed_until"] == BOOTED + 2 * HOUR


def test_once_it_has_begun_to_end_nothing_stops_it(boot: Boot) -> None:
    """An answer that comes later is too late."""
    boot.board.phase("ready")
    boot.hear(HOUR)
    boot.until(HOUR)
    boot.hear(3 * HOUR)
    boot.until(HOUR + 60)
    assert boot.world.deallocated == [HOUR, HOUR + 60]


def test_drain_is_obeyed_at_once(boot: Boot) -> None:
    """While releasing, the deadline is when that began."""
    boot.at(100.0)
    boot.hear(90.0, drain=True)
    boot.at(101.0)
    assert boot.world.deallocated == [101.0]
    assert boot.is_draining()


def test_a_release_without_a_session_counts(boot: Boot) -> None:
    """A null session beside an `expires_at` is a release."""
    boot.at(100.0)
    boot.hear(90.0, session_id=None, drain=True)
    boot.at(101.0)
    assert boot.world.deallocated == [101.0]


def test_an_answer_without_a_deadline_changes_nothing(boot: Boot) -> None:
    """Nobody holds a lease: the boot's own deadline stands, and its limits."""
    boot.at(10.0)
    said = {"expires_at": None, "ready_deadline_minutes": 600, "purpose": "setup"}
    boot.hear(0, **said)
    boot.until(DEADLINE + 1, step=10)
    assert boot.world.deallocated == [DEADLINE]


def test_a_refused_deallocation_is_told_and_repeated(boot: Boot) -> None:
    """`release_failed` goes into the heartbeats until it is taken."""
    boot.world.refuses = True
    boot.at(DEADLINE)
    assert boot.has_failed()
    boot.world.refuses = False
    boot.until(DEADLINE + 60)
    assert not boot.has_failed()
    assert boot.world.deallocated == [DEADLINE, DEADLINE + 60]


def test_another_verb_may_end_it(boot: Boot) -> None:
    """It puts an ending on the board; a strange one is none."""
    boot.board.put("release", {"ending": "for fun"})
    boot.at(10.0)
    boot.board.put("release", {"ending": "idle"})
    boot.at(11.0)
    assert boot.world.deallocated == [11.0]
    assert boot.told["ending"] == "idle"


def test_ready_once_the_boot_deadline_is_over(boot: Boot) -> None:
    """Also where the model broke later: that is another limit's business."""
    boot.hear(3 * HOUR)
    boot.at(DEADLINE - 10)
    boot.board.phase("ready")
    boot.at(DEADLINE - 9)
    boot.board.phase("broken")
    boot.until(DEADLINE + 100, step=10)
    assert boot.world.deallocated == []


def test_a_set_up_boot_has_only_its_lease(boot: Boot) -> None:
    """The first download takes as long as it takes."""
    boot.hear(4 * HOUR, purpose="setup")
    boot.until(4 * HOUR - 1, step=10)
    assert boot.world.deallocated == []
    assert boot.told["boot_deadline"] is None
    boot.at(4 * HOUR)
    assert boot.world.deallocated == [4 * HOUR]


def test_no_answer_takes_it_past_its_cap(boot: Boot) -> None:
    """Boot and 4 hours, whatever the control plane says."""
    boot.board.phase("ready")
    boot.hear(99 * HOUR, max_runtime_hours=99)
    assert_cap(boot, 4 * HOUR)


def test_an_answer_can_lower_the_cap(boot: Boot) -> None:
    """And the next one can't lift it again."""
    boot.board.phase("ready")
    boot.hear(99 * HOUR, max_runtime_hours=1)
    boot.at(1.0)
    boot.hear(99 * HOUR, max_runtime_hours=4)
    assert_cap(boot, HOUR)


def assert_cap(boot: Boot, cap: float) -> None:
    boot.at(2.0)
    assert boot.told["cap_at"] == BOOTED + cap
    boot.at(cap - 1)
    assert boot.world.deallocated == []
    boot.at(cap)
    assert boot.world.deallocated == [cap]


def test_a_reboot_does_not_begin_the_cap_anew(boot: Boot, tmp_path: Path) -> None:
    """By the control plane's clock: this machine's own may be wrong by years."""
    boot.hear(99 * HOUR)
    boot.at(1.0)
    later = Boot(tmp_path / "next", dict(boot.lease.keeper.caps), BOOTED + 3 * HOUR)
    later.board.phase("ready")
    later.world.now = 30.0
    later.hear(99 * HOUR)
    later.at(31.0)
    assert later.told["cap_at"] == BOOTED + 4 * HOUR
    later.at(HOUR)
    assert later.world.deallocated == [HOUR]


def test_another_session_has_a_cap_of_its_own(boot: Boot, tmp_path: Path) -> None:
    """The cap of yesterday's session does not end today's."""
    boot.hear(99 * HOUR)
    boot.at(1.0)
    later = Boot(tmp_path / "next", dict(boot.lease.keeper.caps), BOOTED + 30 * HOUR)
    later.hear(99 * HOUR, session_id="01T")
    later.at(1.0)
    assert later.told["cap_at"] == BOOTED + 34 * HOUR
    assert set(later.lease.keeper.caps) == {"01T"}


def test_a_restarted_process_goes_on(boot: Boot) -> None:
    """Its ending, that it was ready, and the last answer stand on the board."""
    boot.board.phase("ready")
    boot.hear(2 * HOUR)
    boot.at(10.0)
    boot.board.phase("loading")
    boot.begin()
    boot.until(DEADLINE + 100, step=50)
    assert boot.world.deallocated == []
    boot.at(2 * HOUR)
    boot.begin()
    boot.at(2 * HOUR + 1)
    assert boot.told["ending"] == "lease"
    assert boot.world.deallocated == [2 * HOUR]
    boot.at(2 * HOUR + 60)
    assert boot.world.deallocated == [2 * HOUR, 2 * HOUR + 60]


def test_a_full_board_stops_nothing(boot: Boot, tmp_path: Path) -> None:
    """What can't be told is done all the same."""
    boot.lease.board = Board(tmp_path / "missing")
    boot.at(DEADLINE)
    assert boot.world.deallocated == [DEADLINE]
    assert any("board can't be written" in each for each in boot.said)


BODY = {"now": "2026-11-30T10:00:00Z", "expires_at": "2026-11-30T12:00:00Z"}


@pytest.mark.parametrize(
    "said",
    [
        {"now": None},
        {"now": "soon"},
        {"now": "2026-11-30T10:00:00"},
        {"expires_at": 7},
        {"idle_minutes": "many"},
        {"max_runtime_hours": -1},
        {"max_runtime_hours": float("nan")},
        {"ready_deadline_minutes": float("inf")},
    ],
)
def test_a_strange_answer_is_none(said: dict[str, Any]) -> None:
    """It changes nothing, and no default takes its place."""
    with pytest.raises(ValueError, match=r".*"):
        read(BODY | said, Limits())


@given(
    ends=st.lists(st.floats(-HOUR, 9 * HOUR), max_size=6),
    hours=st.lists(st.floats(0.1, 9), min_size=6, max_size=6),
)
def test_it_always_ends_by_its_cap(
    tmp_path_factory: pytest.TempPathFactory, ends: list[float], hours: list[float]
) -> None:
    """Whatever answers come and when: by boot and 4 hours deallocate has gone out."""
    boot = Boot(tmp_path_factory.mktemp("boot") / "state")
    boot.board.phase("ready")
    for at, (end, most) in enumerate(zip(ends, hours, strict=False)):
        boot.world.now = at * 1800.0
        boot.hear(end, max_runtime_hours=most)
        boot.at(at * 1800.0)
    boot.at(4 * HOUR)
    assert boot.world.deallocated


@pytest.mark.parametrize(
    "fault",
    [
        RecursionError("too deep"),
        ValueError("Invalid header value b'Bearer a\\nb'"),
        UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"),
        TypeError("null"),
    ],
)
def test_no_fault_of_ours_keeps_it_from_its_end(boot: Boot, fault: Exception) -> None:
    """Each came once, from an answer or a file, and the machine ran on."""
    boot.world.fault = fault
    boot.until(DEADLINE + 130, step=10)
    assert len(boot.world.deallocated) == 3
    assert not any("Bearer" in each for each in boot.said)


def test_a_step_that_fails_itself_ends_it_all_the_same(
    boot: Boot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not known yet: past the lease it asks to be taken away, each minute."""
    boot.hear(HOUR)
    boot.at(1.0)

    def fails(_: Lease) -> None:
        raise KeyError("lease")

    monkeypatch.setattr(Lease, "_hear", fails)
    boot.until(HOUR + 130, step=10)
    assert len(boot.world.deallocated) == 3


@pytest.mark.parametrize(
    "torn",
    [
        {"was_ready": None},
        {"ending": 5, "sent_at": "now"},
        {"release_failed": [], "sent_at": None},
    ],
)
def test_a_torn_state_is_none(boot: Boot, torn: dict[str, Any]) -> None:
    """It neither ends a machine nor keeps it."""
    boot.board.put("lease", torn)
    assert State.of(boot.board) == State()


def test_a_restarted_process_does_not_ask_more_often(boot: Boot) -> None:
    """ARM counts: a process that is started again and again would use it all up."""
    boot.hear(HOUR)
    for second in range(130):
        boot.begin()
        boot.hear(HOUR)
        boot.at(HOUR + second)
    assert len(boot.world.deallocated) == 3
