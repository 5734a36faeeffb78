"""The edges of the control plane: what it needs of the world, and no SDK.

`control.azure` keeps these promises with real clients, `control.memory` in memory;
one contract suite holds both to them. Times are aware UTC.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from control.model import Operation, Quote, Reading, Report

type Value = str | bool | datetime
type Values = Mapping[str, Value]


class Clock(Protocol):
    """The one source of time."""

    def now(self) -> datetime:
        """Return the instant, aware UTC."""

    def wait(self, seconds: float) -> None:
        """Let so many seconds pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """ARM took a call; `operation_url` None when it named none."""

    at: datetime
    operation_url: str | None = None


class Machines(Protocol):
    """ARM, for the machines of the settings; a call takes at most 5 s, no retry.

    Every method raises `AzureError`. There is no power-off, on purpose: on a
    deallocated machine it makes a billed "Stopped".
    """

    def read(self, machine: str) -> Reading:
        """Read power, provisioning and tags; a 404 `ResourceNotFound` is a reading."""

    def start(self, machine: str) -> Accepted:
        """Send one start and do not wait for it."""

    def deallocate(self, machine: str, *, force: bool = False) -> Accepted:
        """Send one deallocate (`forceDeallocate` when `force`), without waiting."""

    def operation(self, url: str) -> Operation:
        """Look once at an operation's URL, as it was given."""


class WriteKind(StrEnum):
    """How a row is written inside a transaction; always whole."""

    INSERT = "insert"
    REPLACE = "replace"
    UPSERT = "upsert"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row as it was read; `etag` is opaque."""

    partition: str
    key: str
    values: Values
    etag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """One write of a transaction; REPLACE needs the `etag` that was read."""

    kind: WriteKind
    key: str
    values: Values
    etag: str | None = None


class Table(Protocol):
    """The ledger's table: rows of text, booleans and instants under two keys.

    Every method raises `LedgerUnavailable` (a write may be in) or, where the table
    is not there, `TableMissing`.
    """

    def get(self, partition: str, key: str) -> Row | None:
        """Read one row; None when there is none."""

    def scan(
        self, partition: str, first: str, after: str, *, limit: int | None = None
    ) -> Iterator[Row]:
        """Yield rows with first <= key < after, in key order, to the very end."""

    def put(self, partition: str, key: str, values: Values) -> None:
        """Write one row whole, whatever was there."""

    def delete(self, partition: str, key: str, etag: str) -> None:
        """Delete the row as it was read; else `LedgerConflict`, also when gone."""

    def commit(self, partition: str, writes: Sequence[Write]) -> None:
        """Make 1 to 100 writes, all or none; `LedgerConflict` when one lost."""

    def create(self) -> None:
        """Make the table where it is missing."""


class Reports(Protocol):
    """Azure's own budget figure, 8 to 24 hours late."""

    def read(self, now: datetime) -> Report | None:
        """Return the figure, None where unknown; raises `AzureError`."""


class Prices(Protocol):
    """The Retail Prices API."""

    def quote(self, now: datetime) -> Quote | None:
        """Return the on-demand Linux price, None where none fits; `AzureError`."""


class Scope(StrEnum):
    """What a token's bearer may do."""

    PHONE = "phone"
    OPERATOR = "operator"
    VM = "vm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A device's token as the vault has it; `digest` is its SHA-256, never itself."""

    device: str
    digest: bytes
    scope: Scope
    enabled: bool = True
    machine: str | None = None
    max_hours: Decimal | None = None


class Tokens(Protocol):
    """The vault of the devices' tokens; every method raises `AzureError`."""

    def read(self) -> tuple[Token, ...]:
        """Return every `token-*` secret with a usable scope tag (disabled too)."""

    def value(self, device: str) -> str | None:
        """Return one token itself, for pairing; None when missing or disabled."""


class Registrar(Protocol):
    """The same vault as an operator's own login may change it; raises `AzureError`."""

    def find(self, device: str) -> Token | None:
        """Return what the vault has of a device, disabled too; None when missing."""

    def value(self, device: str) -> str | None:
        """Return a token itself; None when missing or disabled."""

    def make(self, token: Token, value: str) -> None:
        """Give a device this value, with its tags; whatever it had counts no more."""

    def disable(self, device: str) -> bool:
        """Disable a device's token; False when there is none."""


class Notices(Protocol):
    """How the owner is told; raises `AzureError` when it could not be sent."""

    def send(self, title: str, text: str) -> None:
        """Send one notice within 10 seconds."""


class Runner(Protocol):
    """How jobs run side by side; a job raises nothing."""

    def run(self, jobs: Sequence[Callable[[], None]], seconds: float) -> None:
        """Run all at once; return when they are done, or after so many seconds."""
