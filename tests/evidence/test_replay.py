"""Every recorded answer, met by our adapters over HTTPS with the real SDK clients."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from control.errors import Unavailable
from control.words import OperationState, Power
from tests.evidence.expected import Met
from tests.evidence.replay import AT, MACHINE, Replay
from tests.evidence.shared import Interaction, interactions, numbers, recorded
from tests.evidence.table import TABLE, As

SECRET = "secret1"
WRITES = {As.START, As.DEALLOCATE}


def call(replay: Replay, fed: As, url: str) -> Callable[[], Any]:
    """The call of ours that is to meet the next answer."""
    return {
        As.READ: lambda: replay.machines.read(MACHINE),
        As.START: lambda: replay.machines.start(MACHINE),
        As.DEALLOCATE: lambda: replay.machines.deallocate(MACHINE),
        As.POLL: lambda: replay.machines.operation(replay.here(url)),
        As.BUDGET: lambda: replay.budgets.read(AT),
        As.SECRET: lambda: replay.challenged().secret(SECRET),
        As.TOKENS: lambda: replay.challenged().read(),
    }[fed]


def test_every_file_has_its_entry() -> None:
    """New evidence can't be forgotten, nor an entry outlive its file."""
    if not numbers():
        pytest.skip("the evidence ../shared/azure/recorded is missing")
    assert set(numbers()) == set(TABLE)
    assert len(numbers()) == len(TABLE)


@pytest.mark.parametrize("number", numbers() or sorted(TABLE))
def test_a_recording_comes_out_as_it_was_meant(replay: Replay, number: str) -> None:
    """Each answer of the file, in its order, and each call that may meet it."""
    held = interactions(number)
    for each, expected in zip(held, TABLE[number], strict=True):
        url, sent = each["request"]["url"], each["response"]
        for fed, outcome in expected.items():
            replay.tell(sent, challenged=fed in {As.SECRET, As.TOKENS})
            replay.stub.got.clear()
            outcome.check(Met(replay, sent, call(replay, fed, url)))
            check_request(replay, fed, url)


def check_request(replay: Replay, fed: As, url: str) -> None:
    """One request a call, two where the vault asked who we are; a poll verbatim."""
    got = replay.stub.got
    assert len(got) == (2 if fed in {As.SECRET, As.TOKENS} else 1)
    assert got[-1].method == ("POST" if fed in WRITES else "GET")
    if fed is As.POLL:
        assert replay.stub.url + got[-1].path == replay.here(url)


@pytest.mark.parametrize("number", ["01", "02", "27", "29"])
def test_an_operation_is_followed_as_azure_leads(replay: Replay, number: str) -> None:
    """The URL that we keep is the one that the recorder asked next, letter by letter.

    It stands with its own api-version, and may have a `p` or none.
    """
    asked: list[str] = []
    for each, following in pairs(number):
        replay.tell(each["response"])
        accepted = replay.machines.start(MACHINE)
        assert accepted.operation_url == replay.here(following["request"]["url"])
        asked.append(each["request"]["url"])
    assert asked


def pairs(number: str) -> Iterator[tuple[Interaction, Interaction]]:
    """Each action on a machine with what the recorder asked after it."""
    held = interactions(number)
    for each, following in pairwise(held):
        if each["request"]["method"] == "POST":
            yield each, following


def test_a_deallocate_in_its_whole_course(replay: Replay) -> None:
    """202, two polls, the monitor's end and the machine: one story to us too."""
    held = [each["response"] for each in interactions("02")]
    replay.tell(held[0])
    url = replay.machines.deallocate(MACHINE).operation_url
    assert url is not None
    monitor = replay.here(held[0]["headers"]["location"])
    states = []
    for response, at in zip(held[1:4], (url, url, monitor), strict=True):
        replay.tell(response)
        states.append(replay.machines.operation(at).state)
    replay.tell(held[4])
    last = replay.machines.read(MACHINE)
    ended = OperationState.SUCCEEDED
    assert states == [OperationState.IN_PROGRESS, ended, ended]
    assert last.power is Power.DEALLOCATED


def test_a_view_alone_is_a_machines_when_it_is_inside_one(replay: Replay) -> None:
    """The recorded `instanceView` answer, where we ask: updating and running."""
    view = recorded("30")
    body = {"properties": {"instanceView": view["body"]}}
    replay.tell({**view, "body": body})
    read = replay.machines.read(MACHINE)
    assert read.power is Power.RUNNING
    assert read.provisioning is not None
    assert read.provisioning.changing
    assert read.provisioning.at is None


def test_a_budget_as_it_was_made_has_no_figure(replay: Replay) -> None:
    """The recorded PUT's body, read back: a spend of null is unknown, not 0."""
    made = recorded("16")
    assert made["body"]["properties"]["currentSpend"] is None
    replay.tell({**made, "status": 200})
    assert replay.budgets.read(AT) is None


def test_usages_are_no_price_list(replay: Replay) -> None:
    """Unknown, and not a region that has no such size."""
    replay.tell(recorded("07"))
    with pytest.raises(Unavailable):
        replay.prices("Standard_ND96isr_H100_v5", "eastus").quote(AT)
