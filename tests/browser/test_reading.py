"""Read by anybody: axe, contrast, 320 pixels, large text, keyboard, screen reader."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from local.node import AXE
from tests.browser.phone import Phone
from tests.evening import Evening

NARROW = {"width": 320, "height": 640}
_AXE = (AXE.install() / "axe.min.js").read_text()
# Text and what is behind it, as WCAG 2 reckons the contrast of two colours.
_CONTRASTS = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (it) => {
    for (; it; it = it.parentElement) {
      const colour = parts(getComputedStyle(it).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const it = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !it.checkVisibility()) continue;
    if (it.matches(".unseen, script, noscript *, option")) continue;
    const [one, other] = [light(parts(getComputedStyle(it).color)), light(behind(it))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    found.push([texts.currentNode.data.trim().slice(0, 40), ratio]);
  }
  return found;
}"""
# What is put into a live region, from now on.
_LISTEN = """() => {
  globalThis.heard = [];
  const live = "[role=status], [role=alert], [role=log], [aria-live]";
  for (const region of document.querySelectorAll(live)) {
    new MutationObserver(() => globalThis.heard.push(region.textContent))
      .observe(region, {subtree: true, childList: true, characterData: true});
  }
}"""


def _findings(page: Page) -> list[str]:
    """Return what axe finds, by its rules' names."""
    page.evaluate(f"() => {{ {_AXE} }}")
    found: list[str] = page.evaluate(
        "async () => (await axe.run()).violations.map((each) => each.id)"
    )
    return found


def _scenes(phone: Phone, evening: Evening) -> list[Callable[[], object]]:
    """The page as it is off, with the question, when ready, without a network."""

    def ready() -> None:
        phone.page.keyboard.press("Escape")
        evening.ready()
        phone.returns()
        expect(phone.headline).to_have_text("Ready")

    def lost() -> None:
        evening.door.drop()
        phone.returns()
        phone.reads("banner", "No connection")

    def question() -> None:
        phone.press("Start…")
        expect(phone.page.locator("#go")).to_be_enabled()

    return [lambda: None, question, ready, lost]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_contrast_is_enough(
    phones: Callable[..., Phone], evening: Evening, scheme: str
) -> None:
    """In every scene and both schemes: no finding, and 4.5 to 1 for all text."""
    phone = phones(color_scheme=scheme, viewport=NARROW)
    phone.open()
    assert _findings(phone.page) == []
    assert _weak(phone.page) == []
    phone.pair(evening.device("iphone"))
    for scene in _scenes(phone, evening):
        scene()
        assert _findings(phone.page) == []
        assert _weak(phone.page) == []


def _weak(page: Page) -> list[Any]:
    found = page.evaluate(_CONTRASTS)
    assert len(found) > 3
    return [each for each in found if each[1] < 4.5]


@pytest.mark.parametrize("percent", [100, 200])
def test_nothing_is_wider_than_320_pixels(
    phones: Callable[..., Phone], evening: Evening, percent: int
) -> None:
    """At the usual size of text and at twice that, in every scene."""
    phone = phones(viewport=NARROW)
    phone.open(f"/#{evening.code('phone')}")
    _enlarge(phone.page, percent)
    assert _width(phone.page) <= 320
    phone.press("Use it here")
    phone.reads("headline", "Off")
    for scene in _scenes(phone, evening):
        scene()
        assert _width(phone.page) <= 320


def _enlarge(page: Page, percent: int) -> None:
    page.evaluate(
        "(percent) => { document.documentElement.style.fontSize = `${percent}%` }",
        percent,
    )


def _width(page: Page) -> int:
    return int(page.evaluate("() => document.documentElement.scrollWidth"))


def test_buttons_are_large_enough_for_a_thumb(phone: Phone, evening: Evening) -> None:
    """44 pixels or more, as Apple asks; the large one much more."""
    evening.ready()
    phone.returns()
    expect(phone.headline).to_have_text("Ready")
    for button in phone.page.locator("button:visible, a.button:visible").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    box = phone.big.bounding_box()
    assert box is not None
    assert (box["height"], box["width"]) >= (70, 300)


def test_the_keyboard_reaches_everything(phone: Phone, evening: Evening) -> None:
    """From the large button, through the question, to a start and a stop."""
    page = phone.page
    phone.big.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    expect(page.locator("#go")).to_be_enabled()
    page.keyboard.press("Tab")
    expect(page.locator("#go")).to_be_focused()
    page.keyboard.press("Enter")
    phone.reads("said", "Starting.")
    expect(phone.big).to_have_text("Stop")
    phone.big.focus()
    page.keyboard.press("Enter")
    phone.reads("said", "Stopping.")
    evening.until("off")


def test_p10_a_clock_is_not_announced(phone: Phone, evening: Evening) -> None:
    """P10: five minutes while ready say nothing but what has changed or runs out."""
    evening.ready()
    phone.returns()
    expect(phone.headline).to_have_text("Ready")
    page = phone.page
    left = evening.call("GET", "/status")["session"]["seconds_left"] / 60
    evening.minutes(left - 17.5)
    page.clock.install()
    phone.returns()
    phone.reads("left-time", "17 min")
    page.evaluate(_LISTEN)
    waiting = _unanswered(page)
    shown = set()
    for _ in range(300):
        evening.stack.clock.advance(timedelta(seconds=1))
        page.clock.run_for(1000)
        # The page's patience runs on its own clock, the answers come on the world's.
        for _ in range(1000):
            page.wait_for_timeout(10)
            if not waiting:
                break
        shown.add(phone.text("left-time"))
    assert len(shown) >= 4
    assert page.evaluate("() => globalThis.heard") == ["In 15 minutes it ends."]


def _unanswered(page: Page) -> set[Request]:
    """Return the requests on their way, kept up to date."""
    found: set[Request] = set()

    def over(request: Request) -> None:
        found.discard(request)

    def begun(request: Request) -> None:
        found.add(request)

    page.on("request", begun)
    page.on("requestfinished", over)
    page.on("requestfailed", over)
    return found


def test_changes_are_announced_once(phone: Phone, evening: Evening) -> None:
    """Every new state, by its word, and what came of a press."""
    phone.page.evaluate(_LISTEN)
    phone.start()
    phone.reads("said", "Starting.")
    expect(phone.headline).to_have_text("Booting")
    evening.until("ready")
    phone.returns()
    expect(phone.headline).to_have_text("Ready")
    heard = phone.page.evaluate("() => globalThis.heard")
    assert heard[0] == "Sending …"
    assert heard.count("Ready") == 1
    assert any(words.startswith("Starting. It runs until") for words in heard)
    assert heard.count("Booting") <= 1


def test_the_page_asks_nothing_of_others(phone: Phone, evening: Evening) -> None:
    """All that it loads is from its own address; nothing is stored as a cookie."""
    entries = phone.page.evaluate(
        "() => performance.getEntriesByType('resource').map((each) => each.name)"
    )
    assert len(entries) > 10
    assert all(name.startswith(evening.door.url) for name in entries)
    assert phone.page.context.cookies() == []


def test_the_first_paint_needs_no_answer(
    phones: Callable[..., Phone], evening: Evening
) -> None:
    """The page stands there while the switch has not answered anything."""
    phone = phones()
    phone.pair(evening.device("iphone"))
    evening.door.held.clear()
    phone.page.reload()
    expect(phone.headline).to_contain_text("ago: off")
    expect(phone.page.locator("#stop-too")).to_be_enabled()
    evening.door.held.set()
    expect(phone.headline).to_have_text("Off")
