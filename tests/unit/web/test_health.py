"""The dead man's switch: 503 when the timer has not run for 3 minutes."""

from datetime import timedelta

import pytest

from control.errors import LedgerUnavailable
from control.records import Pass
from control.version import VERSION
from tests.unit.web.support import NOW, Site, document, slug


def ticked(site: Site, ago: timedelta) -> None:
    site.switch.ticked = Pass(at=NOW - ago)


def test_a_timer_that_runs_is_healthy(site: Site) -> None:
    """Three minutes are still healthy."""
    ticked(site, timedelta(minutes=3))
    answer = site.get("healthz", token=None)
    assert answer.status == 200
    assert document(answer) == {
        "ok": True,
        "version": VERSION,
        "last_tick_age_s": 180,
    }


def test_a_timer_that_stopped_is_503(site: Site) -> None:
    """With the same fields, and GET and HEAD agree: monitors use either."""
    ticked(site, timedelta(minutes=3, seconds=1))
    answer = site.get("healthz", token=None)
    assert slug(answer) == "timer-stale"
    made = document(answer)
    assert (made["ok"], made["version"], made["last_tick_age_s"]) == (
        False,
        VERSION,
        181,
    )
    assert site.call("healthz", "HEAD", token=None).status == 503


@pytest.mark.parametrize("failing", [None, LedgerUnavailable("SECRETX")])
def test_a_timer_that_is_not_known_to_run_is_503(
    site: Site, failing: LedgerUnavailable | None
) -> None:
    """No tick yet, or no ledger to read it in."""
    site.switch.failing = failing
    answer = site.get("healthz", token=None)
    assert slug(answer) == "timer-stale"
    assert document(answer)["last_tick_age_s"] is None


def test_one_row_is_read_in_ten_seconds_whatever_the_traffic(site: Site) -> None:
    """Nobody with a token is needed to call it, so it must cost nothing."""
    ticked(site, timedelta(seconds=10))
    for _ in range(20):
        site.get("healthz", token=None)
    assert site.switch.tick_reads == 1
    site.clock.advance(timedelta(seconds=9))
    assert document(site.get("healthz"))["last_tick_age_s"] == 19
    assert site.switch.tick_reads == 1
    site.clock.advance(timedelta(seconds=1))
    site.get("healthz")
    assert site.switch.tick_reads == 2
    assert site.tokens.reads == 0
    assert site.switch.asked == []


def test_a_clock_behind_the_timers_is_no_negative_age(site: Site) -> None:
    """Two machines' clocks differ by a second or two."""
    ticked(site, timedelta(seconds=-2))
    assert document(site.get("healthz"))["last_tick_age_s"] == 0
