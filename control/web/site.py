"""What the handlers work with: the switch, the tokens and a few settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Protocol
from zoneinfo import ZoneInfo

from control.decision import Ask, Policy
from control.devices import Admitted, Code
from control.journal import JournalEntry
from control.model import Heartbeat, Session
from control.ports import Token
from control.records import Pass
from control.views import Answer, Reply, SessionFilter, SessionPage, View


class SwitchLike(Protocol):
    """The switch, as far as HTTP goes; each method is a run or a read."""

    @property
    def machines(self) -> tuple[str, ...]:
        """The machines in the order of the settings."""

    def start(self, machine: str, ask: Ask) -> Answer:
        """Ask for a lease."""

    def stop(self, machine: str, by: str) -> Answer:
        """Take any lease away."""

    def extend(
        self, machine: str, minutes: Decimal, device: str, max_hours: Decimal | None
    ) -> Answer:
        """Move the deadline later."""

    def lock(self, machine: str, by: str, *, locked: bool) -> Answer:
        """Set or lift the kill switch."""

    def status(self, machine: str, max_hours: Decimal | None = None) -> View:
        """Say how the machine is."""

    def heartbeat(self, beat: Heartbeat) -> Reply:
        """Take a heartbeat."""

    def sessions(self, machine: str, wanted: SessionFilter) -> SessionPage:
        """List sessions."""

    def session(
        self, machine: str, session_id: str
    ) -> tuple[Session, tuple[JournalEntry, ...]] | None:
        """Return one session and its journal."""

    def last_tick(self) -> Pass | None:
        """Return the newest pass of the timer."""


class DevicesLike(Protocol):
    """The ledger's rows about devices; every method raises `LedgerError`."""

    def admitted(self, digest: bytes) -> Admitted | None:
        """Return the row of the token with this hash."""

    def admit(self, token: Token, at: datetime) -> None:
        """Write a token's row."""

    def all(self) -> tuple[Admitted, ...]:
        """Return every token's row."""

    def put_code(self, digest: str, device: str, expires_at: datetime) -> None:
        """Keep a pairing code's hash."""

    def code(self, digest: str) -> Code | None:
        """Return the row of a code with this hash."""

    def spend_code(self, code: Code) -> bool:
        """Delete a code's row; False when somebody was first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The settings that answers hang on."""

    policies: Mapping[str, Policy]
    zone: ZoneInfo
    chat: Mapping[str, str | None]
