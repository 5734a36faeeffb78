"""Every request before its handler: methods, limits, faults, and what only looks."""

import json
import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from control.decision import Ask
from control.errors import Evidence, LedgerUnavailable, Unavailable
from control.requests import Refusal
from control.said.refusals import Refused, Rule
from control.views import Answer
from control.web.http import SECURITY, Kind, Request, wanted
from control.web.route import Route
from control.web.routes import BY_NAME, CONTRACT, ROUTES
from control.words import Phase, Power
from tests.unit.web.cases import releasing
from tests.unit.web.support import (
    MACHINE,
    NOW,
    OPERATOR,
    PHONE,
    VM,
    Site,
    beat,
    document,
    held,
    off,
    slug,
)

BODIES: dict[str, Any] = {
    "extend": {"minutes": 5},
    "pair": {"code": "0123456789"},
    "heartbeat": {"machine": VM, "boot_id": "b", "phase": "ready"},
}
PARAMS = {"session": {"id": "01JD"}, "device_code": {"name": "iphone"}}


def call(site: Site, route: Route, method: str, **more: Any) -> Any:
    more = {"token": OPERATOR, "params": PARAMS.get(route.name)} | more
    return site.call(route.name, method, **more)


def test_the_routes_are_those_of_the_design() -> None:
    """Path, method and the smallest scope that may call."""
    assert {(r.method, r.path, r.scope) for r in CONTRACT} == {
        ("POST", "/start", "phone"),
        ("POST", "/stop", "phone"),
        ("POST", "/deallocate", "phone"),
        ("POST", "/extend", "phone"),
        ("GET", "/status", "phone"),
        ("GET", "/sessions", "phone"),
        ("GET", "/sessions/{id}", "operator"),
        ("GET", "/devices", "operator"),
        ("POST", "/lock", "operator"),
        ("POST", "/unlock", "operator"),
        ("POST", "/vm/heartbeat", "vm"),
        ("GET", "/", None),
        ("GET", "/ledger", None),
        ("GET", "/sw.js", None),
        ("GET", "/manifest.webmanifest", None),
        ("GET", "/icons/{file}", None),
        ("GET", "/shell/{version}/{file}", None),
        ("POST", "/devices/{name}/code", "operator"),
        ("POST", "/pair", None),
        ("GET", "/healthz", None),
        ("GET", "/openapi.json", None),
    }
    assert len(BY_NAME) == len(ROUTES)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
@pytest.mark.parametrize("token", [None, OPERATOR, PHONE, MACHINE])
def test_head_and_options_run_nothing(
    site: Site, route: Route, token: str | None
) -> None:
    """Link previews: no call of the switch, no vault, no body."""
    for method in ("HEAD", "OPTIONS"):
        answer = call(site, route, method, token=token)
        assert answer.status < 500 or route.name == "healthz"
        assert answer.body == b"" or route.name == "lost"
    assert site.switch.asked == []
    assert site.tokens.reads == 0


@pytest.mark.parametrize("route", CONTRACT, ids=lambda route: route.name)
def test_another_method_is_405_and_does_nothing(site: Site, route: Route) -> None:
    """GET never starts, extends or unlocks; POST never reads."""
    methods = {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - {route.method}
    for method in methods:
        answer = call(site, route, method, body=BODIES.get(route.name))
        assert slug(answer) == "method-not-allowed"
        assert answer.headers["Allow"] == route.allow
    head = call(site, route, "HEAD")
    assert head.status == 405 if route.method == "POST" else head.status != 405
    options = call(site, route, "OPTIONS")
    assert (options.status, options.headers["Allow"]) == (204, route.allow)
    assert site.switch.asked == []
    assert site.tokens.reads == 0


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "DELETE"])
def test_an_unknown_address_is_our_404(site: Site, method: str) -> None:
    """A problem document, so that a phone knows it from a waking platform's page."""
    answer = site.call("lost", method, params={"path": "nowhere"})
    assert slug(answer) == "not-found"
    assert site.tokens.reads == 0


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_every_answer_has_the_security_headers(site: Site, route: Route) -> None:
    """Nothing is sniffed or framed, and no cache keeps an answer of the API."""
    answer = call(site, route, route.method, body=BODIES.get(route.name))
    kept = {"phone_page", "ledger_page", "worker", "manifest"}
    for name, value in SECURITY.items():
        page = route.name in kept and name == "Cache-Control"
        expected = "no-cache" if page else value
        assert answer.headers[name] == expected


@pytest.mark.parametrize(
    ("body", "headers", "expected"),
    [
        (b"x" * (16 * 1024 + 1), {}, "too-large"),
        (b"{}", {"content-length": "16385"}, "too-large"),
        (b"{}", {"content-length": "9" * 5000}, "too-large"),
        (b"", {"transfer-encoding": "chunked"}, "length-required"),
    ],
)
def test_bodies_have_limits(
    site: Site, body: bytes, headers: dict[str, str], expected: str
) -> None:
    """413 over 16 KB, 411 for a body that the platform would hand over empty."""
    answer = site.app.answer(
        "start",
        Request(
            method="POST",
            body=body,
            headers={"authorization": f"Bearer {PHONE}"} | headers,
        ),
    )
    assert slug(answer) == expected
    assert site.switch.asked == []


def test_a_chunked_body_with_its_length_is_read(site: Site) -> None:
    """Both headers: the platform read the body."""
    more: dict[str, Any] = {"transfer_encoding": "chunked", "content_length": "13"}
    assert site.call("extend", body={"minutes": 5}, **more).status == 200
    largest = json.dumps({"note": "x" * 1900}).encode().ljust(16 * 1024)
    assert site.call("start", body=largest).status == 200


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("", Kind.JSON),
        ("*/*", Kind.JSON),
        ("text/plain", Kind.TEXT),
        ("TEXT/PLAIN; charset=utf-8", Kind.TEXT),
        ("text/html,application/json;q=0.9,text/plain;q=0.8", Kind.JSON),
        ("text/plain;q=0, application/json", Kind.JSON),
        ("text/csv", Kind.CSV),
        ("text/html", Kind.JSON),
    ],
)
def test_accept_says_which_kind(accept: str, kind: Kind) -> None:
    """The first that we make; JSON where none is named."""
    assert wanted(Request(method="GET", headers={"accept": accept})) is kind


@pytest.mark.parametrize(
    "name", ["start", "stop", "extend", "status", "lock", "unlock"]
)
@pytest.mark.parametrize("refused", [False, True])
def test_text_and_json_say_the_same(site: Site, name: str, *, refused: bool) -> None:
    """The line is the document's summary, or a problem's detail; the status is one."""
    route = BY_NAME[name]
    site.switch.views[VM] = held(heartbeat=beat(Phase.READY))
    if refused:
        site.switch.refusal = Refusal(told=Refused.LOCKED.of())
    body = BODIES.get(name)
    said = call(site, route, route.method, body=body)
    told = call(site, route, route.method, body=body, accept="text/plain")
    assert told.status == said.status
    made = document(said)
    line = made["detail"] if "detail" in made else made["summary"]
    assert told.body.decode() == f"{line}\n"
    assert told.headers["Content-Type"] == "text/plain; charset=utf-8"


def test_a_start_is_202_for_the_call_that_opened_the_session(site: Site) -> None:
    """And 200 for every other while it is held."""
    site.switch.answer = Answer(view=held(Power.DEALLOCATED), opened=True)
    first = site.call("start", body={"hours": "1,5", "note": "demo"})
    assert first.status == 202
    site.switch.answer = Answer(view=held(Power.DEALLOCATED))
    second = site.call("start")
    assert second.status == 200
    assert document(first)["session"]["id"] == document(second)["session"]["id"]
    assert document(second)["links"] == {"chat": "https://chat.example.com"}
    _, _, ask = site.switch.asked[0]
    assert isinstance(ask, Ask)
    assert (ask.device, ask.asked, ask.note) == (
        "iphone",
        timedelta(minutes=90),
        "demo",
    )


def test_until_is_reckoned_from_the_clock_of_the_app(site: Site) -> None:
    """18:00 in Paris is 17:00Z on that day."""
    site.call("start", body={"until": "18:00"})
    assert site.switch.asked[0][2].until == datetime(2026, 11, 30, 17, tzinfo=UTC)


@pytest.mark.parametrize("name", ["stop", "deallocate"])
def test_a_stop_is_202_while_stopping_and_200_when_off(site: Site, name: str) -> None:
    """It has no body to be wrong, and is never refused."""
    assert site.call(name, body=b"not json").status == 200
    site.switch.views[VM] = releasing(Power.RUNNING)
    assert site.call(name).status == 202
    site.switch.views[VM] = off(lease=None, problems=("ledger-unverified",))
    assert site.call(name).status == 200
    assert [asked[:3] for asked in site.switch.asked] == [("stop", VM, "iphone")] * 3


def test_no_body_keeps_a_stop_from_its_work(site: Site) -> None:
    """Whatever a phone sends along, and however."""
    assert site.call("stop", body=b"x" * 20_000).status == 200
    chunked: dict[str, Any] = {"transfer_encoding": "chunked"}
    assert site.call("stop", **chunked).status == 200
    assert len(site.switch.asked) == 2


def test_a_refusal_becomes_its_problem(site: Site) -> None:
    """Slug, sentence, fields and Retry-After are the switch's; the time is ours."""
    site.switch.refusal = Refusal(
        told=Refused.BEYOND.of(at=NOW, rule=Rule.BUDGET.say()),
        retry_after=30,
        fields={"limited_by": "max_runtime"},
    )
    answer = site.call("extend", body={"minutes": 30})
    assert slug(answer) == "beyond-limit"
    assert document(answer)["limited_by"] == "max_runtime"
    assert "until 11:00 at most" in document(answer)["detail"]
    assert answer.headers["Retry-After"] == "30"


def test_an_extend_beyond_the_cap_names_its_field(site: Site) -> None:
    """MAX_RUNTIME_HOURS is the most that can be asked in one go."""
    answer = site.call("extend", body={"minutes": 241})
    assert (slug(answer), document(answer)["field"]) == ("bad-body", "minutes")
    assert site.switch.asked == []


def two() -> Site:
    return Site("vm-1", "vm-2")


@pytest.mark.parametrize("name", ["start", "extend", "status", "sessions"])
def test_without_a_machine_the_first_is_meant(name: str) -> None:
    """`?machine=` names another."""
    site, method = two(), BY_NAME[name].method
    site.call(name, method, token=OPERATOR, body=BODIES.get(name))
    query = {"machine": "vm-2"}
    site.call(name, method, token=OPERATOR, body=BODIES.get(name), query=query)
    assert [asked[1] for asked in site.switch.asked] == ["vm-1", "vm-2"]


@pytest.mark.parametrize("name", ["stop", "lock", "unlock"])
def test_without_a_machine_every_one_is_stopped_or_locked(name: str) -> None:
    """A list of documents, and one line for all."""
    site = two()
    site.switch.views["vm-2"] = releasing(Power.RUNNING)
    answer = site.call(name, token=OPERATOR)
    assert sorted(asked[1] for asked in site.switch.asked) == ["vm-1", "vm-2"]
    made = document(answer)
    assert answer.status == (202 if name == "stop" else 200)
    assert len(made["machines"]) == 2
    lines = [machine["summary"] for machine in made["machines"]]
    assert made["summary"] == " ".join(lines)
    site.switch.asked.clear()
    one = site.call(name, token=OPERATOR, query={"machine": "vm-1"})
    assert [asked[1] for asked in site.switch.asked] == ["vm-1"]
    assert document(one)["machine"] == "vm-1"


def test_one_machines_failure_never_spares_another() -> None:
    """The other is stopped, and the answer says which one failed."""
    site = two()
    site.switch.failing, site.switch.failing_for = RuntimeError("SECRETX"), "vm-1"
    answer = site.call("stop")
    assert sorted(asked[1] for asked in site.switch.asked) == ["vm-1", "vm-2"]
    made = document(answer)
    assert slug(answer) == "internal"
    assert (made["failed"], made["done"]) == (["vm-1"], ["vm-2"])
    assert "SECRETX" not in answer.body.decode()


@pytest.mark.parametrize("name", ["start", "stop", "status", "sessions", "lock"])
def test_an_unknown_machine_is_404_with_the_known_ones(name: str) -> None:
    """Nothing is done to any of them."""
    site, method = two(), BY_NAME[name].method
    answer = site.call(name, method, token=OPERATOR, query={"machine": "vm-3"})
    assert slug(answer) == "unknown-machine"
    assert document(answer)["machines"] == ["vm-1", "vm-2"]
    assert site.switch.asked == []


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (LedgerUnavailable("SECRETX"), "ledger-unverified"),
        (Unavailable(Evidence(message="SECRETX")), "azure-unavailable"),
        (RuntimeError("SECRETX"), "internal"),
        (KeyError("SECRETX"), "internal"),
    ],
)
@pytest.mark.parametrize("name", ["start", "stop", "status", "heartbeat", "sessions"])
def test_a_fault_is_a_problem_that_says_nothing_secret(
    site: Site,
    name: str,
    error: Exception,
    expected: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The log has the kind of the fault and where it came up, not its words."""
    caplog.set_level(logging.DEBUG)
    site.switch.failing = error
    route = BY_NAME[name]
    answer = call(site, route, route.method, body=BODIES.get(name))
    assert slug(answer) == expected
    assert "SECRETX" not in answer.body.decode()
    assert "SECRETX" not in caplog.text
    assert type(error).__name__ in caplog.text
    assert "support.py:" in caplog.text


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
@pytest.mark.parametrize("broken", [False, True])
def test_b11_what_a_caller_sends_is_in_no_log_and_no_answer(
    site: Site, route: Route, *, broken: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """SECRETX as key in the query, in headers, as token and in the body."""
    caplog.set_level(logging.DEBUG)
    site.switch.failing = RuntimeError("SECRETX") if broken else None
    query = {"code": "SECRETX", "token": "SECRETX"}
    for token in (OPERATOR, "SECRETX"):
        for accept in ("text/plain", "application/json"):
            answer = call(
                site,
                route,
                route.method,
                token=token,
                query=query,
                body=b'{"code": "SECRETX", "SECRETX',
                x_functions_key="SECRETX",
                accept=accept,
            )
            shown = f"{answer!r} {answer.body.decode()} {dict(answer.headers)}"
            assert "SECRETX" not in shown
    assert "SECRETX" not in caplog.text
    assert "SECRETX" not in repr(Request(method="GET", query=query, body=b"SECRETX"))
    rows = list(site.table.scan("-", " ", "~"))
    assert "SECRETX" not in repr(rows)


def test_no_token_is_in_any_answer_but_that_of_pairing(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    """Every route with every token: none of the three appears anywhere."""
    caplog.set_level(logging.DEBUG)
    site.switch.ticked = None
    for route in ROUTES:
        for token in (PHONE, OPERATOR, MACHINE):
            answer = call(
                site, route, route.method, token=token, body=BODIES.get(route.name)
            )
            shown = f"{answer.body.decode()} {dict(answer.headers)}"
            assert not any(known in shown for known in (PHONE, OPERATOR, MACHINE))
    rows = repr(list(site.table.scan("-", " ", "~")))
    for known in (PHONE, OPERATOR, MACHINE):
        assert known not in rows
        assert known not in caplog.text


def test_the_answer_to_a_heartbeat_has_the_contracts_fields(site: Site) -> None:
    """And the heartbeat carries our own time of arrival."""
    answer = call(site, BY_NAME["heartbeat"], "POST", body=BODIES["heartbeat"])
    assert document(answer).keys() == {
        "now",
        "session_id",
        "expires_at",
        "drain",
        "idle_minutes",
        "purpose",
        "ready_deadline_minutes",
        "max_runtime_hours",
    }
    assert site.switch.asked[0][2].received_at == NOW


def test_the_status_is_asked_with_the_callers_own_limit(site: Site) -> None:
    """What is offered to a phone hangs on its max_hours."""
    site.get("status")
    site.get("status", token=OPERATOR)
    assert [asked[2] for asked in site.switch.asked] == [3, None]
