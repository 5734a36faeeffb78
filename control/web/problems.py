"""RFC 9457 problem documents, and the exception that ends a request with one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from control.errors import ControlError
from control.requests import Refusal
from control.said.book import Told, plain
from control.said.problems import PROBLEMS, Detail
from control.web.http import (
    NONE,
    Kind,
    Request,
    Response,
    json_response,
    text_response,
    wanted,
)

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why something was not done, by a sentence that begins with the outcome.

    `form` says an instant as its reader does.
    """

    told: Told
    form: Callable[[object], object] = plain
    retry_after: int | None = None
    fields: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = NONE

    @property
    def slug(self) -> str:
        """Which problem of the contract it is."""
        return self.told.said.sentence.slug

    @property
    def detail(self) -> str:
        """The sentence."""
        return self.told.text(self.form)

    @property
    def status(self) -> int:
        """The HTTP status of its slug."""
        return PROBLEMS[self.slug][0]

    def document(self) -> dict[str, object]:
        """Return the problem document."""
        status, title = PROBLEMS[self.slug]
        return {
            "type": f"/problems/{self.slug}",
            "title": title,
            "status": status,
            "detail": self.detail,
            **self.fields,
        }

    def response(self, request: Request) -> Response:
        """Return the answer in the kind that was asked for."""
        headers = dict(self.headers)
        if self.retry_after is not None:
            headers["Retry-After"] = str(max(self.retry_after, 1))
        if wanted(request) is Kind.TEXT:
            return text_response(self.status, self.detail, headers)
        return json_response(self.status, self.document(), headers, MEDIA_TYPE)


class Refused(ControlError):
    """Ends a request with a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.slug)
        self.problem = problem


def of_refusal(refusal: Refusal, form: Callable[[object], object] = plain) -> Problem:
    """Return the problem of a request that the switch did not grant."""
    return Problem(
        told=refusal.told,
        form=form,
        retry_after=refusal.retry_after,
        fields=dict(refusal.fields),
    )


def refuse(told: Told, **fields: object) -> Refused:
    """Return what to raise for a problem that waiting does not mend."""
    return Refused(Problem(told=told, fields=fields))


INTERNAL = Problem(told=Detail.INTERNAL.of())
LEDGER = Problem(told=Detail.LEDGER.of(), retry_after=30)
AZURE = Problem(told=Detail.AZURE.of(), retry_after=30)
