"""This machine's own end of its lease, whoever else sleeps.

The deadlines are compared with the boot's clock. At the end deallocate goes out first,
and again every minute for ever; nothing here powers the machine off.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Protocol

from agent.board import PHASE, Board
from agent.errors import AgentError
from agent.keeper import ASKS_BEFORE, CLOSES_BEFORE, Answer, Keeper

LEASE, RELEASE = "lease", "release"
# Longer than systemd needs to begin a keeper anew that hangs.
SILENT = 180.0
ENDINGS = ("idle", "lease", "broken", "never_ready")
AGAIN = 60.0


class World(Protocol):
    """What a lease does to the outside; each call has its own limit in time."""

    def ask(self) -> None:
        """Send one heartbeat."""

    def answer(self) -> tuple[Answer, float] | None:
        """Return the last good answer and when it came, in seconds since boot."""
        ...

    def deallocate(self) -> None:
        """Ask Azure to take this machine away."""

    def wall(self) -> float:
        """Return the wall clock, Unix time."""
        ...


@dataclass
class State:
    """What a new process must know of the one before."""

    ending: str | None = None
    was_ready: bool = False
    release_failed: bool = False
    sent_at: float | None = None

    @classmethod
    def of(cls, board: Board) -> "State":
        """Read what the process before has told, as far as it can be meant."""
        said = board.get(LEASE)
        ending, sent_at = said.get("ending"), said.get("sent_at")
        return cls(
            ending=ending if ending in ENDINGS else None,
            was_ready=said.get("was_ready") is True,
            release_failed=said.get("release_failed") is True,
            sent_at=sent_at if isinstance(sent_at, float) else None,
        )


@dataclass
class Lease:
    """The deadlines at work."""

    keeper: Keeper
    board: Board
    world: World
    say: Callable[[str], None]
    state: State = field(default_factory=State)
    by: str = LEASE
    _heard_at: float = -1.0
    _asked_for: float | None = None

    def step(self, now: float) -> None:
        """Do all that is due; `now` is in seconds since boot.

        A fault of ours, whatever it is, keeps no machine beyond its end.
        """
        try:
            self._step(now)
        except Exception as error:  # noqa: BLE001 - said, and the end is the end
            self.say(f"a fault of the agent: {type(error).__name__}.")
            if now >= self.keeper.lease_ends and self._may_send(now):
                self._leave(now)

    def _step(self, now: float) -> None:
        self._hear()
        self.state.was_ready |= self.board.get(PHASE).get("phase") == "ready"
        if self.state.ending is None:
            self._ask_in_time(now)
            self.state.ending = self._due(now)
        self._tell(now)
        if self.state.ending is not None and self._may_send(now):
            self._leave(now)
            self._tell(now)

    def _due(self, now: float) -> str | None:
        """Say why it must end now; before a lease ends, it is asked for once more."""
        wanted = self.board.get(RELEASE).get("ending")
        if wanted in ENDINGS:
            return str(wanted)
        if now >= self.keeper.lease_ends:
            self._ask()
        if self._is_late(now):
            return "never_ready"
        return "lease" if now >= self.keeper.lease_ends else None

    def _is_late(self, now: float) -> bool:
        deadline = self.keeper.boot_deadline
        return deadline is not None and now >= deadline and not self.state.was_ready

    def _ask_in_time(self, now: float) -> None:
        """Ask two minutes before the end: it may have been extended meanwhile."""
        ends = self.keeper.lease_ends
        asked = self._asked_for is not None and ends - self._asked_for < ASKS_BEFORE
        if not asked and now >= ends - ASKS_BEFORE:
            self._asked_for = ends
            self._ask()

    def _ask(self) -> None:
        try:
            self.world.ask()
        except Exception as error:  # noqa: BLE001 - no answer, of whatever kind
            self.say(f"asked for more time in vain: {_words(error)}")
        self._hear()

    def _hear(self) -> None:
        heard = self.world.answer()
        if heard is not None and heard[1] > self._heard_at:
            answer, self._heard_at = heard
            self.keeper.hear(answer, self._heard_at)

    def _may_send(self, now: float) -> bool:
        sent_at = self.state.sent_at
        return sent_at is None or now - sent_at >= AGAIN

    def _leave(self, now: float) -> None:
        self.state.sent_at = now
        try:
            self.world.deallocate()
        except Exception as error:  # noqa: BLE001 - it is asked again in a minute
            self.state.release_failed = True
            self.say(_words(error))
        else:
            self.state.release_failed = False
            self.say(f"asked Azure to take this machine away ({self.state.ending}).")

    def _tell(self, now: float) -> None:
        """Put on the board what heartbeats and the edge need."""
        keeper, wall = self.keeper, self.world.wall()
        closed = now >= keeper.lease_ends - CLOSES_BEFORE or keeper.drain
        told = {
            "at": now,
            "by": self.by,
            "armed_until": keeper.utc(keeper.lease_ends, wall, now),
            "cap_at": keeper.utc(keeper.cap_at, wall, now),
            "draining": self.state.ending is not None or closed,
            "purpose": keeper.purpose,
            "idle_limit": keeper.idle_limit,
            "boot_deadline": keeper.boot_deadline,
        }
        try:
            self.board.put(LEASE, {**told, **asdict(self.state)})
        except OSError as error:
            self.say(f"the board can't be written: {error}")


def kept_at(board: Board, by: str | None = None) -> float:
    """Return when it was last kept, by this verb or by any, in seconds since boot."""
    told = board.get(LEASE)
    at = told.get("at")
    if not isinstance(at, float) or by not in {None, told.get("by")}:
        return 0.0
    return at


def _words(error: Exception) -> str:
    """Return what an error says; one that is no sentence of ours by its kind alone."""
    if isinstance(error, AgentError | OSError):
        return str(error)
    return f"a fault of the agent: {type(error).__name__}."
