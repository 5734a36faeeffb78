"""Calls as they really come: slow, twice, cut off, by robots (B06 to B08, B10, B11)."""

import logging
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import pytest

from control.web.route import Route
from control.web.routes import ROUTES
from local.azure import Kind
from tests.scenario.world import MACHINE, OPERATOR, PHONE, SHORT, Person, World

ROOT = Path(__file__).parents[2]
STARTS = frozenset({Kind.VM_START})
ROBOTS = (
    "TelegramBot (like TwitterBot)",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "facebookexternalhit/1.1",
)
PARTS = {"id": "01JDQ0000000000000000000000", "name": "iphone", "*path": "nowhere"}


def _path(route: Route) -> str:
    """Return an address of a route."""
    return "/" + re.sub("{(.+?)}", lambda part: PARTS.get(part[1], ""), route.template)


def _until(seen: Callable[[], bool], seconds: float = 10) -> None:
    """Wait for something that another thread brings about."""
    end = time.monotonic() + seconds
    while not seen():
        assert time.monotonic() < end
        threading.Event().wait(0.02)


def test_b06_a_start_that_azure_takes_slowly_is_answered_and_not_repeated(
    world: World,
) -> None:
    """From a cold process: a pending session in time, the same one for a second tap."""
    world.azure.faults.arm("accepted_slowly", seconds=7, kinds=STARTS)
    world.build_anew()
    with ThreadPoolExecutor(1) as pool:
        began = time.monotonic()
        first = pool.submit(world.phone.post, "/start")
        _until(lambda: world.azure.vm.power.value == "starting")
        second = world.phone.post("/start")
        assert not first.done()
        answer = first.result()
    assert time.monotonic() - began < 10
    assert (answer.status_code, second.status_code) == (202, 200)
    assert "Azure has not answered" in answer.json()["summary"]
    assert answer.json()["session"]["id"] == second.json()["session"]["id"]
    assert answer.json()["state"] == second.json()["state"] == "starting"
    assert world.phone.post("/start").status_code == 200
    world.azure.vm.behave(takes=SHORT)
    world.until("ready", most=5)
    _until(lambda: world.sent(Kind.VM_START) > 0)
    assert world.sent(Kind.VM_START) == 1
    assert len(world.sessions()) == 1


def test_b07_ten_taps_at_once_are_one_start(world: World) -> None:
    """One 202, nine 200 with its session, one ARM start, one row; so it stays."""
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: world.phone.post("/start"), range(10)))
    assert sorted(answer.status_code for answer in answers) == [200] * 9 + [202]
    world.minutes(2 / 60)
    answers.append(world.phone.post("/start"))
    assert answers[-1].status_code == 200
    assert len({answer.json()["session"]["id"] for answer in answers}) == 1
    assert world.sent(Kind.VM_START) == 1
    rows = world.rows().splitlines()
    assert len([row for row in rows if f"{MACHINE} session:" in row]) == 1
    assert len([row for row in rows if f"{MACHINE} lease " in row]) == 1


def test_b07_a_start_a_minute_after_a_stop_is_another_session(world: World) -> None:
    """While it stops 409 with a wait; once it is off a tap is a start of its own."""
    first = world.ready()["session"]["id"]
    world.azure.vm.behave(beats=False)
    world.phone.post("/stop")
    refused = world.phone.post("/start")
    assert refused.status_code == 409
    assert int(refused.headers["Retry-After"]) > 0
    world.until("off", most=3)
    again = world.phone.post("/start")
    assert again.status_code == 202
    assert again.json()["session"]["id"] != first
    assert world.sent(Kind.VM_START) == 2
    assert len(world.sessions()) == 2


def _give_up(world: World, path: str, power: str) -> None:
    """POST, and close the socket while Azure is still at it."""
    host, port = world.base.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=5) as phone:
        phone.sendall(
            f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\n"
            f"Authorization: Bearer {PHONE}\r\n\r\n{{}}".encode()
        )
        _until(lambda: world.azure.vm.power.value == power)


def test_b08_a_start_that_was_given_up_is_found_by_the_next_tap(world: World) -> None:
    """The phone closes its socket while Azure is slow: 200, already, since when."""
    world.azure.faults.arm("accepted_slowly", seconds=3, kinds=STARTS)
    _give_up(world, "/start", "starting")
    answer = world.phone.call("POST", "/start", {}, Accept="text/plain")
    assert answer.status_code == 200
    assert answer.text.startswith("Already asked for. Starting, asked at 11:00.")
    world.azure.vm.behave(takes=SHORT)
    world.until("ready", most=5)
    _until(lambda: world.sent(Kind.VM_START) > 0)
    assert world.sent(Kind.VM_START) == 1
    assert len(world.sessions()) == 1


def test_b08_a_stop_that_was_given_up_is_found_by_the_next_tap(world: World) -> None:
    """The same with a stop: it goes on, and the tap after it sends no second one."""
    world.ready()
    world.azure.vm.behave(beats=False)
    kinds = frozenset({Kind.VM_DEALLOCATE})
    world.azure.faults.arm("accepted_slowly", seconds=3, kinds=kinds)
    _give_up(world, "/stop", "deallocating")
    answer = world.phone.call("POST", "/stop", {}, Accept="text/plain")
    assert answer.status_code == 202
    assert answer.text.startswith("Stopping")
    world.minutes(1.2, ticks=False)
    _until(lambda: world.sent(Kind.VM_DEALLOCATE) > 0)
    world.tick()
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    assert [line["stop_reason"] for line in world.sessions()] == ["user"]
    world.accounted()


def test_b08_what_may_have_been_done_says_look_first(world: World) -> None:
    """The ledger is lost on the way: not "failed", but where to look."""
    world.phone.status()
    world.azurite.stop()
    try:
        answer = world.phone.call("POST", "/start", {}, Accept="text/plain")
    finally:
        world.azurite.start()
    assert answer.status_code == 503
    assert answer.text.startswith("Not confirmed")
    assert "Look at the status before you press again" in answer.text


LOOKS = ("GET", "HEAD", "OPTIONS")
COUNTING = (" lease ", " session:", " journal:", " total:")


def _counting(world: World) -> list[str]:
    rows = world.rows().splitlines()
    return [row for row in rows if any(word in row for word in COUNTING)]


def _visits(world: World) -> Iterator[tuple[Route, str, Person, str]]:
    """Yield every route by every method that looks, for who may all and nothing."""
    people = (world.operator, world.stranger)
    for number, (route, method, person) in enumerate(product(ROUTES, LOOKS, people)):
        yield route, method, person, ROBOTS[number % len(ROBOTS)]


@pytest.mark.parametrize("state", ["off", "ready"])
def test_b10_what_only_looks_changes_nothing(world: World, state: str) -> None:
    """Every route by GET, HEAD and OPTIONS, with and without a key, by three robots."""
    world.tick()
    if state == "ready":
        world.ready()
    world.operator.status()
    counting = _counting(world)
    for route, method, person, robot in _visits(world):
        rows, calls = world.rows(), len(world.azure.log.seen)
        answer = person.call(method, _path(route), **{"User-Agent": robot})
        assert answer.status_code < 500, (route.name, method)
        if method == "GET" and route.method == "POST":
            assert answer.status_code == 405, route.name
        if method != "GET" or person.token is None:
            assert world.rows() == rows, (route.name, method)
            assert len(world.azure.log.seen) == calls, (route.name, method)
    assert _counting(world) == counting
    starts = 1 if state == "ready" else 0
    assert world.sent(Kind.VM_START) == starts
    assert world.sent(Kind.VM_DEALLOCATE) == 0
    assert world.azure.log.of(Kind.VM_POWER_OFF) == []


SECRET = "SECRETX"


def _everything_said(world: World, caplog: pytest.LogCaptureFixture) -> str:
    notices = [str(notice.body) for notice in world.azure.sink.notices]
    assert notices
    lines = [line for line in caplog.records if line.name != "host.server"]
    logged = [f"{line.getMessage()} {line.exc_text or ''}" for line in lines]
    assert any("control." in line.name for line in lines)
    return "\n".join([world.rows(), *notices, *logged])


def test_b11_a_key_in_the_address_or_a_header_is_nowhere_kept(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Every route with `?code=` and as a bearer: no log, row, notice or answer."""
    caplog.set_level(logging.DEBUG)
    wrong = {"Authorization": f"Bearer {SECRET}", "x-functions-key": SECRET}
    right = {"Authorization": f"Bearer {OPERATOR}", "x-functions-key": SECRET}
    answers = []
    for route, headers in product(ROUTES, (wrong, right)):
        body: dict[str, str] | None = {} if route.method == "POST" else None
        address = f"{world.base}{_path(route)}?code={SECRET}&token={SECRET}"
        sent = headers | {"Referer": address, "Cookie": f"key={SECRET}"}
        answer = world.client.request(route.method, address, json=body, headers=sent)
        answers.append(f"{answer.headers} {answer.text}")
    world.azurite.stop()
    try:
        for path in ("/start", "/status", "/sessions"):
            address = f"{world.base}{path}?code={SECRET}"
            answers.append(world.client.post(address, headers=right, json={}).text)
    finally:
        world.azurite.start()
    world.phone.post("/stop")
    world.minutes(2)
    assert not [answer for answer in answers if SECRET in answer]
    assert SECRET not in _everything_said(world, caplog)


def test_b11_every_recipe_sends_the_token_in_the_header() -> None:
    """No document and no line of the demo has a key in an address."""
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    sources = [*ROOT.glob("control/**/*.py"), *ROOT.glob("local/**/*.py")]
    host = ROOT / "local" / "functions"
    texts = {
        path: path.read_text()
        for path in (*documents, *sources)
        if not path.is_relative_to(host)
    }
    assert ROOT / "README.md" in texts
    keyed = re.compile(r"[?&](code|token|key|sig)=")
    assert [path for path, text in texts.items() if keyed.search(text)] == []
