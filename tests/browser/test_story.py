"""The whole story in a browser: pair, start, watch, extend, stop, see the cost."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.phone import Phone
from tests.evening import SHORT, Evening


def test_an_evening(phones: Callable[..., Phone], evening: Evening) -> None:
    """From a scanned code to the line of the ledger, in what a person reads."""
    evening.device("iphone")
    evening.stack.azure.vm.behave(takes=SHORT, ends_itself=False)
    phone = phones()
    phone.open(f"/#{evening.code('iphone')}")
    phone.press("Use it here")
    phone.reads("headline", "Off")
    phone.reads("paired", "Paired as iphone.")
    assert phone.page.url == f"{evening.door.url}/"
    phone.start()
    phone.reads("said", "Starting. It runs until")
    expect(phone.headline).to_have_text("Booting")
    evening.until("ready")
    evening.stack.azure.vm.use(requests_running=1)
    phone.returns()
    expect(phone.headline).to_have_text("Ready")
    phone.reads("left-time", "1 h 5")
    phone.reads("rate", "1.41 USD")
    phone.reads("extend-note", "Costs 42.40 USD, at most until")
    phone.press("+30 min")
    phone.reads("said", "Extended until")
    phone.reads("left-time", "2 h 2")
    phone.press("Stop")
    phone.reads("said", "Stopping.")
    evening.until("off")
    phone.returns()
    expect(phone.headline).to_have_text("Off")
    phone.reads("summary", "Stopped by iphone.")
    phone.reads("sessions", "Stopped by iphone.")
    line = evening.sessions()[0]
    phone.reads("cost", f"{line['cost']} USD")
    phone.reads("sessions", f"{line['cost']} USD")


def test_two_phones_see_one_session(
    phones: Callable[..., Phone], phone: Phone, evening: Evening
) -> None:
    """What one starts, the other sees and stops; neither opens a second one."""
    other = phones()
    other.pair(evening.device("android"))
    before = len(evening.sessions())
    evening.stack.azure.vm.behave(takes=SHORT, ends_itself=False)
    other.press("Start…")
    phone.start()
    phone.reads("said", "Starting.")
    expect(phone.headline).to_have_text("Booting")
    other.page.get_by_role("button", name="Start for 2 h").click()
    other.reads("said", "Already asked for.")
    evening.until("ready")
    other.returns()
    expect(other.headline).to_have_text("Ready")
    other.press("Stop")
    evening.until("off")
    phone.returns()
    phone.reads("sessions", "Stopped by android.")
    newest, *rest = evening.sessions()
    assert (newest["started_by"], newest["stopped_by"]) == ("iphone", "android")
    assert len(rest) == before
