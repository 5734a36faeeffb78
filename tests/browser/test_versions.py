"""P07: a new version while the old one is open: always one whole version."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from control.web.shell import load
from local.stack import ROOT
from tests.browser.phone import Phone
from tests.evening import Evening
from tests.soon import soon

_CONTROLLED = "() => Boolean(navigator.serviceWorker.controller)"
# As the page itself does when somebody comes back to it.
_UPDATE = """() => {
  const made = navigator.serviceWorker.getRegistration();
  made.then((it) => it.update()).catch(() => {});
}"""
_SETTLED = """async () => {
  const made = await navigator.serviceWorker.getRegistration();
  return !made.installing && (await caches.keys()).length === 1;
}"""


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """The app as it is deployed next: its scripts have other names."""
    app = tmp_path / "newer"
    app.mkdir()
    for name in ("function_app.py", "host.json"):
        shutil.copy(ROOT / name, app)
    shutil.copytree(ROOT / "control", app / "control")
    page = app / "control/web/page"
    for script in page.glob("*.js"):
        if script.name not in {"sw.js", "again.js"}:
            script.rename(page / f"new-{script.name}")
    for file in page.glob("*.[!p]*"):
        text = file.read_text()
        text = re.sub(r'(\./|\}\}/)(\w+)\.js"', r'\1new-\2.js"', text)
        text = re.sub(r'new-(words|again)\.js"', r'\1.js"', text)
        file.write_text(text.replace("<h1>{{TITLE}}</h1>", "<h1>The new switch</h1>"))
    return app


@pytest.fixture
def old(phone: Phone) -> Iterator[Phone]:
    """A page of the old version, whose worker has all its files."""
    soon(lambda: phone.page.evaluate(_CONTROLLED))
    failed: list[str] = []
    phone.page.on("requestfailed", lambda request: failed.append(request.url))
    yield phone
    assert not [url for url in failed if "/shell/" in url]


def _title(phone: Phone) -> str:
    return phone.page.locator("h1").text_content() or ""


def test_p07_reloads_show_one_whole_version(
    old: Phone, evening: Evening, newer: Path
) -> None:
    """Online and offline the old page works, until it is idle; then the new one."""
    page = old.page
    with evening.deployed(newer):
        page.reload()
        assert _title(old) == "The switch"
        expect(old.headline).to_have_text("Off")
        evening.door.drop()
        page.reload()
        assert _title(old) == "The switch"
        old.reads("headline", "ago: off")
        evening.door.heal()
        page.evaluate(_UPDATE)
        expect(page.locator("h1")).to_have_text("The new switch", timeout=20_000)
        expect(old.headline).to_have_text("Off")
        old.press("Start…")
        expect(page.get_by_role("dialog")).to_be_visible()
        old.press("Cancel")
        evening.door.drop()
        page.reload()
        assert _title(old) == "The new switch"
        old.reads("headline", "ago: off")
        evening.door.heal()


def test_p07_an_open_question_is_not_taken_away(
    old: Phone, evening: Evening, newer: Path
) -> None:
    """The page changes when the dialog is closed and nobody touches it."""
    page = old.page
    with evening.deployed(newer):
        old.returns()
        expect(old.headline).to_have_text("Off")
        old.press("Start…")
        page.evaluate(_UPDATE)
        page.wait_for_timeout(12_000)
        expect(page.get_by_role("dialog")).to_be_visible()
        assert _title(old) == "The switch"
        old.press("Cancel")
        expect(page.locator("h1")).to_have_text("The new switch", timeout=20_000)


def test_a_half_deployed_version_is_not_kept(
    old: Phone, evening: Evening, newer: Path
) -> None:
    """One of its files does not come: the old worker stays, whole."""
    with evening.deployed(newer):
        evening.door.page(200, "/manifest.webmanifest")
        old.page.evaluate(_UPDATE)
        soon(lambda: evening.door.of("GET", "/manifest.webmanifest"))
        soon(lambda: old.page.evaluate(_SETTLED))
        old.page.reload()
        assert _title(old) == "The switch"
        expect(old.headline).to_have_text("Off")
        evening.door.heal()


@pytest.mark.parametrize("missing", ["main.js", "watch.js"])
def test_a_first_visit_in_a_deployment_loads_anew(
    phones: Callable[..., Phone], evening: Evening, missing: str
) -> None:
    """The page came from one version, and a module was asked of another."""
    phone = phones()
    path = next(path for path in load().files if path.endswith(f"/{missing}"))
    evening.door.page(404, path, times=1)
    phone.open()
    expect(phone.page.get_by_label("Pairing code")).to_be_visible(timeout=10_000)
    opened = [
        passed
        for passed in evening.door.of("GET", "/")
        if passed.headers["Sec-Fetch-Dest"] == "document"
    ]
    assert len(opened) == 2
    assert all("MIME" in each for each in phone.errors)
    phone.errors.clear()
