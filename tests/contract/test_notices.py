"""Notices: the twin and Apprise agree."""

import pytest

from control.errors import AzureError
from tests.contract.worlds import NoticesWorld


def test_a_notice_arrives_once_with_title_and_text(notices: NoticesWorld) -> None:
    """And nothing else does."""
    notices.notices.send("Stopped", "84.80 USD spent.")
    (arrived,) = notices.arrived()
    assert "Stopped" in arrived
    assert "84.80 USD spent." in arrived


def test_a_notice_that_was_not_taken_is_an_error(notices: NoticesWorld) -> None:
    """It is the caller's to try again."""
    notices.fail()
    with pytest.raises(AzureError):
        notices.notices.send("Stopped", "84.80 USD spent.")
    notices.notices.send("Stopped", "Again.")
    assert "Again." in notices.arrived()[-1]
