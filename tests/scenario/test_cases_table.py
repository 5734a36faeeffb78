"""Times, ETags and odd text in the table (cases C01 to C06), over HTTP on Azurite."""

import ast
import csv
import io
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from control import keys
from control.azure.table import AzureTable
from control.ledger import Ledger
from control.ports import Row
from local.functions.process import FunctionsProcess
from local.tables import TableProxy, batches, calls
from tests.scenario.world import MACHINE, PHONE, SHORT, World

ROOT = Path(__file__).parents[2]
ODD = 'org/model \\ # ? \' OR 1 eq 1 -- %27 \t ü 🦙 "quoted"; a,b'
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")


def _rows(world: World) -> list[Row]:
    return [row for part in (MACHINE, "-") for row in world.table.scan(part, " ", "~")]


def _instants(row: Row) -> Iterator[datetime]:
    for value in row.values.values():
        if isinstance(value, datetime):
            yield value
        elif isinstance(value, str):
            found = _INSTANT.findall(value)
            yield from (datetime.fromisoformat(text) for text in found)


def _night(world: World, base: str, tick: Callable[[], None]) -> list[str]:
    """Start, tick, stop, tick; return every instant in the rows, from the beginning."""
    began, sent = world.now, {"Authorization": f"Bearer {PHONE}"}
    body = {"minutes": 60, "note": "night"}
    assert world.client.post(f"{base}/start", json=body, headers=sent).is_success
    world.minutes(1, ticks=False)
    tick()
    assert world.client.post(f"{base}/stop", headers=sent).is_success
    world.minutes(3, ticks=False)
    tick()
    return sorted(
        f"{row.key.partition(':')[0]} {at - began}"
        for row in _rows(world)
        for at in _instants(row)
        if at >= began
    )


def _with_a_new_ledger(world: World) -> World:
    name = f"{world.environ['LEDGER_TABLE']}b"
    table = AzureTable.by_connection_string(world.azurite.connection_string, name=name)
    Ledger(table).initialise(Decimal(0), world.now)
    environ = {**world.environ, "LEDGER_TABLE": name}
    other = replace(world, table=table, environ=environ)
    other.build_anew()
    return other


@pytest.mark.parametrize("start_at", [datetime(2026, 11, 1, 5, 30, tzinfo=UTC)])
def test_c01_a_process_in_another_time_zone_writes_the_same_instants(
    world: World, tmp_path: Path
) -> None:
    """At 01:30 in New York, which comes twice that night, and a night later in UTC."""
    world.azure.vm.behave(takes=SHORT, ends_itself=False)
    zone = {"TZ": "America/New_York"}
    process = FunctionsProcess(
        app=ROOT,
        environ={**world.environ, **zone},
        folder=tmp_path,
        clock=tmp_path / "clock.json",
    )
    with process:
        there = _night(world, process.url, process.tick)
        world.minutes(1)
    assert world.sessions()[0]["requested_at"] == "2026-11-01T05:30:00Z"
    assert world.sessions()[0]["ended_at"] == "2026-11-01T05:31:45Z"
    world.clock.set(datetime(2026, 11, 2, 5, 30, tzinfo=UTC))
    world.azure.settle()
    here = _night(_with_a_new_ledger(world), world.base, world.tick)
    assert len(there) > 20
    assert there == here


def test_c03_two_sessions_of_one_millisecond_are_two(world: World) -> None:
    """The clock stands still: each keeps its row, journal and place in the pages."""
    world.azure.faults.arm("quota", times=3)
    for _ in range(3):
        assert world.phone.post("/start").status_code == 503
    found, cursor = list[str](), ""
    while True:
        page = world.operator.get(f"/sessions?limit=1{cursor}").json()
        found += [session["id"] for session in page["sessions"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert len(found) == len(set(found)) == 3
    for own in found:
        events = [line["event"] for line in world.journal(own)]
        assert events.count("opened") == events.count("closed") == 1


def test_c03_nothing_reads_the_services_own_time() -> None:
    """`Timestamp` is finer than ours and its filters differ: no code names it."""
    named = [
        path.name
        for path in sorted((ROOT / "control").rglob("*.py"))
        if re.search(r"\btimestamp\b", path.read_text(), re.IGNORECASE)
    ]
    assert named == []


def test_c04_every_change_of_a_lease_names_the_row_as_it_was_read(
    world: World, proxy: TableProxy
) -> None:
    """An evening: an insert once, then updates with an ETag; nothing is sent twice."""
    world.ready(minutes=60)
    world.phone.post("/extend", {"minutes": 5})
    world.operator.post("/lock")
    world.until("off", most=5)
    bodies = [
        call.request.body.decode()
        for call in proxy.seen
        if call.kind is calls.Kind.BATCH and keys.LEASE in call.keys
    ]
    assert len(bodies) > 5
    assert len(set(bodies)) == len(bodies)
    parts = [_part_of_the_lease(body) for body in bodies]
    assert [part for part in parts if part.startswith("POST")] == parts[:1]
    for part in parts[1:]:
        assert part.startswith("PUT")
        assert re.search(r"If-Match: W/\"[^*]+\"", part), part


def _part_of_the_lease(body: str) -> str:
    parts = re.split(r"--changeset[^\r\n]*", body)
    (part,) = [part for part in parts if re.search(r"RowKey(='|\": ?\")lease", part)]
    return re.sub(r"(?s)^.*?(?=POST|PUT|PATCH)", "", part)


def test_c04_a_stale_write_of_the_phone_loses_to_the_timer(
    world: World, proxy: TableProxy
) -> None:
    """The extend is on its way while the lock is set: it is told, nothing is undone."""
    world.ready(minutes=60)
    proxy.faults.arm("held_back", on=batches(keys.LEASE), seconds=0.8)
    with ThreadPoolExecutor(1) as pool:
        extended = pool.submit(world.phone.post, "/extend", {"minutes": 30})
        proxy.faults.wait_for("held_back")
        assert world.operator.post("/lock").status_code == 200
        answer = extended.result(20)
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/not-running"
    world.until("off", most=5)
    line = world.sessions()[0]
    assert line["stop_reason"] == "locked"
    assert "extended" not in [e["event"] for e in world.journal(line["id"])]
    assert world.phone.status()["locked"]


def test_c06_odd_text_is_kept_as_it_is_and_is_never_a_key(world: World) -> None:
    """A note with all that a key must not hold: in JSON, in CSV, and in no key."""
    assert world.phone.post("/start", {"note": ODD}).status_code == 202
    assert world.sessions()[0]["note"] == ODD
    answer = world.operator.call("GET", "/sessions", Accept="text/csv")
    (line,) = csv.DictReader(io.StringIO(answer.text, newline=""))
    assert line["note"] == ODD
    for row in _rows(world):
        assert re.fullmatch(r"[a-z]+|[a-z]+:[\w:.-]+", row.key), row.key


@pytest.mark.parametrize("odd", [ODD, "", "'", "a" * 1025, "\x00", "../lease"])
def test_c06_odd_text_in_a_question_is_answered(world: World, odd: str) -> None:
    """As a machine, device, reason, cursor or id: no 5xx, and nobody's rows."""
    world.phone.post("/start", {"note": "mine"})
    ask = world.client.build_request
    sent = {"Authorization": f"Bearer {world.operator.token}"}
    questions: list[tuple[str, dict[str, str]]] = [
        ("/sessions", {"device": odd}),
        ("/sessions", {"reason": odd}),
        ("/sessions", {"cursor": odd}),
        ("/sessions", {"cursor": f"session:{odd}"}),
        ("/sessions", {"machine": odd}),
        ("/status", {"machine": odd}),
    ]
    for path, query in questions:
        request = ask("GET", world.base + path, params=query, headers=sent)
        answer = world.client.send(request)
        assert answer.status_code < 500, (path, query, answer.text)
        if "device" in query or "machine" in query:
            assert "mine" not in answer.text or not odd
    answer = world.operator.post("/pair", {"code": odd})
    assert answer.status_code in {410, 422}


def test_c06_a_filter_is_made_with_parameters_alone() -> None:
    """One place asks for rows, and its filter is a constant."""
    asked = [
        (path.name, node)
        for path in sorted((ROOT / "control").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"query_entities", "list_entities"}
    ]
    ((name, call),) = asked
    assert name == "table.py"
    assert [ast.unparse(each) for each in call.args] == ["_RANGE"]
    assert "parameters" in {word.arg for word in call.keywords}
