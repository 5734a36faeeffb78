"""The vault's list of tokens, read at most once a minute whatever the traffic."""

import logging
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from hmac import compare_digest

from control.errors import AzureError
from control.ports import Clock, Token, Tokens

EVERY = timedelta(minutes=1)
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One reading of the vault; `tokens` is None when it could not be reached."""

    at: datetime
    tokens: tuple[Token, ...] | None

    @property
    def reached(self) -> bool:
        """Whether the vault answered."""
        return self.tokens is not None

    def holder(self, digest: bytes) -> Token | None:
        """Return the enabled token with this hash; every one is compared."""
        found = None
        for token in self.tokens or ():
            if compare_digest(token.digest, digest) and token.enabled:
                found = token
        return found

    def device(self, name: str) -> Token | None:
        """Return a device's token by its name."""
        return next((t for t in self.tokens or () if t.device == name), None)


class Roster:
    """Keeps the last reading of the vault for a minute, a failed one too."""

    def __init__(self, tokens: Tokens, clock: Clock) -> None:
        self._tokens = tokens
        self._clock = clock
        self._last: Listed | None = None
        self._lock = threading.Lock()

    def listed(self) -> Listed:
        """Return the list; one thread reads, the others wait for it."""
        with self._lock:
            now = self._clock.now()
            if self._last is None or now - self._last.at >= EVERY:
                self._last = self._read(now)
            return self._last

    def read_again(self) -> Listed:
        """Read now, whatever the minute's rule says: only a valid code may ask it."""
        with self._lock:
            self._last = self._read(self._clock.now())
            return self._last

    def _read(self, now: datetime) -> Listed:
        try:
            return Listed(at=now, tokens=self._tokens.read())
        except AzureError as error:
            _LOG.warning("The vault cannot be read: %s", error.fault)
            return Listed(at=now, tokens=None)
