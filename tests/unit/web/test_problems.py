"""Problem documents: one table of slugs, and nothing that makes a phone repeat."""

import re
from pathlib import Path

import pytest

from control.requests import Refusal
from control.web.http import Request
from control.web.problems import TITLES, Problem, of_refusal
from control.web.routes import ROUTES
from tests.unit.web.support import document, slug

ROOT = Path(__file__).parents[3]
JSON = Request(method="POST")
TEXT = Request(method="POST", headers={"accept": "text/plain"})


def test_every_slug_in_the_code_is_in_the_table() -> None:
    """A slug without a status would be a 500 of its own."""
    found = {
        name
        for path in ROOT.glob("control/**/*.py")
        for name in re.findall(r'(?:slug=|refuse\(\s*)"([a-z-]+)"', path.read_text())
    }
    assert len(found) > 20
    assert found <= TITLES.keys()


def test_every_slug_of_the_contract_is_in_the_table() -> None:
    """What a route promises can be answered."""
    promised = {name for route in ROUTES for name in route.slugs}
    assert promised <= TITLES.keys()


def test_408_is_never_sent() -> None:
    """Phone clients repeat a POST on it."""
    assert 408 not in {status for status, _ in TITLES.values()}


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
    assert TITLES[name][0] == STATUSES[name]


def test_a_problem_is_a_document_of_rfc_9457() -> None:
    """Type, title, status, detail, and the fields that help."""
    refusal = Refusal(
        slug="stopping",
        detail="Not started: it is being switched off.",
        retry_after=60,
        fields={"since": "10:00"},
    )
    answer = of_refusal(refusal).response(JSON)
    assert slug(answer) == "stopping"
    assert answer.status == 409
    assert answer.headers["Retry-After"] == "60"
    assert document(answer) == {
        "type": "/problems/stopping",
        "title": "Being switched off",
        "status": 409,
        "detail": "Not started: it is being switched off.",
        "since": "10:00",
    }


@pytest.mark.parametrize("seconds", [0, -5])
def test_retry_after_is_never_zero(seconds: int) -> None:
    """OkHttp repeats a POST at once on 503 with 0."""
    problem = Problem(slug="stopping", detail="x", retry_after=seconds)
    assert problem.response(JSON).headers["Retry-After"] == "1"


def test_a_problem_as_text_is_its_detail() -> None:
    """Text and JSON say the same, with the same status and headers."""
    problem = Problem(slug="locked", detail="Not started: locked.", retry_after=9)
    answer = problem.response(TEXT)
    assert (answer.status, answer.body) == (423, b"Not started: locked.\n")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Retry-After"] == "9"
