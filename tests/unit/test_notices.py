"""Notices: what is sent, what is silent, and how long it may take."""

import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from control.errors import Failed, Unavailable
from control.notices import AppriseNotices
from local.certificate import make
from tests.unit.azure.stub import Stub, serve

SECRET = "webhook-secret-that-nobody-may-see"


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A web hook that requests trusts."""
    certificate = make(tmp_path)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate.authority))
    with serve(certificate) as running:
        yield running


def hook(stub: Stub) -> str:
    return stub.url.replace("https://", "jsons://") + f"/{SECRET}"


def test_a_notice_is_one_request_with_title_and_text(stub: Stub) -> None:
    """In whatever form the URL's service wants it; here JSON."""
    stub.tell(200)
    AppriseNotices(lambda: hook(stub)).send("Stopped", "It cost 84.80 USD. ✓")
    (got,) = stub.got
    assert got.method == "POST"
    assert got.path == f"/{SECRET}"
    body = got.body.decode("unicode_escape")
    assert "Stopped" in body
    assert "84.80 USD" in body


def test_the_url_is_asked_for_at_each_notice(stub: Stub) -> None:
    """A rotated secret counts at once."""
    stub.tell(200)
    urls = [hook(stub), hook(stub) + "2"]
    notices = AppriseNotices(lambda: urls.pop(0))
    notices.send("a", "b")
    notices.send("a", "b")
    assert [got.path for got in stub.got] == [f"/{SECRET}", f"/{SECRET}2"]


@pytest.mark.parametrize("level", [logging.DEBUG, logging.INFO])
@pytest.mark.parametrize("status", [200, 400, 500])
def test_nothing_is_logged_or_raised_with_the_url(
    stub: Stub, caplog: pytest.LogCaptureFixture, status: int, level: int
) -> None:
    """At no level, by no library, whether it was taken or not."""
    caplog.set_level(level)
    stub.tell(status)
    raised = ""
    try:
        AppriseNotices(lambda: hook(stub)).send("a", "b")
    except Unavailable as caught:
        raised = str(caught)
    assert bool(raised) == (status != 200)
    assert SECRET not in raised
    assert SECRET not in caplog.text


@pytest.mark.parametrize("url", [f"nosuch://{SECRET}", SECRET, f"https//{SECRET}"])
def test_a_url_that_is_none_is_said_without_it(
    url: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """The sentence names the secret's fault, not the secret."""
    caplog.set_level(logging.DEBUG)
    with pytest.raises(Failed) as caught:
        AppriseNotices(lambda: url).send("a", "b")
    said = str(caught.value) + caplog.text + "".join(capfd.readouterr())
    assert SECRET not in said


def test_without_a_secret_nothing_can_be_sent() -> None:
    """It is an error that a caller can tell."""
    with pytest.raises(Failed, match="no secret"):
        AppriseNotices(lambda: None).send("a", "b")


def test_a_hook_that_hangs_is_given_up(stub: Stub) -> None:
    """In ten seconds."""
    stub.tell(body=b" " * 500, drip=True)
    began = time.monotonic()
    with pytest.raises(Unavailable):
        AppriseNotices(lambda: hook(stub)).send("a", "b")
    assert time.monotonic() - began < 14


def test_apprise_is_imported_by_a_notice_alone() -> None:
    """Importing the module costs nothing of it."""
    code = "import control.notices, sys; assert 'apprise' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=60)
    assert done.returncode == 0
