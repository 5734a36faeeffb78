"""The host in this process: what reaches the app, and what becomes of its answers."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from local.clock import SharedClock
from local.functions.host import FunctionFailed, Host
from local.functions.server import serve
from local.functions.timers import Timers
from local.functions.wire import Request, Response
from local.functions.worker import AppError
from local.ports import PortInUse

SAMPLE = Path(__file__).parent / "sample_app"
START = datetime(2026, 11, 30, 10, 0, 30, tzinfo=UTC)


@pytest.fixture
def clock(tmp_path: Path) -> SharedClock:
    return SharedClock.create(tmp_path / "clock.json", START, speed=0)


@pytest.fixture
def host(clock: SharedClock) -> Iterator[Host]:
    host = Host.load(SAMPLE, environ={"SETTING": "given"}, clock=clock)
    yield host
    assert host.close(within=5)


@pytest.fixture
def client(host: Host) -> Iterator[httpx.Client]:
    with (
        serve(host) as server,
        httpx.Client(base_url=server.url, timeout=10, trust_env=False) as client,
    ):
        yield client


def _get(host: Host, path: str, method: str = "GET") -> Response:
    return host.answer(Request(method=method, path=path))


def _ticks(host: Host) -> list[dict[str, object]]:
    ticks: list[dict[str, object]] = json.loads(_get(host, "/time").text)["ticks"]
    return ticks


def test_a_request_reaches_the_app_as_in_azure(client: httpx.Client) -> None:
    """Names are lower-cased, repeats joined, empty values dropped, the body bytes."""
    asked = "/echo/a%20b%2Fc?x=1&x=2&empty=&y=%C3%A9"
    answer = client.post(
        asked,
        headers=[("X-Twice", "1"), ("x-twice", "2"), ("X-Empty", "")],
        content=b"\x00\xff",
    )
    seen = answer.json()
    assert answer.headers["content-type"] == "application/json"
    assert seen["method"] == "POST"
    assert seen["url"] == f"{client.base_url}{asked}"
    assert seen["query"] == {"x": "1,2", "y": "é"}
    assert seen["params"] == {"id": "a b%2Fc"}
    assert seen["headers"]["x-twice"] == "1,2"
    assert "x-empty" not in seen["headers"]
    assert seen["body"] == "\x00\xff"


def test_a_chunked_body_reaches_the_app_empty(client: httpx.Client) -> None:
    """Without a Content-Length Python gets nothing, and the connection stays usable."""
    seen = client.post("/echo", content=iter([b"some", b"thing"])).json()
    assert seen["headers"]["transfer-encoding"] == "chunked"
    assert seen["body"] == ""
    assert client.get("/echo/fixed").text == "fixed"


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_a_route_without_methods_takes_all(client: httpx.Client, method: str) -> None:
    """Which methods are allowed is then the app's own business."""
    assert client.request(method, "/echo").json()["method"] == method


def test_head_gets_the_headers_without_the_body(client: httpx.Client) -> None:
    """HEAD runs the function, and its length is told but not sent."""
    answer = client.head("/echo")
    assert answer.status_code == 200
    assert answer.content == b""
    assert int(answer.headers["content-length"]) > 0
    assert client.get("/").text == "front"


def test_an_unknown_path_or_method_is_an_empty_404(client: httpx.Client) -> None:
    """What no route takes never reaches the app."""
    for method, path in (("GET", "/unknown"), ("GET", "/x/y")):
        answer = client.request(method, path)
        assert (answer.status_code, answer.content) == (404, b"")


def test_a_registered_method_is_the_only_one(client: httpx.Client) -> None:
    """Another method falls to the next route, here the one with a parameter."""
    assert client.get("/echo/fixed").text == "fixed"
    assert client.post("/echo/fixed").json()["params"] == {"id": "fixed"}


@pytest.mark.parametrize("path", ["/raise", "/nothing"])
def test_a_failure_is_an_empty_500(
    client: httpx.Client, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    """The client learns nothing; the log tells what happened."""
    answer = client.get(path)
    assert (answer.status_code, answer.content) == (500, b"")
    assert "failed" in caplog.text
    if path == "/raise":
        assert "the app's own failure" in caplog.text


def test_a_function_that_runs_too_long_is_given_up(host: Host) -> None:
    """host.json's functionTimeout ends the wait with a 500."""
    try:
        assert _get(host, "/hang").status == 500
    finally:
        host.module.release.set()


def test_cookies_stay_apart_and_keep_their_attributes(client: httpx.Client) -> None:
    """Set-Cookie is the one header that may be repeated."""
    answer = client.get("/cookies")
    assert answer.status_code == 204
    assert answer.headers.get_list("set-cookie") == [
        "a=1; path=/; secure; samesite=strict; httponly",
        "b=2; max-age=60",
    ]


def test_a_guarded_function_wants_the_key(client: httpx.Client) -> None:
    """A function with an auth level other than anonymous is 401 without its key."""
    assert client.get("/guarded").status_code == 401
    assert client.get("/guarded", headers={"x-functions-key": "local"}).text == "in"


def test_requests_run_at_once(host: Host, client: httpx.Client) -> None:
    """Four callers that wait for each other all get their answer."""
    with ThreadPoolExecutor(4) as callers:
        answers = list(callers.map(lambda _: client.get("/meet").text, range(4)))
    assert answers == ["met"] * 4
    assert host.routes


def test_the_app_is_given_the_clock_and_the_settings(
    host: Host, clock: SharedClock
) -> None:
    """A module's root is made anew with the local host's environment and clock."""
    clock.advance(timedelta(hours=3))
    told = json.loads(_get(host, "/time").text)
    assert told["now"] == "2026-11-30T13:00:30+00:00"
    assert told["setting"] == "given"


def test_without_a_clock_the_app_keeps_its_own_root() -> None:
    """Only a clock that was asked for is put in."""
    host = Host.load(SAMPLE)
    try:
        assert type(host.module.root.clock).__name__ == "RealClock"
    finally:
        host.close()


def test_a_second_app_in_one_process_starts_afresh(clock: SharedClock) -> None:
    """Loading again drops the module, so that nothing is remembered."""
    first = Host.load(SAMPLE, environ={}, clock=clock)
    first.tick()
    assert len(_ticks(first)) == 1
    first.close()
    second = Host.load(SAMPLE, environ={}, clock=clock)
    assert _ticks(second) == []
    second.close()


def test_an_app_that_does_not_import_is_refused(tmp_path: Path) -> None:
    """The error tells the cause, where Azure would show no functions at all."""
    (tmp_path / "host.json").write_text('{"version": "2.0"}')
    (tmp_path / "function_app.py").write_text("import no_such_module\n")
    with pytest.raises(AppError, match="no_such_module"):
        Host.load(tmp_path)


def test_a_tick_by_hand_has_ended_when_it_returns(host: Host) -> None:
    """Tests that move time need to know that the run is over."""
    host.tick()
    host.tick(past_due=True)
    assert [tick["past_due"] for tick in _ticks(host)] == [False, True]


def test_a_failed_tick_is_raised(clock: SharedClock) -> None:
    """What the timer's function raised reaches the test."""
    host = Host.load(SAMPLE, environ={"TICK_FAILS": "1"}, clock=clock)
    with pytest.raises(FunctionFailed, match="the tick's own failure"):
        host.tick()
    host.close()


def test_the_admin_route_runs_a_timer(host: Host, client: httpx.Client) -> None:
    """With the key it is 202 at once, or 200 after the run's end; else 401 and 404."""
    path, key = "/admin/functions/tick", {"x-functions-key": "local"}
    assert client.post(path, json={"input": ""}).status_code == 401
    assert client.post("/admin/functions/echo", headers=key).status_code == 404
    assert client.get(path, headers=key).status_code == 404
    waited = client.post(f"{path}?wait=true", headers=key, json={"input": ""})
    assert waited.status_code == 200
    assert len(_ticks(host)) == 1
    assert client.post(path, headers=key, json={"input": ""}).status_code == 202
    _until(lambda: len(_ticks(host)) == 2)


def test_timers_follow_the_shared_clock(host: Host, clock: SharedClock) -> None:
    """An occurrence comes when virtual time reaches it, and missed ones make one."""
    with Timers(host):
        assert not _ticks(host)
        clock.advance(timedelta(seconds=30))
        _until(lambda: len(_ticks(host)) == 1)
        clock.advance(timedelta(minutes=10))
        _until(lambda: len(_ticks(host)) == 2)
        clock.advance(timedelta(seconds=59))
        threading.Event().wait(0.3)
    assert _ticks(host) == [
        {"at": "2026-11-30T10:01:00+00:00", "past_due": False},
        {"at": "2026-11-30T10:11:00+00:00", "past_due": False},
    ]


def test_only_the_call_after_a_stop_is_past_due(
    host: Host, clock: SharedClock, tmp_path: Path
) -> None:
    """What came due while no host ran is made up for once, at the start."""
    status = tmp_path / "timers.json"
    with Timers(host, status):
        _until(status.exists)
    clock.advance(timedelta(minutes=5))
    with Timers(host, status):
        _until(lambda: len(_ticks(host)) == 1)
        clock.advance(timedelta(minutes=1))
        _until(lambda: len(_ticks(host)) == 2)
    assert [tick["past_due"] for tick in _ticks(host)] == [True, False]


def test_a_taken_port_is_said(host: Host) -> None:
    """A second listener on the port gets a sentence."""
    with (
        serve(host) as server,
        pytest.raises(PortInUse, match="in use"),
        serve(host, server.port),
    ):
        pass


def _until(holds: object, seconds: float = 5) -> None:
    assert callable(holds)
    end = datetime.now(UTC) + timedelta(seconds=seconds)
    while not holds():
        assert datetime.now(UTC) < end
        threading.Event().wait(0.02)
