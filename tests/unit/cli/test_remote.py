"""How a command calls the switch, over a real socket: noise, refusals, waits."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from control.cli.console import note
from control.cli.remote import Remote
from control.errors import CommandError
from control.memory import MemoryClock

NOW = datetime(2026, 12, 1, 10, 0, tzinfo=UTC)
HTML = (503, "text/html", b"<h1>Service Unavailable</h1>")
FINE = (200, "application/json", b'{"ok": true}')
STALE = (503, "application/problem+json", b'{"type": "/problems/x", "ok": false}')

type Answer = tuple[int, str, bytes]


@contextmanager
def answering(answers: list[Answer]) -> Iterator[tuple[Remote, MemoryClock, list[str]]]:
    """Serve these answers, the last one for ever."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            status, kind, body = answers.pop(0) if len(answers) > 1 else answers[0]
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - the same

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=[0.02])
    thread.start()
    clock = MemoryClock(NOW)
    url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        with httpx.Client(trust_env=False) as client:
            yield Remote(client, url, clock, note), clock, seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("awake", [FINE, STALE], ids=["200", "503"])
def test_it_waits_for_the_switchs_own_answer(awake: Answer) -> None:
    """Azure's page, a page with 200 and broken JSON are not it; its own 503 is."""
    page = (200, "text/html", b"<h1>Your app is up and running</h1>")
    broken = (200, "application/json", b"{")
    with answering([HTML, page, broken, awake]) as (remote, clock, seen):
        remote.wait_until_awake()
    assert len(seen) == 4
    assert (clock.now() - NOW).total_seconds() == 1 + 2 + 4


def test_the_wait_has_an_end() -> None:
    """Some three minutes, then a sentence."""
    never = pytest.raises(CommandError, match="does not answer as the switch does")
    with answering([HTML]) as (remote, clock, seen), never:
        remote.wait_until_awake()
    assert 180 <= (clock.now() - NOW).total_seconds() < 200
    assert len(seen) < 40


def test_a_switch_that_is_not_there_is_waited_for_too() -> None:
    """No connection is as good as no answer."""
    clock = MemoryClock(NOW)
    with httpx.Client(trust_env=False) as client:
        said: list[str] = []
        remote = Remote(client, "http://127.0.0.1:9", clock, said.append)
        with pytest.raises(CommandError):
            remote.wait_until_awake()
    assert said == ["Waiting for http://127.0.0.1:9 to answer, up to 3 minutes ..."]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (HTML, "does not answer as the switch does"),
        ((200, "application/json", b"[]"), "does not answer as the switch does"),
        (
            (
                404,
                "application/problem+json",
                json.dumps({"detail": "Not done: there is no such device."}).encode(),
            ),
            "^Not done: there is no such device.$",
        ),
        ((302, "text/html", b""), "does not answer as the switch does"),
    ],
)
def test_a_refusal_is_said_in_the_switchs_words(answer: Answer, words: str) -> None:
    """And noise as noise."""
    ask: list[Callable[[Remote], object]] = [
        lambda remote: remote.code("t", "iphone"),
        lambda remote: remote.devices("t"),
    ]
    for each in ask:
        refused = pytest.raises(CommandError, match=words)
        with answering([answer]) as (remote, _, _), refused:
            each(remote)
