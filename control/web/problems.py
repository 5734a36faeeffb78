"""RFC 9457 problem documents: every slug with its title and status in one table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from control.errors import ControlError
from control.requests import Refusal
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

# 408 is not among them: phone clients repeat a POST on it.
TITLES: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "azure-unavailable": (503, "Azure does not answer"),
        "bad-body": (422, "The body is not usable"),
        "bad-query": (422, "The query is not usable"),
        "beyond-limit": (422, "Beyond a limit"),
        "budget-exhausted": (402, "The budget is exhausted"),
        "budget-period-over": (402, "Outside the budget's period"),
        "code-spent": (410, "The code is spent"),
        "internal": (500, "A fault of the switch"),
        "ledger-unverified": (503, "The ledger is not verified"),
        "length-required": (411, "The body's length is missing"),
        "locked": (423, "Locked"),
        "method-not-allowed": (405, "Not this method"),
        "misconfigured": (500, "The settings are not usable"),
        "no-machine": (503, "The machine is gone"),
        "not-allowed": (403, "Not allowed"),
        "not-found": (404, "Not found"),
        "not-running": (409, "Not running"),
        "other-controller": (409, "Another switch controls the machine"),
        "start-failed": (503, "The start failed"),
        "stopping": (409, "Being switched off"),
        "timer-stale": (503, "The timer has stopped"),
        "token-revoked": (401, "The token was revoked"),
        "token-unknown": (401, "The token is not known"),
        "too-large": (413, "The body is too large"),
        "too-many-starts": (429, "Too many starts"),
        "unknown-device": (404, "No such device"),
        "unknown-machine": (404, "No such machine"),
        "unknown-session": (404, "No such session"),
        "vault-unavailable": (503, "The vault does not answer"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why something was not done; `detail` begins with the outcome."""

    slug: str
    detail: str
    retry_after: int | None = None
    fields: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = NONE

    @property
    def status(self) -> int:
        """The HTTP status of its slug."""
        return TITLES[self.slug][0]

    def document(self) -> dict[str, object]:
        """Return the problem document."""
        status, title = TITLES[self.slug]
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


def of_refusal(refusal: Refusal) -> Problem:
    """Return the problem of a request that the switch did not grant."""
    return Problem(
        slug=refusal.slug,
        detail=refusal.detail,
        retry_after=refusal.retry_after,
        fields=dict(refusal.fields),
    )


def refuse(slug: str, detail: str, **fields: object) -> Refused:
    """Return what to raise for a problem that waiting does not mend."""
    return Refused(Problem(slug=slug, detail=detail, fields=fields))


INTERNAL = Problem(
    slug="internal",
    detail="Failed: the switch has a fault; it is in its log. Look at the status "
    "before you try again.",
)
LEDGER = Problem(
    slug="ledger-unverified",
    detail="Not done: the ledger cannot be read or written. Stop still works.",
    retry_after=30,
)
AZURE = Problem(
    slug="azure-unavailable",
    detail="Not done: Azure does not answer. Try again soon.",
    retry_after=30,
)
