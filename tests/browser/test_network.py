"""Lost networks, cold starts and long sleeps: what is old is called old."""

import json

import pytest
from playwright.sync_api import Route, expect

from tests.browser.phone import Phone
from tests.evening import Evening
from tests.soon import soon

WITHOUT_US = "Azure app or portal, vm-kimi-01, Stop"


def test_p04_back_after_five_hours(phone: Phone, evening: Evening) -> None:
    """P04: old at once, no start, stop always, and right within 5 seconds."""
    page = phone.page
    page.clock.install()
    phone.hide(hidden=True)
    page.clock.fast_forward("05:00:00")
    evening.ready()
    evening.door.drop("/status", times=1)
    phone.hide(hidden=False)
    assert phone.text("headline") == "Last known, 5 hours ago: off"
    assert phone.text("age").startswith("As of ")
    expect(phone.big).to_have_text("Start…")
    expect(phone.big).to_be_disabled()
    expect(page.locator("#stop-too")).to_be_enabled()
    expect(phone.headline).to_have_text("Ready", timeout=5000)


@pytest.mark.parametrize("answer", ["html 503", "html 200", "nothing", "unknown token"])
def test_p08_off_never_stands_without_its_age(
    phone: Phone, evening: Evening, answer: str
) -> None:
    """P08: a kept "off" of ten minutes ago is shown as that, whatever comes."""
    page = phone.page
    kept = json.loads(str(page.evaluate("() => localStorage.getItem('switch.known')")))
    kept["at"] -= 600_000
    page.evaluate(
        "(kept) => localStorage.setItem('switch.known', kept)", json.dumps(kept)
    )
    if answer == "unknown token":
        forged = json.dumps({"token": "x" * 43, "device": "iphone"})
        page.evaluate("(it) => localStorage.setItem('switch.token', it)", forged)
    elif answer == "nothing":
        evening.door.drop("/status", "/sessions")
    else:
        evening.door.page(int(answer[-3:]), "/status", "/sessions")
    page.add_init_script(_WATCH)
    page.reload()
    soon(
        lambda: len(evening.door.of("GET", "/status")) >= 3 or answer == "unknown token"
    )
    page.wait_for_timeout(1500)
    seen = page.evaluate("() => globalThis.headlines")
    assert all("off" not in words.lower() or " ago" in words for words in seen)
    if answer == "unknown token":
        phone.reads("pairing-title", "This phone is not known")
    else:
        assert "Last known, 10 minutes ago: off" in seen
    paths = page.evaluate(_CACHED)
    assert not [path for path in paths if path in {"/status", "/sessions", "/pair"}]


_WATCH = """
globalThis.headlines = [];
document.addEventListener("DOMContentLoaded", () => {
  const note = () => {
    const it = document.querySelector("#headline");
    if (it.checkVisibility()) globalThis.headlines.push(it.textContent);
  };
  new MutationObserver(note).observe(document.body, {
    subtree: true, childList: true, characterData: true, attributes: true,
  });
});
"""
_CACHED = """async () => {
  const found = [];
  for (const name of await caches.keys())
    for (const one of await (await caches.open(name)).keys())
      found.push(new URL(one.url).pathname);
  return found;
}"""


def test_a_lost_network_and_its_return(phone: Phone, evening: Evening) -> None:
    """It says so, shows the last state with its age, and comes back by itself."""
    evening.ready()
    phone.returns()
    expect(phone.headline).to_have_text("Ready")
    evening.door.drop()
    phone.returns()
    phone.reads("banner", "No connection. Trying again by itself.")
    phone.reads("headline", "ago: ready")
    expect(phone.page.locator("#chat")).to_be_hidden()
    expect(phone.big).to_be_enabled()
    evening.door.heal()
    expect(phone.headline).to_have_text("Ready")
    expect(phone.page.locator("#banner")).to_be_hidden()


def test_the_page_opens_without_a_network(phone: Phone, evening: Evening) -> None:
    """The worker has its files: the last state stands there with its age."""
    soon(
        lambda: phone.page.evaluate("() => Boolean(navigator.serviceWorker.controller)")
    )
    evening.door.drop()
    phone.page.reload()
    phone.reads("headline", "ago: off")
    phone.reads("banner", "No connection")
    expect(phone.big).to_be_disabled()


def test_waking_up_and_then_how_to_stop_without_us(
    phone: Phone, evening: Evening
) -> None:
    """Pages of Azure's are noise; after a minute it says how to do without us."""
    page = phone.page
    evening.door.page(503, "/status")
    page.clock.install()
    phone.returns()
    phone.reads("banner", "Waking up.")
    expect(page.locator("#without")).to_be_hidden()
    page.clock.fast_forward(61_000)
    phone.reads("without", WITHOUT_US)
    phone.reads("without", "“Stopped” alone is still billed")
    evening.door.heal()
    phone.returns()
    expect(phone.headline).to_have_text("Off")
    expect(page.locator("#without")).to_be_hidden()


def test_it_asks_again_ever_more_slowly(phone: Phone, evening: Evening) -> None:
    """1, 2, 4 and 8 seconds, not a storm."""
    evening.door.page(502, "/status")
    phone.page.clock.install()
    phone.returns()
    phone.reads("banner", "Waking up.")
    before = len(evening.door.of("GET", "/status"))
    for _ in range(15):
        phone.page.clock.run_for(1000)
        phone.page.wait_for_timeout(60)
    assert 3 <= len(evening.door.of("GET", "/status")) - before <= 5


def test_a_list_that_does_not_come_is_asked_for_with_each_status(
    phone: Phone, evening: Evening
) -> None:
    """Not each second that the page is drawn; and it comes once it can."""
    evening.door.page(503, "/sessions")
    phone.page.reload()
    phone.reads("sessions-note", "They cannot be read now")
    phone.page.wait_for_timeout(4000)
    asked = len(evening.door.of("GET", "/sessions"))
    assert asked - 1 <= len(evening.door.of("GET", "/status")) < 5
    evening.door.heal()
    phone.returns()
    expect(phone.page.locator("#sessions-note")).not_to_contain_text("cannot")


def test_a_stop_is_sent_until_it_is_taken(phone: Phone, evening: Evening) -> None:
    """Two lost, the third arrives: the person pressed once."""
    evening.ready()
    phone.returns()
    expect(phone.headline).to_have_text("Ready")
    evening.door.drop("/stop", times=2)
    phone.press("Stop")
    phone.reads("said", "Stop is not sent yet")
    phone.reads("said", "Stopping.")
    assert evening.door.posts("/stop") == 3
    evening.until("off")


def test_a_start_is_never_sent_twice(phone: Phone, evening: Evening) -> None:
    """Its answer is lost: it says so, and sends nothing more by itself.

    Chromium repeats a POST once whose connection was used before and closes.
    """
    evening.door.drop("/start")
    phone.start()
    phone.reads("said", "Not confirmed: no answer came.")
    sent = evening.door.posts("/start")
    assert sent <= 2
    phone.page.wait_for_timeout(3000)
    assert evening.door.posts("/start") == sent
    assert evening.state() == "off"


def test_an_older_answer_never_overwrites(phone: Phone, evening: Evening) -> None:
    """A status that hangs while a stop is answered is thrown away."""
    evening.ready()
    phone.returns()
    expect(phone.headline).to_have_text("Ready")
    phone.page.route("**/status*", _hang, times=1)
    phone.returns()
    phone.reads("headline", "ago: ready")
    phone.press("Stop")
    expect(phone.headline).to_have_text("Stopping")
    phone.page.wait_for_timeout(1000)
    expect(phone.headline).to_have_text("Stopping")
    evening.until("off")


def _hang(route: Route) -> None:
    """Take a request and never answer it."""


def test_a_hidden_page_asks_nothing(phone: Phone, evening: Evening) -> None:
    """Visible it asks by itself; hidden not once, whatever the time."""
    phone.page.clock.install()
    phone.hide(hidden=True)
    before = len(evening.door.asked)
    for _ in range(12):
        phone.page.clock.run_for(10_000)
    phone.page.wait_for_timeout(300)
    assert len(evening.door.asked) == before
    phone.hide(hidden=False)
    for _ in range(3):
        phone.page.clock.run_for(10_000)
        phone.page.wait_for_timeout(200)
    assert len(evening.door.of("GET", "/status")) >= 3
