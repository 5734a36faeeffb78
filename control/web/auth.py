"""Who calls: bearer tokens, their scopes, and what holds while the vault is away.

A token is compared as a SHA-256 against the vault's list. One that was accepted leaves
a `token:` row, which admits a stop, a status or a heartbeat when the vault cannot be
reached. A reachable vault that says no always wins.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from hashlib import sha256
from types import MappingProxyType

from control.devices import Admitted
from control.errors import LedgerError
from control.patience import patience
from control.ports import Clock, Scope, Token
from control.said.book import Told
from control.said.problems import Detail
from control.web.http import Request
from control.web.problems import Problem, Refused, refuse
from control.web.roster import EVERY, Listed, Roster
from control.web.site import DevicesLike

JUST_PAIRED = timedelta(minutes=2)
WRITE_EVERY = timedelta(hours=1)
FOR_REMEMBERING = 2.0
_CHALLENGE = MappingProxyType({"WWW-Authenticate": "Bearer"})
_LOG = logging.getLogger(__name__)


class Trust(StrEnum):
    """What a `token:` row is good for while the vault cannot be reached."""

    NOTHING = "nothing"
    ENDING = "ending"
    BEATING = "beating"


TRUSTED_FOR: Mapping[Trust, timedelta] = MappingProxyType(
    {
        Trust.NOTHING: timedelta(0),
        Trust.ENDING: timedelta(days=7),
        Trust.BEATING: timedelta(hours=24),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Whose token it is."""

    device: str
    scope: Scope
    machine: str | None = None
    max_hours: Decimal | None = None

    @property
    def operates(self) -> bool:
        """Whether everything is allowed to it."""
        return self.scope is Scope.OPERATOR


class Gate:
    """Lets a request in or raises `Refused`."""

    def __init__(self, roster: Roster, devices: DevicesLike, clock: Clock) -> None:
        self._roster = roster
        self._devices = devices
        self._clock = clock
        self._written: dict[str, Admitted] = {}

    def admit(self, request: Request, scope: Scope, trust: Trust) -> Caller:
        """Return the caller, who has this scope or is an operator."""
        digest = sha256(_bearer(request).encode()).digest()
        caller = self._caller(digest, trust)
        if caller.scope is not scope and not caller.operates:
            raise refuse(_takes(scope, caller.scope))
        return caller

    def _caller(self, digest: bytes, trust: Trust) -> Caller:
        listed = self._roster.listed()
        token = listed.holder(digest)
        if token is not None:
            self._remember(token, listed)
            return _of(token)
        row = self._row(digest)
        if row is not None and self._just_paired(row, listed):
            return _of(row)
        if listed.reached:
            raise _refused_by_vault(row)
        return self._on_trust(row, trust, listed)

    def _row(self, digest: bytes) -> Admitted | None:
        try:
            return self._devices.admitted(digest)
        except LedgerError:
            return None

    def _just_paired(self, row: Admitted, listed: Listed) -> bool:
        """Whether the vault was asked for this very token since the list was read."""
        young = self._clock.now() - row.checked_at < JUST_PAIRED
        return young and row.checked_at > listed.at

    def _on_trust(self, row: Admitted | None, trust: Trust, listed: Listed) -> Caller:
        """The vault is away: its last yes is good for a stop, and for a while."""
        now = self._clock.now()
        lasts = TRUSTED_FOR[trust]
        if row is None or not lasts or now - row.checked_at > lasts:
            wait = listed.at + EVERY - now
            raise Refused(
                Problem(
                    told=Detail.VAULT.of(),
                    retry_after=int(wait.total_seconds()) + 1,
                )
            )
        return _of(row)

    def _remember(self, token: Token, listed: Listed) -> None:
        """Write the token's row: at most hourly, unless something of it changed.

        A ledger that hangs must not eat the time of a stop.
        """
        try:
            with patience(FOR_REMEMBERING):
                kept = self._written.get(token.device)
                kept = kept or self._devices.admitted(token.digest)
                if kept is None or not _same(kept, token, listed.at):
                    self._devices.admit(token, listed.at)
                    kept = _admitted(token, listed.at)
        except LedgerError as error:
            _LOG.warning("An admission is not kept: %s", type(error).__name__)
            return
        self._written[token.device] = kept


def _bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise _unauthorized(Detail.NO_TOKEN.of())
    return token.strip()


def _unauthorized(told: Told) -> Refused:
    return Refused(Problem(told=told, headers=_CHALLENGE))


def _refused_by_vault(row: Admitted | None) -> Refused:
    if row is None:
        return _unauthorized(Detail.UNKNOWN_TOKEN.of())
    return _unauthorized(Detail.REVOKED.of(device=row.device))


def _takes(needed: Scope, has: Scope) -> Told:
    if has is Scope.VM:
        return Detail.MACHINES_TOKEN.of()
    machines = needed is Scope.VM
    return (Detail.NEEDS_MACHINE if machines else Detail.NEEDS_OPERATOR).of()


def _of(token: Token | Admitted) -> Caller:
    return Caller(
        device=token.device,
        scope=token.scope,
        machine=token.machine,
        max_hours=token.max_hours,
    )


def _same(row: Admitted, token: Token, at: datetime) -> bool:
    unchanged = (row.digest, *_parts(row)) == (token.digest, *_parts(token))
    return unchanged and at - row.checked_at < WRITE_EVERY


def _parts(of: Token | Admitted) -> tuple[str, Scope, str | None, Decimal | None]:
    return of.device, of.scope, of.machine, of.max_hours


def _admitted(token: Token, at: datetime) -> Admitted:
    return Admitted(
        device=token.device,
        digest=token.digest,
        scope=token.scope,
        machine=token.machine,
        max_hours=token.max_hours,
        checked_at=at,
    )
