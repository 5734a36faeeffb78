"""One request on its way: who calls, what with, and how an answer is made of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from control.ports import Clock, Tokens
from control.said.problems import Detail
from control.web.auth import Caller
from control.web.http import (
    NONE,
    Kind,
    Request,
    Response,
    json_response,
    text_response,
    wanted,
)
from control.web.last_tick import LastTick
from control.web.problems import refuse
from control.web.roster import Roster
from control.web.site import DevicesLike, Place, SwitchLike


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What handlers work with."""

    switch: SwitchLike
    devices: DevicesLike
    tokens: Tokens
    roster: Roster
    clock: Clock
    place: Place
    last_tick: LastTick


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request that was let in; `caller` is None where no token is needed."""

    request: Request
    tools: Tools
    caller: Caller | None = None

    @property
    def by(self) -> Caller:
        """The caller of a route that needs one."""
        assert self.caller is not None
        return self.caller

    @property
    def now(self) -> datetime:
        """The instant of the clock."""
        return self.tools.clock.now()

    @property
    def named(self) -> str | None:
        """The machine of `?machine=`, which must be one of ours."""
        name = self.request.query.get("machine")
        return self.known(name) if name is not None else None

    @property
    def machine(self) -> str:
        """The machine of `?machine=`, or the first."""
        return self.named or self.tools.switch.machines[0]

    @property
    def every(self) -> tuple[str, ...]:
        """The machine of `?machine=`, or all."""
        return (self.named,) if self.named else self.tools.switch.machines

    def known(self, name: str) -> str:
        """Return the name of a machine, or end with a 404 that names the known."""
        machines = self.tools.switch.machines
        if name in machines:
            return name
        known = ", ".join(machines)
        raise refuse(Detail.NO_SUCH_MACHINE.of(known=known), machines=list(machines))

    def answer(
        self,
        status: int,
        document: Mapping[str, Any],
        sentence: str,
        headers: Mapping[str, str] = NONE,
    ) -> Response:
        """Answer in the kind that was asked for."""
        if wanted(self.request) is Kind.TEXT:
            return text_response(status, sentence, headers)
        return json_response(status, document, headers)
