"""Pairing in real browsers: where a code is used, and what it leaves behind."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, Playwright, expect

from tests.browser.conftest import lasting
from tests.browser.phone import Phone
from tests.evening import Evening
from tests.soon import soon

STANDALONE = "Object.defineProperty(navigator, 'standalone', {value: true})"


def test_p01_an_installed_app_pairs_by_paste(
    phones: Callable[..., Phone], evening: Evening
) -> None:
    """P01: the browser scanned it, the app knows nothing: it offers paste, calmly."""
    evening.device("iphone")
    code = evening.code("iphone")
    scanned = phones(permissions=["clipboard-read", "clipboard-write"])
    scanned.open(f"/#{code}")
    scanned.reads("pairing-title", f"A code was scanned: {code[:5]}-{code[5:]}")
    scanned.reads("scanned", "On an iPhone: copy the code first.")
    scanned.press("Copy the code")
    scanned.reads("pairing-said", "Copied. Open the app")
    app = phones(permissions=["clipboard-read", "clipboard-write"])
    app.page.add_init_script(STANDALONE)
    app.open()
    app.reads("pairing-title", "Pair this phone")
    app.page.evaluate("(code) => navigator.clipboard.writeText(code)", code)
    app.press("Paste")
    expect(app.headline).to_have_text("Off")
    scanned.press("Use it here")
    scanned.reads("pairing-said", "Not paired: this code is unknown, used or too old.")


def test_wrong_spent_and_old_codes_get_one_sentence(
    phones: Callable[..., Phone], evening: Evening
) -> None:
    """Nobody learns from it which of the three it was."""
    evening.device("iphone")
    spent, old = evening.code("iphone"), evening.code("iphone")
    phones().pair(spent)
    evening.minutes(11)
    said = set()
    for code in ("0000000000", spent, old):
        phone = phones()
        phone.open()
        phone.page.get_by_label("Pairing code").fill(f"{code[:5]}-{code[5:].lower()}")
        phone.press("Pair")
        phone.reads("pairing-said", "Not paired")
        said.add(phone.text("pairing-said"))
    assert len(said) == 1


def test_what_is_no_code_is_not_sent(
    phones: Callable[..., Phone], evening: Evening
) -> None:
    """A slip of the thumb costs no request, and the field says so."""
    phone = phones()
    phone.open()
    phone.page.get_by_label("Pairing code").fill("hello")
    phone.press("Pair")
    phone.reads("pairing-said", "That is no code.")
    assert evening.door.posts("/pair") == 0


def test_p02_a_token_is_nowhere_but_in_the_pages_store(
    playwright: Playwright, evening: Evening, profile: Path
) -> None:
    """P02: no request line, Referer, manifest, cache or history holds it."""
    token = evening.device("iphone")
    with lasting(playwright, profile) as context:
        _use(context.pages[0], evening)
    for passed in evening.door.passed:
        assert token not in passed.target
        assert token not in passed.headers.get("Referer", "")
        assert "Cookie" not in passed.headers
    held = [path for path in profile.rglob("*") if _holds(path, token)]
    assert held, "the page's own store has it"
    assert {path.parent.name for path in held} == {"leveldb"}
    assert {path.parent.parent.name for path in held} == {"Local Storage"}


def _use(page: Page, evening: Evening) -> None:
    """Pair by a scanned code, reload, look at the other page and come back."""
    headline = page.locator("#headline")
    page.goto(f"{evening.door.url}/#{evening.code('iphone')}")
    page.get_by_role("button", name="Use it here").click()
    expect(headline).to_have_text("Off")
    soon(lambda: page.evaluate("() => Boolean(navigator.serviceWorker.controller)"))
    page.reload()
    expect(headline).to_have_text("Off")
    assert page.url == f"{evening.door.url}/"
    page.goto(f"{evening.door.url}/ledger")
    page.goto(f"{evening.door.url}/")
    expect(headline).to_have_text("Off")


def _holds(path: Path, token: str) -> bool:
    """Whether a file has the token, in either of the encodings that Chromium uses."""
    if not path.is_file():
        return False
    held = path.read_bytes()
    return token.encode() in held or token.encode("utf-16-le") in held


def test_p13_loading_a_pairing_link_spends_nothing(
    phones: Callable[..., Phone], evening: Evening
) -> None:
    """P13: a scanner that runs scripts waits ten seconds; the code is still good."""
    evening.device("iphone")
    code = evening.code("iphone")
    scanner = phones()
    scanner.page.clock.install()
    scanner.open(f"/#{code}")
    scanner.reads("pairing-title", "A code was scanned")
    for _ in range(10):
        scanner.page.clock.run_for(1000)
    scanner.page.wait_for_timeout(500)
    assert {passed.method for passed in evening.door.passed} == {"GET"}
    phone = phones()
    phone.pair(code)
    expect(phone.headline).to_have_text("Off")


def test_a_revoked_phone_is_told_so(phone: Phone, evening: Evening) -> None:
    """In words, with the way back; it asks no more, and a new code pairs it again."""
    evening.revoke("iphone")
    phone.returns()
    phone.reads("pairing-title", "This phone was removed")
    phone.reads("pairing-how", "the token of iphone was revoked")
    expect(phone.page.locator("#switch")).to_be_hidden()
    before = len(evening.door.asked)
    phone.page.wait_for_timeout(3000)
    assert len(evening.door.asked) == before
    evening.device("iphone-2")
    phone.page.get_by_label("Pairing code").fill(evening.code("iphone-2"))
    phone.press("Pair")
    expect(phone.headline).to_have_text("Off")
    phone.reads("paired", "Paired as iphone-2.")


def test_a_paired_phone_may_leave_a_scanned_code(
    phone: Phone, evening: Evening
) -> None:
    """It can use it, or not: without a tap nothing changes."""
    code = evening.code("iphone")
    phone.page.evaluate("(code) => { location.hash = code }", code)
    phone.reads("pairing-title", "A code was scanned")
    phone.press("Not now")
    expect(phone.page.locator("#pairing")).to_be_hidden()
    assert phone.page.url == f"{evening.door.url}/"
    assert evening.door.posts("/pair") == 0


def test_a_phone_forgets(phone: Phone, evening: Evening) -> None:
    """Its token and what it knew are gone from the browser."""
    del evening
    phone.press("Forget the token on this phone")
    phone.reads("pairing-title", "Pair this phone")
    assert phone.page.evaluate("() => localStorage.length") == 0
    phone.page.reload()
    phone.reads("pairing-title", "Pair this phone")


def test_a_cold_start_does_not_use_the_code_up(
    phones: Callable[..., Phone], evening: Evening
) -> None:
    """Azure's page is not the switch's answer: it waits, and pairs."""
    evening.device("iphone")
    phone = phones()
    phone.open(f"/#{evening.code('iphone')}")
    evening.door.page(503, "/pair", times=2)
    phone.press("Use it here")
    phone.reads("pairing-said", "Waking up.")
    expect(phone.headline).to_have_text("Off")
    assert evening.door.posts("/pair") == 3
