"""What a route is: who answers it, to whom, and what the contract says of it."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPMethod
from typing import Any

from pydantic import BaseModel

from control.ports import Scope
from control.web.auth import Trust
from control.web.call import Call
from control.web.http import Response

type Handler = Callable[[Call], Response]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One route; its template is in the syntax of Azure Functions.

    `scope` None needs no token; `trust` is what a known token may still do while the
    vault cannot be reached.
    """

    name: str
    template: str
    method: HTTPMethod
    handler: Handler
    about: str
    scope: Scope | None = None
    trust: Trust = Trust.NOTHING
    body: type[BaseModel] | None = None
    query: tuple[str, ...] = ()
    answers: tuple[tuple[int, Any], ...] = ()
    slugs: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The template as a path of the contract."""
        return "/" if ":maxlength(0)" in self.template else f"/{self.template}"

    @property
    def allow(self) -> str:
        """The methods that it takes."""
        head = ("HEAD",) if self.method is HTTPMethod.GET else ()
        return ", ".join((self.method, *head, "OPTIONS"))
