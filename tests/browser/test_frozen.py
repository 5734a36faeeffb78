"""P05: a page that the browser froze and brings back is asked anew, and once."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright, expect

from tests.browser.conftest import CHROMIUM, SWITCHES
from tests.browser.phone import Phone
from tests.evening import Evening
from tests.soon import soon


@pytest.fixture(scope="module")
def freezing(playwright: Playwright) -> Iterator[Browser]:
    """A browser that keeps pages as they were, which tests usually switch off."""
    made = playwright.chromium.launch(
        executable_path=CHROMIUM,
        args=[*SWITCHES],
        ignore_default_args=["--disable-back-forward-cache"],
    )
    yield made
    made.close()


@pytest.fixture
def frozen(freezing: Browser, evening: Evening) -> Iterator[Phone]:
    """A paired page that was left for another one, alive in the browser's memory."""
    phone = Phone(freezing.new_page(), evening.door.url)
    phone.pair(evening.device("iphone"))
    # A worker that takes its first pages over would take this one out of the memory.
    soon(
        lambda: phone.page.evaluate("() => Boolean(navigator.serviceWorker.controller)")
    )
    phone.page.evaluate("() => { globalThis.kept = true }")
    phone.page.goto(f"{evening.door.url}/ledger")
    yield phone
    # A page that lives on asks whoever gets this door's port later.
    phone.page.context.close()


def test_p05_a_phone_that_was_removed_meanwhile(
    frozen: Phone, evening: Evening
) -> None:
    """Within 3 seconds it says so and how to pair; no loop of refusals."""
    evening.revoke("iphone")
    before = len(evening.door.of("GET", "/status"))
    frozen.page.go_back(wait_until="commit")
    assert frozen.page.evaluate("() => globalThis.kept"), "it was not frozen"
    title = frozen.page.locator("#pairing-title")
    expect(title).to_have_text("This phone was removed", timeout=3000)
    frozen.page.wait_for_timeout(4000)
    assert len(evening.door.of("GET", "/status")) - before == 1


def test_going_back_shows_no_old_state(frozen: Phone, evening: Evening) -> None:
    """The machine was started meanwhile: "off" is old at once, then it is ready."""
    evening.ready()
    evening.door.held.clear()
    frozen.page.go_back(wait_until="commit")
    assert frozen.page.evaluate("() => globalThis.kept"), "it was not frozen"
    assert frozen.text("headline").endswith("ago: off")
    expect(frozen.big).to_be_disabled()
    evening.door.held.set()
    expect(frozen.headline).to_have_text("Ready", timeout=5000)
