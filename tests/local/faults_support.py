"""What the tests of the fault catalogue share: how one asks, and what is tested."""

import threading
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import httpx
import pytest

TESTED: set[str] = set()
RUNNING = ["ProvisioningState/succeeded", "PowerState/running"]
OFF = ["ProvisioningState/succeeded", "PowerState/deallocated"]


class Named(Protocol):
    """A row of a table of faults."""

    @property
    def name(self) -> str: ...


def sees[F: Callable[..., None]](*names: str) -> Callable[[F], F]:
    """Note which faults a test sees."""
    TESTED.update(names)
    return lambda test: test


def each[T: Named](rows: Iterable[T]) -> pytest.MarkDecorator:
    """Run a test for every row of a table, and note their faults."""
    listed = list(rows)
    TESTED.update(row.name for row in listed)
    return pytest.mark.parametrize("row", listed, ids=[row.name for row in listed])


def ask(call: Callable[[], httpx.Response]) -> httpx.Response | None:
    """Ask; None is a connection that was closed without an answer."""
    try:
        return call()
    except httpx.TransportError:
        return None


def soon(there: Callable[[], bool]) -> bool:
    """Wait for what another thread does; five real seconds at most."""
    wait = threading.Event()
    for _ in range(500):
        if there():
            return True
        wait.wait(0.01)
    return False


def said(answer: httpx.Response) -> str:
    """The error's code and words, in a wrapper or without one, or the whole body."""
    if not answer.headers.get("content-type", "").startswith("application/json"):
        return answer.text
    body = answer.json()
    error = body.get("error", body)
    if isinstance(error, str):
        return answer.text
    return f"{error.get('code', '')} {error.get('message', '')} {answer.text}"


def view(arm: httpx.Client, path: str) -> dict[str, Any]:
    answer = arm.get(f"{path}/instanceView")
    assert answer.status_code == 200
    body: dict[str, Any] = answer.json()
    return body


def codes(arm: httpx.Client, path: str) -> list[str]:
    return [status["code"] for status in view(arm, path)["statuses"]]


def poll(arm: httpx.Client, accepted: httpx.Response) -> dict[str, Any]:
    answer = arm.get(accepted.headers["azure-asyncoperation"].partition("?")[0])
    assert answer.status_code == 200
    body: dict[str, Any] = answer.json()
    return body


def follow(client: httpx.Client, url: str) -> httpx.Response:
    """Get a URL as it is, its own query and not the client's."""
    return client.get(url, params=httpx.URL(url).params)
