"""An app over a double of the switch."""

import pytest

from tests.unit.web.support import Site


@pytest.fixture
def site() -> Site:
    return Site()
