"""The control plane: what this machine tells it, and what it answers.

The token is read for each report, so that a new one counts at once; a 401 asks for the
vault to be read again. An answer is put on the board with the instant it came.
"""

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from agent import boot, keeper, report, trouble
from agent.command import Deadline
from agent.errors import AgentError, Passing
from agent.keeper import Answer
from agent.lease import LEASE
from agent.patience import patiently
from agent.site import Site
from agent.web import Request, ask, bearer

ANSWER, GAUGES = "answer", "gauges"
TOKEN = "token-vm"  # noqa: S105 - a file's name, no secret
WANTED = "secrets-wanted"
_PATH = "/vm/heartbeat"
INSTANCE_SECONDS = 5.0
_OLD = 90.0
_WANTED_EVERY = 60.0
_OK, _UNKNOWN = 200, 401
_SETUP = "setup"


@dataclass(frozen=True)
class Control:
    """The way to the control plane."""

    site: Site

    def report(self, seconds: float) -> None:
        """Send one heartbeat and put the answer on the board.

        Raises:
            AgentError: there was no good answer, and why.
        """
        token = self._token()
        content = json.dumps(self._body()).encode()
        headers = {**bearer(token), "Content-Type": "application/json"}
        url = self.site["PUBLIC_URL"].rstrip("/") + _PATH
        asked = Request(method="POST", url=url, headers=headers, body=content)
        reply = ask(asked, seconds)
        if reply.status == _UNKNOWN:
            self._want_secrets()
        if reply.status != _OK:
            raise AgentError(f"the control plane answered {reply.status}.")
        heard = {"heard_at": boot.uptime(), "body": reply.json()}
        self.site.board.put(ANSWER, heard)

    def answer(self) -> tuple[Answer, float] | None:
        """Return the last good answer and when it came; None where there is none."""
        said = self.site.board.get(ANSWER)
        try:
            heard_at = float(said["heard_at"])
            return keeper.read(said["body"], self.site.limits), heard_at
        except (KeyError, TypeError, ValueError):
            return None

    def is_setup(self, within: float = 0.0) -> bool:
        """Whether this session is for the first download; not where it says nothing.

        Args:
            within: for so many seconds an answer may still come.
        """

        def attempt() -> bool:
            heard = self.answer()
            if heard is None:
                raise Passing("the control plane has not answered yet.", 1.0)
            return heard[0].purpose == _SETUP

        try:
            return patiently(attempt, Deadline(within))
        except Passing:
            return False

    @cached_property
    def _machine(self) -> str:
        return replace(self.site.bare_imds, patience=INSTANCE_SECONDS).instance().name

    def _token(self) -> str:
        place = self.site.run / "secrets" / TOKEN
        try:
            token = place.read_text(errors="replace").strip()
        except OSError:
            token = ""
        if not token:
            self._want_secrets()
            raise AgentError("the token for the control plane is not here yet.")
        return token

    def _want_secrets(self) -> None:
        """Touch what a path unit watches: it starts `secrets`, once in a minute."""
        now = boot.uptime()
        wanted_at = self.site.board.get(WANTED).get("at")
        if not isinstance(wanted_at, float) or now - wanted_at >= _WANTED_EVERY:
            self.site.board.put(WANTED, {"at": now})

    def _body(self) -> dict[str, Any]:
        board, uptime = self.site.board, boot.uptime()
        return report.body(
            machine=self._machine,
            boot_id=boot.identity(),
            uptime=uptime,
            phase=trouble.phase(board),
            gauges=self._gauges(uptime),
            lease=board.get(LEASE),
        )

    def _gauges(self, uptime: float) -> dict[str, Any]:
        """Return the gauges; what nobody has read lately is not known."""
        gauges = self.site.board.get(GAUGES)
        read_at = gauges.get("at")
        fresh = isinstance(read_at, float) and uptime - read_at <= _OLD
        return gauges if fresh else {}
