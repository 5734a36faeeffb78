"""A phone in a test's hand: the page, what can be read on it, what can be pressed."""

from playwright.sync_api import ConsoleMessage, Locator, Page, expect

# What a browser itself says when a request fails; the page answers for it in words.
_OF_THE_NETWORK = ("Failed to load resource", "net::ERR")


class Phone:
    """One page of one browser; `errors` is what scripts complained of."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.errors: list[str] = []
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, path: str = "/") -> None:
        self.page.goto(f"{self.url}{path}", wait_until="load")

    def pair(self, typed: str) -> None:
        """Open the page, type a code or token, and see how the machine is."""
        self.open()
        self.page.get_by_label("Pairing code").fill(typed)
        self.press("Pair")
        expect(self.page.locator("#summary")).not_to_be_empty()

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def start(self) -> None:
        """Press Start…, and say yes to the question."""
        self.press("Start…")
        self.page.get_by_role("button", name="Start for 2 h").click()

    @property
    def big(self) -> Locator:
        return self.page.locator("#big")

    @property
    def headline(self) -> Locator:
        return self.page.locator("#headline")

    def text(self, id_: str) -> str:
        return (self.page.locator(f"#{id_}").text_content() or "").strip()

    def reads(self, id_: str, words: str) -> None:
        """Wait until a part of the page has these words."""
        expect(self.page.locator(f"#{id_}")).to_contain_text(words)

    def returns(self) -> None:
        """Come back to the page: its network is there again."""
        self.page.evaluate("() => dispatchEvent(new Event('online'))")

    def hide(self, *, hidden: bool) -> None:
        """Lock the phone, or look at it again: Chromium never hides a headless page."""
        self.page.evaluate(
            """(hidden) => {
              const state = hidden ? "hidden" : "visible";
              const be = (name, value) =>
                Object.defineProperty(document, name, {value, configurable: true});
              be("hidden", hidden);
              be("visibilityState", state);
              document.dispatchEvent(new Event("visibilitychange"));
            }""",
            hidden,
        )

    def content(self) -> None:
        """Fail if a script of the page complained."""
        assert self.errors == []

    def _note(self, message: ConsoleMessage) -> None:
        ours = not any(words in message.text for words in _OF_THE_NETWORK)
        if message.type in {"error", "warning"} and ours:
            self.errors.append(message.text)
