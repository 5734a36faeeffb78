"""Several processes of the app at once: nothing that decides is kept in memory."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from local.azure import Kind
from local.functions.process import FunctionsProcess
from tests.scenario.world import PHONE, TOKENS, World

ROOT = Path(__file__).parents[2]


@pytest.fixture
def two(world: World, tmp_path: Path) -> Iterator[tuple[FunctionsProcess, ...]]:
    """Two processes beside the one of the other timelines."""
    with ExitStack() as stack:
        started = []
        for number in range(2):
            folder = tmp_path / f"process{number}"
            folder.mkdir()
            process = FunctionsProcess(
                app=ROOT,
                environ=world.environ,
                folder=folder,
                clock=tmp_path / "clock.json",
                timers=False,
            )
            started.append(stack.enter_context(process))
        yield tuple(started)


def test_b02_two_ticks_in_one_second_in_two_processes_act_as_one(
    world: World, two: tuple[FunctionsProcess, ...]
) -> None:
    """Over its deadline: one deallocate, one journal line about it."""
    world.phone.post("/start", {"minutes": 60})
    world.until("ready")
    world.azure.vm.behave(ends_itself=False, beats=False)
    world.clock.advance(timedelta(hours=1))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda process: process.tick(), two))
    assert world.sent(Kind.VM_DEALLOCATE) == 1
    session = world.sessions()[0]["id"]
    journal = world.operator.get(f"/sessions/{session}").json()["journal"]
    assert [line["event"] for line in journal].count("released") == 1


def test_b02_a_start_that_waits_is_sent_once_by_two_processes(
    world: World, two: tuple[FunctionsProcess, ...]
) -> None:
    """Capacity comes back: two timers at once send one start."""
    world.azure.faults.arm("allocation_failed")
    world.phone.post("/start")
    world.minutes(1)
    world.clock.advance(timedelta(minutes=2))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda process: process.tick(), two))
    assert world.sent(Kind.VM_START) == 2


def test_b07_ten_taps_through_two_processes_are_one_start(
    world: World, two: tuple[FunctionsProcess, ...]
) -> None:
    """It is the ledger that holds them apart, and nothing in memory."""
    urls = [process.url for process in two] * 5
    sent = {"Authorization": f"Bearer {PHONE}"}
    with ThreadPoolExecutor(10) as pool:
        answers = list(
            pool.map(
                lambda url: world.client.post(f"{url}/start", json={}, headers=sent),
                urls,
            )
        )
    assert sorted(answer.status_code for answer in answers) == [200] * 9 + [202]
    assert len({answer.json()["session"]["id"] for answer in answers}) == 1
    assert world.sent(Kind.VM_START) == 1
    assert len(world.sessions()) == 1


def test_b11_no_token_is_in_any_log_row_answer_or_notice(
    world: World, two: tuple[FunctionsProcess, ...]
) -> None:
    """A whole evening with tokens in headers and, wrongly, in the address."""
    answers = []
    for person in (world.phone, world.operator):
        for path in ("/status", f"/status?code={person.token}", "/sessions"):
            answer = person.client.get(
                two[0].url + path, headers={"Authorization": f"Bearer {person.token}"}
            )
            answers.append(answer.text + str(answer.headers))
    wrong = {"Authorization": "Bearer SECRETX"}
    answers.append(
        world.client.get(f"{two[1].url}/status?code=SECRETX", headers=wrong).text
    )
    world.phone.post("/start")
    world.until("ready")
    answers += [world.phone.say("/stop"), world.phone.get("/status").text]
    two[0].tick()
    world.until("off", most=5)
    searched = [process.log.read_text() for process in two]
    searched += [world.rows(), *answers]
    notices = [str(notice.body) for notice in world.azure.sink.notices]
    assert notices
    searched += notices
    for token in (*TOKENS, "SECRETX"):
        assert not any(token in text for text in searched)
