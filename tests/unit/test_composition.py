"""What the settings become: the right machines, ledger and links, and no call."""

from datetime import UTC, datetime

import pytest

from control.composition import build, ledger_table
from control.errors import SettingsError
from control.memory import MemoryClock
from control.settings import Settings
from control.switch import Switch
from control.web.http import Request
from tests.unit.test_settings import GIVEN

CLOCK = MemoryClock(datetime(2026, 11, 30, 10, 0, tzinfo=UTC))
LOCAL = {
    "LEDGER_TABLE_ENDPOINT": "",
    "LEDGER_CONNECTION_STRING": "DefaultEndpointsProtocol=https;AccountName=a;"
    "AccountKey=c2VjcmV0",
}


@pytest.mark.parametrize("changed", [{}, LOCAL, {"BUDGET_NAME": "kimi"}])
def test_a_switch_and_an_app_are_made_and_nobody_is_called(
    changed: dict[str, str],
) -> None:
    """The hosts of these settings do not exist: a call would fail here."""
    made = build(GIVEN | changed, CLOCK)
    assert isinstance(made.switch, Switch)
    assert made.switch.machines == ("vm-kimi-01",)
    assert made.app.answer("openapi", Request(method="GET")).status == 200


def test_bad_settings_are_an_error_of_ours() -> None:
    """Before anything else is made."""
    with pytest.raises(SettingsError):
        build({}, CLOCK)


def test_the_ledger_is_reached_by_key_or_by_identity() -> None:
    """Whichever is set."""
    for changed in ({}, LOCAL):
        assert ledger_table(Settings.load(GIVEN | changed)) is not None
