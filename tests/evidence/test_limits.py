"""The local Azure's buckets against the documented and the recorded ones."""

import pytest

from local.azure.limits import BUCKETS
from tests.evidence.shared import evidence, recorded

_NAMES = ["UpdateVM", "DeleteVM", "LowCostGet", "GetOperation"]


@pytest.mark.parametrize("name", _NAMES)
def test_a_machines_bucket(name: str) -> None:
    """What one machine may ask a minute, and at once."""
    policies = evidence("limits/compute_throttling.json")["compute"]
    policy = next(each for each in policies if each["policy"].startswith(name))
    ours = BUCKETS[name]
    assert [ours.refill, ours.burst] == policy["per_vm"]


def test_there_is_no_bucket_that_is_not_documented() -> None:
    """Ours are those of the calls that we make."""
    assert sorted(BUCKETS) == sorted(_NAMES)


def test_what_was_left_in_2024_fits_the_bucket() -> None:
    """The one recording of the newer header: one read out of a full bucket."""
    header = recorded("49")["headers"]["x-ms-ratelimit-remaining-resource"]
    left = dict(part.split(";") for part in header.split(","))
    burst = BUCKETS["LowCostGet"].burst
    assert left["Microsoft.Compute/LowCostGetResource"] == str(burst - 1)
