"""Problem documents: one table of slugs, and nothing that makes a phone repeat."""

import pytest

from control.requests import Refusal
from control.said.problems import PROBLEMS, Detail
from control.said.refusals import Refused
from control.web.http import Request
from control.web.problems import Problem, of_refusal
from control.web.routes import ROUTES
from tests.unit.web.support import document, slug

JSON = Request(method="POST")
TEXT = Request(method="POST", headers={"accept": "text/plain"})


def test_every_problem_has_a_sentence_and_every_sentence_a_problem() -> None:
    """A slug without a status would be a 500 of its own."""
    assert {one.sentence.slug for one in (*Refused, *Detail)} == PROBLEMS.keys()


def test_every_slug_of_the_contract_is_in_the_table() -> None:
    """What a route promises can be answered."""
    promised = {name for route in ROUTES for name in route.slugs}
    assert promised <= PROBLEMS.keys()


def test_408_is_never_sent() -> None:
    """Phone clients repeat a POST on it."""
    assert 408 not in {status for status, _ in PROBLEMS.values()}


STATUSES = {
    "other-controller": 409,
    "budget-exhausted": 402,
    "budget-period-over": 402,
    "stopping": 409,
    "locked": 423,
    "too-many-starts": 429,
    "start-failed": 503,
    "no-machine": 503,
    "ledger-unverified": 503,
    "azure-unavailable": 503,
    "not-running": 409,
    "beyond-limit": 422,
    "token-unknown": 401,
    "token-revoked": 401,
    "not-allowed": 403,
    "vault-unavailable": 503,
    "code-spent": 410,
}


@pytest.mark.parametrize("name", STATUSES)
def test_the_statuses_are_those_of_the_contract(name: str) -> None:
    """Each slug of the design has its status."""
    assert PROBLEMS[name][0] == STATUSES[name]


def test_a_problem_is_a_document_of_rfc_9457() -> None:
    """Type, title, status, detail, and the fields that help."""
    refusal = Refusal(
        told=Refused.STOPPING.of(),
        retry_after=60,
        fields={"since": "10:00"},
    )
    answer = of_refusal(refusal).response(JSON)
    assert slug(answer) == "stopping"
    assert answer.status == 409
    assert answer.headers["Retry-After"] == "60"
    assert document(answer) == {
        "type": "/problems/stopping",
        "title": "It is being switched off",
        "status": 409,
        "detail": "Not started: the machine is being switched off. Try again in a "
        "minute.",
        "since": "10:00",
    }


@pytest.mark.parametrize("seconds", [0, -5])
def test_retry_after_is_never_zero(seconds: int) -> None:
    """OkHttp repeats a POST at once on 503 with 0."""
    problem = Problem(told=Refused.STOPPING.of(), retry_after=seconds)
    assert problem.response(JSON).headers["Retry-After"] == "1"


def test_a_problem_as_text_is_its_detail() -> None:
    """Text and JSON say the same, with the same status and headers."""
    problem = Problem(told=Detail.NO_LENGTH.of(), retry_after=9)
    answer = problem.response(TEXT)
    assert answer.status == 411
    assert answer.body.startswith(b"Not done: the request came without its length.")
    assert answer.body.endswith(b"such as {}.\n")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Retry-After"] == "9"
