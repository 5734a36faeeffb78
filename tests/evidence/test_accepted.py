"""The local Azure's 202 against the recorded ones."""

import httpx
import pytest

from local.azure import LocalAzure
from tests.evidence.allowances import STRIPPED, WAITS
from tests.evidence.compare import Allowed, check_headers, pattern_of, windows
from tests.evidence.shared import example, first, posts, recorded

_URLS = ("location", "azure-asyncoperation")
_LATER = {"azure-asyncnotification": "2023 has it, 2019 had not"}


@pytest.mark.parametrize(
    ("verb", "number", "adds"),
    [
        ("start", "01", WAITS),
        ("powerOff", "01", {}),
        ("deallocate", "02", WAITS),
    ],
)
def test_the_202_of_2023(
    arm: httpx.Client, vm_path: str, verb: str, number: str, adds: dict[str, str]
) -> None:
    """An empty body, two URLs with a `p`, what is left of two windows."""
    theirs = recorded(number, first(number, posts(verb)))
    ours = arm.post(f"{vm_path}/{verb}")
    assert (ours.status_code, ours.text) == (theirs["status"], theirs["body"])
    request_id = {"x-ms-request-id": STRIPPED["x-ms-request-id"]}
    check_headers(ours.headers, theirs["headers"], Allowed(adds=adds | request_id))
    for name in _URLS:
        assert pattern_of(ours.headers[name]) == pattern_of(theirs["headers"][name])
    check_left(ours.headers, theirs["headers"])
    notification = theirs["headers"]["azure-asyncnotification"]
    assert ours.headers["azure-asyncnotification"] == notification


@pytest.mark.parametrize(
    ("verb", "number"), [("start", "27"), ("deallocate", "27"), ("powerOff", "29")]
)
def test_the_202_of_2019(
    azure: LocalAzure, arm: httpx.Client, vm_path: str, verb: str, number: str
) -> None:
    """Its recorder kept the wait, 10 s or none, and the id: the operation's name."""
    theirs = recorded(number, first(number, posts(verb)))["headers"]
    azure.vm.come_on()
    ours = arm.post(f"{vm_path}/{verb}").headers
    check_headers(ours, theirs, Allowed(adds=_LATER))
    assert ours.get("retry-after") == theirs.get("retry-after")
    check_left(ours, theirs)
    for headers in (ours, theirs):
        assert headers["x-ms-request-id"] in headers["azure-asyncoperation"]
        assert headers["x-ms-request-id"] in headers["location"]


@pytest.mark.parametrize(
    ("verb", "version", "name"),
    [
        ("start", "compute-2024-03-01", "VirtualMachine_Start_MaximumSet_Gen"),
        ("start", "compute-2024-03-01", "VirtualMachine_Start_MinimumSet_Gen"),
        ("start", "compute-2025-04-01", "VirtualMachine_Start_MaximumSet_Gen"),
        (
            "deallocate",
            "compute-2024-03-01",
            "VirtualMachine_Deallocate_MaximumSet_Gen",
        ),
        ("powerOff", "compute-2024-03-01", "VirtualMachine_PowerOff_MaximumSet_Gen"),
    ],
)
def test_the_official_202_and_200(
    azure: LocalAzure,
    arm: httpx.Client,
    vm_path: str,
    *,
    verb: str,
    version: str,
    name: str,
) -> None:
    """The example's one header, in its case; and a 200 that says nothing at all."""
    theirs = example(version, name, "202")["headers"]
    azure.faults.arm("location_only")
    ours = arm.post(f"{vm_path}/{verb}").headers
    written = [key.decode() for key, _ in ours.raw]
    assert set(theirs) <= set(written)
    assert "azure-asyncoperation" not in ours
    assert example(version, name) == {}
    azure.faults.arm("done_at_once")
    done = arm.post(f"{vm_path}/{verb}")
    assert (done.status_code, done.text) == (200, "")
    assert not set(_URLS) & set(done.headers)


def check_left(ours: httpx.Headers, theirs: dict[str, str]) -> None:
    name = "x-ms-ratelimit-remaining-resource"
    assert windows(ours[name]) == windows(theirs[name])
    assert ours["content-length"] == theirs["content-length"] == "0"
