"""Reading a range: what a server may do wrong, and what comes of it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from agent import ranges
from agent.errors import AgentError, Passing
from agent.manifest import File
from agent.ranges import MissingError, Place, read

from local.azure.server import Listener
from local.azure.wire import HANG_UP, Reply, Request

BODY = bytes(range(256)) * 40
FILE = File("a b/é.bin", len(BODY), "0" * 64)

type Answer = Callable[[Request], Reply]


class Server:
    """Answers by a queue of faults first, then as it should."""

    name = "the server"

    def __init__(self) -> None:
        self.faults: list[Reply] = []
        self.seen: list[Request] = []
        self.fresh: list[bool] = []
        self.url = ""

    def place(self, path: str, *, fresh: bool) -> Place:
        self.fresh.append(fresh)
        return Place(f"{self.url}/{len(path)}", {"X-Token": "new" if fresh else "old"})

    def answer(self, request: Request) -> Reply:
        self.seen.append(request)
        if self.faults:
            return self.faults.pop(0)
        first, last = map(int, request.headers["range"][6:].split("-"))
        told = {"Content-Range": f"bytes {first}-{last}/{len(BODY)}"}
        return Reply(status=206, headers=told, body=BODY[first : last + 1])


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    listener = Listener(server.answer, None)
    server.url = listener.url
    try:
        yield server
    finally:
        listener.close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server, and little patience."""
    monkeypatch.setattr(ranges, "_PATIENCE", 5.0)
    monkeypatch.setattr("agent.patience._FIRST", 0.02)
    with serving() as made:
        yield made


def test_a_range_is_exactly_what_was_asked_for(server: Server) -> None:
    """Both ends are counted in the header."""
    assert read(server, FILE, 100, 50) == BODY[100:150]
    assert server.seen[0].headers["range"] == "bytes=100-149"


def test_connections_stay_open(server: Server) -> None:
    """One per thread and host: a handshake for each 8 MB would be too dear."""
    for start in (0, 10, 20):
        read(server, FILE, start, 10)
    kept = ranges._kept.connections
    assert [key for key in kept if key[1] in server.url]
    assert len(server.seen) == 3


PASSING = {
    "hangs up": HANG_UP,
    "is busy": Reply(status=503, headers={"Retry-After": "0"}),
    "asks to wait": Reply(status=429),
    "fails": Reply(status=500),
}


@pytest.mark.parametrize("fault", PASSING)
def test_what_passes_is_tried_again(server: Server, fault: str) -> None:
    """Within its patience, on a new connection where the old one broke."""
    server.faults = [PASSING[fault]] * 3
    assert read(server, FILE, 0, 64) == BODY[:64]
    assert len(server.seen) == 4


def test_a_refusal_gets_one_new_permission(server: Server) -> None:
    """A token or a signed URL may have run out; a second refusal is the answer."""
    server.faults = [Reply(status=403)]
    assert read(server, FILE, 0, 64) == BODY[:64]
    assert server.fresh == [False, True]
    server.faults = [Reply(status=401), Reply(status=403)]
    with pytest.raises(MissingError, match=r"does not give .* \(403\)"):
        read(server, FILE, 0, 64)


def told(value: str, body: bytes = BODY[:64]) -> Reply:
    return Reply(status=206, headers={"Content-Range": value}, body=body)


FINAL = {
    "another size": (told("bytes 0-63/99999"), "in another size"),
    "another range": (told("bytes 1-64/10240"), "in another size"),
    "no range": (Reply(status=206, body=BODY[:64]), "in another size"),
    "all of it, unasked": (Reply(status=200, body=BODY), r"\(200\)"),
    "a redirect": (Reply(status=302, headers={"Location": "/"}), r"\(302\)"),
    "not there": (Reply(status=404), r"\(404\)"),
    "too far": (Reply(status=416), r"\(416\)"),
}


@pytest.mark.parametrize("fault", FINAL)
def test_what_is_not_the_file_is_not_tried_again(server: Server, fault: str) -> None:
    """It is another file, or none."""
    reply, words = FINAL[fault]
    server.faults = [reply]
    with pytest.raises(MissingError, match=words):
        read(server, FILE, 0, 64)
    assert len(server.seen) == 1


def test_a_whole_file_may_come_as_200(server: Server) -> None:
    """A server need not know ranges where the range is everything."""
    server.faults = [Reply(status=200, body=BODY)]
    assert read(server, FILE, 0, len(BODY)) == BODY


def test_a_short_body_is_tried_again(server: Server) -> None:
    """The connection ended before the range did."""
    server.faults = [told("bytes 0-63/10240", BODY[:10])]
    assert read(server, FILE, 0, 64) == BODY[:64]


def test_patience_ends(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what was said last."""
    monkeypatch.setattr(ranges, "_PATIENCE", 0.3)
    server.faults = [Reply(status=503)] * 1000
    with pytest.raises(Passing, match=r"the server is busy \(503\)"):
        read(server, FILE, 0, 64)


def test_a_server_that_says_nothing_is_left(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes the request and never answers."""
    monkeypatch.setattr(ranges, "_PATIENCE", 0.5)
    monkeypatch.setattr(ranges, "_QUIET", 0.2)
    done = threading.Event()
    listener = Listener(lambda _: (done.wait(5), HANG_UP)[1], None)
    server.url = listener.url
    try:
        with pytest.raises(AgentError, match="broke off"):
            read(server, FILE, 0, 64)
    finally:
        done.set()
        listener.close()
