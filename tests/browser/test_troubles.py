"""What goes wrong with the machine, as a phone shows it."""

import json
import re
from decimal import Decimal

import pytest
from playwright.sync_api import expect

from local.azure.phases import USUAL, Phase
from tests.browser.phone import Phone
from tests.evening import Evening
from tests.soon import soon

RED = {"rgb(179, 38, 30)"}


def test_no_capacity(phone: Phone, evening: Evening) -> None:
    """It is said that Azure has none, that nothing is billed, and stop is there."""
    evening.stack.azure.faults.arm("allocation_failed", times=2)
    phone.start()

    def looks() -> bool:
        """Between two attempts it waits; during one it boots."""
        evening.until("waiting_for_capacity")
        phone.returns()
        phone.page.wait_for_timeout(500)
        return phone.text("headline") == "Looking for capacity"

    soon(looks)
    phone.reads("summary", "Nothing is billed")
    expect(phone.big).to_have_text("Stop")
    evening.until("ready")
    phone.returns()
    expect(phone.headline).to_have_text("Ready")


def test_a_slow_start_shows_how_far_it_is(phone: Phone, evening: Evening) -> None:
    """The weights' percentage and then the next step, each in large."""
    evening.stack.azure.vm.behave(takes=dict(USUAL))
    phone.start()
    expect(phone.headline).to_have_text("Booting")
    evening.until("loading")
    while evening.stack.azure.vm.phase is not Phase.WEIGHTS:
        evening.minutes(0.5)
    evening.minutes(8)
    soon(lambda: _is_heard(evening))
    phone.returns()
    expect(phone.headline).to_have_text(re.compile(r"Weights \d\d %"))
    percent = int(re.sub(r"\D", "", phone.text("headline")))
    assert 40 < percent < 80
    evening.minutes(8)
    soon(lambda: _is_heard(evening))
    phone.returns()
    expect(phone.headline).to_have_text(re.compile(r"Checking GPUs|Loading \d+ %"))


def _is_heard(evening: Evening) -> bool:
    """Whether the machine has said something lately; a busy computer takes a while."""
    evening.minutes(0.1)
    return evening.call("GET", "/status")["problem"] is None


def test_a_start_that_azure_refuses_says_why(phone: Phone, evening: Evening) -> None:
    """The cause and who can mend it; the button is there again."""
    evening.stack.azure.faults.arm("quota", times=1)
    phone.start()
    phone.reads("said", "Not started: the subscription's quota")
    expect(phone.headline).to_have_text("Off")
    expect(phone.big).to_be_enabled()


def test_a_stop_that_is_not_confirmed(phone: Phone, evening: Evening) -> None:
    """It stays Stopping, and billed, until Azure says that it is off."""
    evening.ready()
    phone.returns()
    expect(phone.headline).to_have_text("Ready")
    evening.stack.azure.faults.arm("stop_takes", seconds=1200)
    phone.press("Stop")
    phone.reads("said", "Stopping.")
    evening.minutes(6)
    phone.returns()
    expect(phone.headline).to_have_text("Stopping")
    phone.reads("summary", "billed until Azure says that it is off")
    expect(phone.page.get_by_role("button", name="Start…")).to_have_count(0)
    evening.until("off", step=1)
    phone.returns()
    expect(phone.headline).to_have_text("Off")


def test_a_machine_found_on(phone: Phone, evening: Evening) -> None:
    """Started in the portal: it is shown as on, with its end, its cost and Stop."""
    evening.stack.azure.vm.start_outside()
    evening.until("starting", "loading", "ready")
    phone.returns()
    expect(phone.big).to_have_text("Stop")
    phone.reads("cost", "USD")
    phone.reads("left-time", "h")
    phone.press("Stop")
    evening.until("off")


def test_off_but_still_billed_is_red(phone: Phone, evening: Evening) -> None:
    """Shut down from inside: the word says that it bills, in red, until it does not."""
    evening.ready()
    evening.stack.azure.faults.arm("scope_lock_on_stop")
    evening.stack.azure.vm.shut_down_inside()
    evening.until("stopped_but_billing")
    phone.returns()
    expect(phone.headline).to_have_text("Off but still billed")
    colour = phone.headline.evaluate("(it) => getComputedStyle(it).color")
    assert colour in RED
    expect(phone.big).to_have_text("Stop")


def test_the_budget_is_too_small(phone: Phone, evening: Evening) -> None:
    """Start is not to be had, and the page says why before anybody presses."""
    spent = evening.call("GET", "/status")["budget"]
    used = Decimal(spent["spent"]) + Decimal(spent["standing_to_come"])
    with evening.deployed(BUDGET_LIMIT=str(used + 20)):
        phone.returns()
        phone.reads("summary", "A start would be refused: too little is left")
        expect(phone.big).to_have_text("Start…")
        expect(phone.big).to_be_disabled()
        phone.reads("budget", "0.2 hours")


def test_several_machines_are_chosen_from(phone: Phone, evening: Evening) -> None:
    """The page shows one, and its Stop means that one; the other stays as it is."""
    group = evening.stack.functions.setting("VM_RESOURCE_GROUP")
    names = ("vm-kimi-01", "vm-kimi-02")
    both = json.dumps([{"name": name, "resource_group": group} for name in names])
    with evening.deployed(MACHINES=both, VM_NAME="", VM_RESOURCE_GROUP=""):
        phone.returns()
        chooser = phone.page.get_by_label("Machine")
        expect(chooser).to_have_value("vm-kimi-01")
        chooser.select_option("vm-kimi-02")
        expect(phone.headline).to_have_text("Unknown")
        phone.press("Stop")
        phone.reads("said", "vm-kimi-02")
        assert evening.door.of("POST", "/stop")[-1].target == "/stop?machine=vm-kimi-02"
        chooser.select_option("vm-kimi-01")
        expect(phone.headline).to_have_text("Off")


def test_limits_that_nobody_checks_are_red(phone: Phone, evening: Evening) -> None:
    """Older than 3 minutes, by the switch's clock: it says to stop by hand."""
    phone.reads("limits", "Limits last checked")
    phone.page.route("**/status*", lambda route: route.fulfill(json=_aged(evening)))
    phone.returns()
    phone.reads("limits", "Limits not checked for 4 minutes. Stop it yourself")
    colour = phone.page.locator("#limits").evaluate(
        "(it) => getComputedStyle(it).color"
    )
    assert colour in RED


def _aged(evening: Evening) -> dict[str, object]:
    status = evening.call("GET", "/status")
    minute = int(status["now"][14:16])
    hour = int(status["now"][11:13])
    total = hour * 60 + minute - 4
    at = (
        f"{status['now'][:11]}{total // 60 % 24:02}:{total % 60:02}{status['now'][16:]}"
    )
    status["enforcers"]["timer"] = {"last_tick_at": at, "stale": True}
    return status


@pytest.mark.parametrize("hours", ["1", "4"])
def test_the_question_says_cost_and_limit(
    phone: Phone, evening: Evening, hours: str
) -> None:
    """Cancel has the focus; every choice says what it costs at most and its end."""
    del evening
    phone.press("Start…")
    expect(phone.page.get_by_role("button", name="Cancel")).to_be_focused()
    phone.reads("question-cost", "169.60 USD")
    phone.page.get_by_label(f"{hours} h", exact=True).check()
    cost = {"1": "84.80", "4": "339.20"}[hours]
    phone.reads("question-cost", f"It costs at most {cost} USD.")
    limit = {"1": "the time you choose", "4": "the longest time a session may run"}
    phone.reads("question-end", limit[hours])
    phone.page.keyboard.press("Escape")
    expect(phone.page.get_by_role("dialog")).to_have_count(0)


def test_enter_and_a_double_tap_spend_nothing(phone: Phone, evening: Evening) -> None:
    """The first button is Cancel, and the other one is deaf for a moment."""
    phone.press("Start…")
    phone.page.keyboard.press("Enter")
    expect(phone.page.get_by_role("dialog")).to_have_count(0)
    phone.press("Start…")
    go = phone.page.locator("#go")
    place = go.bounding_box()
    assert place is not None
    phone.page.mouse.click(place["x"] + 5, place["y"] + 5)
    expect(go).to_be_enabled()
    phone.page.get_by_label("1 h", exact=True).focus()
    phone.page.keyboard.press("Enter")
    expect(phone.page.get_by_role("dialog")).to_have_count(0)
    assert evening.door.posts("/start") == 0
    assert evening.state() == "off"
