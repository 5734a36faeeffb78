"""Debian's Chromium on the demo's stack: one of each for all tests of a process."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Playwright,
    ViewportSize,
    sync_playwright,
)

from tests.browser.phone import Phone
from tests.door import Door
from tests.evening import Evening

CHROMIUM = shutil.which("chromium")
SWITCHES = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--disable-dev-shm-usage"),
)
SMALL: ViewportSize = {"width": 390, "height": 844}


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    if CHROMIUM is None:
        pytest.skip("the system package chromium is missing")
    with sync_playwright() as made:
        yield made


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    made = playwright.chromium.launch(executable_path=CHROMIUM, args=[*SWITCHES])
    yield made
    made.close()


@pytest.fixture
def phones(browser: Browser, door: Door) -> Iterator[Callable[..., Phone]]:
    """Make phones: each a browser of its own, whose errors fail the test."""
    contexts: list[BrowserContext] = []
    made: list[Phone] = []

    def phone(**options: Any) -> Phone:
        context = browser.new_context(**{"viewport": SMALL} | options)
        contexts.append(context)
        made.append(Phone(context.new_page(), door.url))
        return made[-1]

    yield phone
    for each in made:
        each.content()
    for context in contexts:
        context.close()


@pytest.fixture
def phone(phones: Callable[..., Phone], evening: Evening) -> Phone:
    """A paired phone that looks at a machine that is off."""
    one = phones()
    one.pair(evening.device("iphone"))
    return one


@contextmanager
def lasting(playwright: Playwright, profile: Path) -> Iterator[BrowserContext]:
    """Open a browser that keeps a profile, as a person's does."""
    context = playwright.chromium.launch_persistent_context(
        str(profile), executable_path=CHROMIUM, args=[*SWITCHES]
    )
    try:
        yield context
    finally:
        context.close()


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A folder for a browser that keeps what it knows."""
    return tmp_path / "profile"
