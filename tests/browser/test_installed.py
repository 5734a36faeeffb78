"""What makes it an app: P16 and P17, and Chromium's own judgement."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect

from tests.browser.conftest import lasting
from tests.evening import Evening


@pytest.fixture
def page(browser: Browser, evening: Evening) -> Page:
    made = browser.new_page()
    made.goto(evening.door.url)
    return made


def _asked(page: Page, what: str) -> dict[str, Any]:
    session = page.context.new_cdp_session(page)
    answer: dict[str, Any] = session.send(what)
    session.detach()
    return answer


def test_chromium_would_install_it(
    playwright: Playwright, evening: Evening, profile: Path
) -> None:
    """No error in the manifest, none against installing."""
    with lasting(playwright, profile) as context:
        page = context.pages[0]
        page.goto(evening.door.url)
        _installable(page)


def _installable(page: Page) -> None:
    assert _asked(page, "Page.getAppManifest")["errors"] == []
    assert _asked(page, "Page.getInstallabilityErrors")["installabilityErrors"] == []


def test_p16_every_page_is_of_one_app(page: Page, evening: Evening) -> None:
    """P16: the same id from / and /ledger; every own link lies in its scope."""
    ids = []
    for path in ("/", "/ledger"):
        page.goto(f"{evening.door.url}{path}")
        manifest = _asked(page, "Page.getAppManifest")["manifest"]
        ids.append(manifest["id"])
        links = page.locator("a[href]").evaluate_all("(all) => all.map((a) => a.href)")
        own = [link for link in links if link.startswith(evening.door.url)]
        assert all(link.startswith(manifest["scope"]) for link in own)
        assert path == "/" or own
    assert ids[0] == ids[1] == f"{evening.door.url}/"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_p17_the_bar_has_the_colour_of_the_page(
    browser: Browser, evening: Evening, scheme: Any
) -> None:
    """P17: no white bar at night."""
    page = browser.new_context(color_scheme=scheme).new_page()
    page.goto(evening.door.url)
    wanted = page.evaluate(
        """() => [...document.querySelectorAll("meta[name=theme-color]")]
          .find((it) => matchMedia(it.media).matches).content"""
    )
    painted = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    parts = [int(part) for part in painted[4:-1].split(",")]
    assert "#" + "".join(f"{part:02x}" for part in parts) == wanted
    expect(page.locator("body")).to_be_visible()
    page.context.close()
