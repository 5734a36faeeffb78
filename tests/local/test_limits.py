"""Compute's rate limits: a bucket for each machine, and what the headers tell."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from local.azure import LocalAzure
from local.azure.limits import BUCKETS, DELETE, READ, UPDATE, Bucket, Limits
from local.clock import SharedClock

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def taken(limits: Limits, bucket: Bucket, now: datetime, machine: str = "a") -> int:
    """How many tokens there are at an instant."""
    count = 0
    while limits.wait(bucket, machine, now) is None:
        count += 1
    return count


@pytest.mark.parametrize("bucket", BUCKETS.values(), ids=BUCKETS)
def test_a_bucket_holds_a_burst_and_refills_by_the_minute(bucket: Bucket) -> None:
    """All it holds at once, then what a minute brings, never more than it holds."""
    limits = Limits()
    assert taken(limits, bucket, NOW) == bucket.burst
    assert taken(limits, bucket, NOW) == 0
    assert taken(limits, bucket, NOW + 60 * SECOND) == bucket.refill
    assert taken(limits, bucket, NOW + timedelta(hours=9)) == bucket.burst


def test_the_wait_is_what_a_token_takes() -> None:
    """A second less is refused again, and a refusal costs nothing."""
    limits = Limits()
    taken(limits, UPDATE, NOW)
    assert limits.wait(UPDATE, "a", NOW) == 15
    assert limits.wait(UPDATE, "a", NOW + 5 * SECOND) == 10
    assert limits.wait(UPDATE, "a", NOW + 14 * SECOND) == 1
    assert limits.wait(UPDATE, "a", NOW + 15 * SECOND) is None


def test_buckets_and_machines_are_apart() -> None:
    """One that is empty says nothing of another."""
    limits = Limits()
    taken(limits, UPDATE, NOW, "a")
    assert taken(limits, UPDATE, NOW, "b") == UPDATE.burst
    assert taken(limits, DELETE, NOW, "a") == DELETE.burst


def test_a_call_of_the_past_brings_no_tokens() -> None:
    """A guest that acts before a jump finds what is there, and adds nothing."""
    limits = Limits()
    taken(limits, DELETE, NOW)
    assert limits.wait(DELETE, "a", NOW - timedelta(hours=1)) == 15
    assert taken(limits, DELETE, NOW + 15 * SECOND) == 1


def test_a_bucket_can_hold_what_others_left() -> None:
    """It grows from there as ever."""
    limits = Limits()
    limits.hold(READ, "a", 2, NOW)
    assert taken(limits, READ, NOW) == 2
    assert taken(limits, READ, NOW + 60 * SECOND) == READ.refill


def test_the_headers_count_two_windows() -> None:
    """Three minutes and thirty; what is older is free again."""
    limits = Limits()
    name = "x-ms-ratelimit-remaining-resource"
    first = limits.use(UPDATE, NOW)[name]
    assert first == (
        "Microsoft.Compute/UpdateVM3Min;239,Microsoft.Compute/UpdateVM30Min;1199"
    )
    later = limits.use(UPDATE, NOW + timedelta(minutes=4))[name]
    assert later.endswith("UpdateVM3Min;239,Microsoft.Compute/UpdateVM30Min;1198")
    last = limits.use(UPDATE, NOW + timedelta(minutes=33))[name]
    assert last.endswith("UpdateVM3Min;239,Microsoft.Compute/UpdateVM30Min;1198")


@pytest.mark.parametrize(
    ("call", "burst", "wait"),
    [
        ("POST /start", 12, "15"),
        ("POST /deallocate", 12, "15"),
        ("POST /powerOff", 12, "15"),
        ("GET ", 36, "5"),
        ("GET /instanceView", 36, "5"),
    ],
)
def test_the_call_after_the_burst_is_refused(
    arm: httpx.Client, vm_path: str, call: str, burst: int, wait: str
) -> None:
    """429 with the wait and Compute's own body, and nothing is taken."""
    method, _, path = call.partition(" ")
    answers = [arm.request(method, vm_path + path) for _ in range(burst + 1)]
    assert {each.status_code for each in answers[:-1]} <= {200, 202}
    refused = answers[-1]
    assert (refused.status_code, refused.headers["retry-after"]) == (429, wait)
    assert refused.json()["details"][0]["code"] == "TooManyRequests"
    assert "azure-asyncoperation" not in refused.headers


def test_reads_share_a_bucket_and_polls_have_their_own(
    azure: LocalAzure, clock: SharedClock, arm: httpx.Client, vm_path: str
) -> None:
    """Both reads empty one; the operation is polled 45 times, then in four seconds."""
    url = arm.post(f"{vm_path}/start").headers["azure-asyncoperation"].partition("?")[0]
    reads = [
        arm.get(vm_path + call) for _ in range(18) for call in ("", "/instanceView")
    ]
    assert {each.status_code for each in reads} == {200}
    assert arm.get(vm_path).status_code == 429
    polls = [arm.get(url).status_code for _ in range(46)]
    assert polls == [200] * 45 + [429]
    clock.advance(4 * SECOND)
    assert arm.get(url).status_code == 200
    assert len(azure.arm.operations.all) == 1


def test_a_start_and_a_power_off_share_a_bucket(
    arm: httpx.Client, vm_path: str
) -> None:
    """Six of each are twelve; a deallocate is still taken."""
    for _ in range(6):
        assert arm.post(f"{vm_path}/start").status_code == 202
        assert arm.post(f"{vm_path}/powerOff").status_code == 202
    assert arm.post(f"{vm_path}/start").status_code == 429
    assert arm.post(f"{vm_path}/deallocate").status_code == 202
