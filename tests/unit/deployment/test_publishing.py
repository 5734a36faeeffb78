"""G07: a package is brought up, with patience for the roles and none for the rest."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from control.deployment.publishing import Refused, State, ensure_found, publish
from control.errors import CommandError
from control.memory import MemoryClock

T0 = datetime(2026, 11, 30, tzinfo=UTC)
NOT_YET = Refused(403, "InaccessibleStorageException: BlobUploadFailedException: 403")


class Endpoint:
    """Says no so many times, and then goes through the states."""

    def __init__(self, refusals: Iterator[Refused], *states: State) -> None:
        self._refusals, self._states = refusals, list(states)
        self.taken: list[bytes] = []

    def put(self, package: bytes) -> str:
        for refusal in self._refusals:
            raise refusal
        self.taken.append(package)
        return "one"

    def state(self, identity: str) -> State:
        assert identity == "one"
        return self._states.pop(0) if len(self._states) > 1 else self._states[0]


def published(endpoint: Endpoint) -> tuple[str, timedelta, list[str]]:
    clock, heard = MemoryClock(T0), list[str]()
    try:
        publish(endpoint, b"zip", clock, heard.append)
    except CommandError as why:
        return str(why), clock.now() - T0, heard
    return "", clock.now() - T0, heard


def test_g07_the_first_403s_are_waited_out() -> None:
    """G07: three times, half a minute each, and said."""
    endpoint = Endpoint(iter([NOT_YET] * 3), State.GOES_ON, State.DONE)
    failed, took, heard = published(endpoint)
    assert failed == ""
    assert endpoint.taken == [b"zip"]
    assert took == timedelta(seconds=95)
    assert len(heard) == 3


def test_g07_for_ever_is_ten_minutes() -> None:
    """G07: the message names the role and the wait."""
    failed, took, _ = published(Endpoint(iter([NOT_YET] * 100), State.DONE))
    assert "Storage Blob Data Owner" in failed
    assert "after ten minutes" in failed
    assert took == timedelta(minutes=10)


@pytest.mark.parametrize(
    "refusal",
    [Refused(403, "Ip Forbidden"), Refused(401, ""), Refused(503, "BlobUploadFailed")],
)
def test_g07_any_other_refusal_ends_it(refusal: Refused) -> None:
    """G07: waiting mends only that one."""
    failed, took, _ = published(Endpoint(iter([refusal]), State.DONE))
    assert f"said {refusal.status}" in failed
    assert took == timedelta(0)


def test_one_that_is_forgotten_after_progress_is_done() -> None:
    """Before any progress it may be another endpoint's word: that goes on."""
    ok = Endpoint(iter([]), State.GOES_ON, State.FORGOTTEN)
    assert published(ok)[0] == ""
    lost = Endpoint(iter([]), State.FORGOTTEN)
    assert "not at work after ten minutes" in published(lost)[0]


def test_one_that_fails_is_told() -> None:
    """At once."""
    assert (
        "could not bring it to work"
        in published(Endpoint(iter([]), State.GOES_ON, State.FAILED))[0]
    )


def test_a_missing_timer_fails_it() -> None:
    """After three minutes of looking, by name."""
    clock = MemoryClock(T0)
    with pytest.raises(CommandError, match="without status, tick:"):
        ensure_found(lambda: ["start"], {"start", "tick", "status"}, clock)
    assert clock.now() - T0 == timedelta(minutes=3)
    ensure_found(lambda: ["start", "tick", "more"], {"start", "tick"}, clock)
