"""What the recipes need beside the demo's stack: a device's token."""

import pytest

from tests.evening import Evening


@pytest.fixture
def token(evening: Evening) -> str:
    """Give a phone its token, as the operator does."""
    return evening.device("my-phone")
