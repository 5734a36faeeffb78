"""`make screenshots`: the pictures of the phone page that README.md shows.

One evening on the demo's stack, as a phone and a desktop show it, light and dark.
"""

import sys
import tempfile
from pathlib import Path
from typing import Literal, NamedTuple

import httpx
from playwright.sync_api import Browser, ViewportSize, expect, sync_playwright

from local.stack import running
from tests.browser.conftest import CHROMIUM, SMALL, SWITCHES
from tests.browser.phone import Phone
from tests.door import opened
from tests.evening import Evening


class Picture(NamedTuple):
    """Which device, in which light, and what it shows."""

    device: str
    scheme: Literal["light", "dark"]
    shows: Literal["off", "question", "ready"]

    @property
    def file(self) -> str:
        """Its name in the folder."""
        return f"{self.device}-{self.scheme}-{self.shows}.png"


BEFORE = (Picture("phone", "light", "question"), Picture("desktop", "light", "off"))
DURING = (
    Picture("phone", "light", "ready"),
    Picture("phone", "dark", "ready"),
    Picture("desktop", "dark", "ready"),
)
FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
SIZES: dict[str, ViewportSize] = {
    "phone": SMALL,
    "desktop": {"width": 1100, "height": 844},
}
_SCALES = {"phone": 2, "desktop": 1}


def take(evening: Evening, browser: Browser, folder: Path) -> list[Path]:
    """Photograph a whole evening; return the files, which replace older ones."""
    folder.mkdir(parents=True, exist_ok=True)
    token = evening.device("iphone")
    evening.ready()
    evening.call("POST", "/stop", {})
    evening.until("off")
    made = [_photograph(evening, browser, folder, token, of) for of in BEFORE]
    evening.ready()
    evening.minutes(24)
    return made + [_photograph(evening, browser, folder, token, of) for of in DURING]


def _photograph(
    evening: Evening, browser: Browser, folder: Path, token: str, of: Picture
) -> Path:
    path = folder / of.file
    context = browser.new_context(
        viewport=SIZES[of.device],
        device_scale_factor=_SCALES[of.device],
        color_scheme=of.scheme,
    )
    phone = Phone(context.new_page(), evening.door.url)
    phone.pair(token)
    expect(phone.headline).to_have_text("Ready" if of.shows == "ready" else "Off")
    expect(phone.page.locator("#sessions li").first).to_be_visible()
    if of.shows == "question":
        phone.press("Start…")
        expect(phone.page.locator("#go")).to_be_enabled()
    phone.page.screenshot(path=path, animations="disabled")
    context.close()
    return path


def main() -> None:
    """Take them all, on a stack of their own."""
    with (
        tempfile.TemporaryDirectory(prefix="kimi-pictures-") as place,
        running(Path(place)) as stack,
        opened(stack.url) as door,
        httpx.Client(timeout=30, trust_env=False) as client,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*SWITCHES])
        evening = Evening(stack=stack, door=door, client=client)
        for path in take(evening, browser, FOLDER):
            sys.stdout.write(f"{path.relative_to(FOLDER.parents[1])}\n")
        browser.close()


if __name__ == "__main__":
    main()
