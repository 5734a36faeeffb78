"""What the heartbeat does while the lease keeper is dead: it keeps the lease itself."""

from contextlib import suppress

from agent import boot, trouble
from agent.keep import Keeping
from agent.lease import LEASE, SILENT, kept_at
from agent.site import Site

_BY = "heartbeat"
_UNIT = "kimi-lease.service"
_SAID = "the lease keeper is not at work; the heartbeat keeps the lease in its stead."


class StandIn:
    """Steps in after some silence, and out again as soon as the keeper is back."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._since = boot.uptime()
        self._keeping: Keeping | None = None

    def step(self) -> None:
        """Do what is due where nobody else does."""
        alive_at = max(kept_at(self._site.board, by=LEASE), self._since)
        is_silent = boot.uptime() - alive_at >= SILENT
        if not is_silent:
            self._keeping = None
        elif self._keeping is None:
            self._keeping = Keeping(self._site, by=_BY)
        if self._keeping is not None:
            self._keeping.step()
        with suppress(OSError):  # a board that is full ends no lease
            self._tell(is_silent=is_silent)

    def _tell(self, *, is_silent: bool) -> None:
        board = self._site.board
        if is_silent:
            trouble.tell(board, LEASE, _SAID)
            trouble.give_up(board, _UNIT)
        else:
            trouble.forget(board, LEASE)
