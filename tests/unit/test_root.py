"""The root: built once by the first call; bad settings are told, never their values."""

import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from control.errors import SettingsError
from control.memory import MemoryClock
from control.root import Root
from control.web.http import Request
from tests.unit.test_settings import GIVEN
from tests.unit.web.support import document, slug

CLOCK = MemoryClock(datetime(2026, 11, 30, 10, 0, tzinfo=UTC))
GET = Request(method="GET")


def test_making_one_does_nothing() -> None:
    """No setting is read before the first call."""
    reads = []

    class Watched(dict[str, str]):
        def items(self) -> object:  # type: ignore[override] # it only counts
            reads.append(self)
            return super().items()

    Root(Watched(), CLOCK)
    assert reads == []


@pytest.mark.parametrize("name", ["status", "phone_page", "healthz", "lost"])
def test_the_first_call_names_every_missing_setting(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A 500 with the names, for anybody; a log line with what each has to be."""
    answer = Root({"AZURE_CLIENT_ID": "SECRETX §"}, CLOCK).answer(name, GET)
    assert slug(answer) == "misconfigured"
    assert answer.status == 500
    assert document(answer)["settings"] == sorted(GIVEN)
    assert f": {len(GIVEN)} settings missing or wrong, " in document(answer)["detail"]
    assert len(document(answer)["detail"]) < 200
    assert all(setting in caplog.text for setting in GIVEN)
    assert "SECRETX" not in f"{answer.body.decode()} {caplog.text}"


def test_head_has_no_body_there_either() -> None:
    """As everywhere."""
    answer = Root({}, CLOCK).answer("status", Request(method="HEAD"))
    assert (answer.status, answer.body) == (500, b"")


def test_the_timer_logs_them_and_fails(caplog: pytest.LogCaptureFixture) -> None:
    """A run that fails is seen in the platform's own list of runs."""
    with pytest.raises(SettingsError):
        Root({}, CLOCK).tick()
    assert "KEY_VAULT_URL" in caplog.text


def test_mended_settings_are_taken_at_the_next_call() -> None:
    """Nothing of the failure is kept."""
    environ: dict[str, str] = {}
    root = Root(environ, CLOCK)
    assert root.answer("openapi", GET).status == 500
    environ |= GIVEN
    assert root.answer("openapi", GET).status == 200


def test_it_is_built_once_whatever_the_threads() -> None:
    """And the clients that are made of it are quiet: their lines hold addresses."""
    root = Root(GIVEN, CLOCK)
    with ThreadPoolExecutor(8) as pool:
        built = {id(one) for one in pool.map(lambda _: root.control(), range(16))}
    assert len(built) == 1
    for name in ("azure", "httpx", "urllib3"):
        assert logging.getLogger(name).getEffectiveLevel() >= logging.WARNING


def test_what_cannot_be_built_is_a_fault_without_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A 500 problem, not the platform's empty one."""

    class Broken(dict[str, str]):
        def items(self) -> object:  # type: ignore[override] # it must fail
            raise RuntimeError("SECRETX")

    answer = Root(Broken(), CLOCK).answer("status", GET)
    assert slug(answer) == "internal"
    assert "SECRETX" not in f"{answer.body.decode()} {caplog.text}"
    assert "RuntimeError" in caplog.text
