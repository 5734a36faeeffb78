"""The machines on the wire: one request a call, five seconds, ARM's host alone."""

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

from control.azure.lazy import Lazy
from control.azure.machines import AzureMachines
from control.errors import Conflict, Permission, ScopeLocked, Throttled, Unavailable
from control.memory import MemoryClock
from control.words import Fault, OperationState, Power
from tests.unit.azure.stub import BEARER, Credential, Stub

AT = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
VM = (
    "/subscriptions/sub-1/resourceGroups/rg-1/providers/Microsoft.Compute"
    "/virtualMachines/vm-1"
)
POLL = "/subscriptions/sub-1/providers/Microsoft.Compute/locations/x/operations/1?p=2"


def machines(stub: Stub, credential: Credential | None = None) -> AzureMachines:
    return AzureMachines(
        credential=credential or Credential(),
        endpoint=stub.url,
        subscription="sub-1",
        resource_groups={"vm-1": "rg-1"},
        clock=MemoryClock(AT),
    )


def vm(*codes: str, **rest: Any) -> dict[str, Any]:
    statuses = [{"code": code} for code in codes]
    return {"properties": {"instanceView": {"statuses": statuses}}, **rest}


def test_a_reading_is_one_get_with_the_instance_view(stub: Stub) -> None:
    """The VM's own resource is asked for, which brings the tags too."""
    stub.tell(body=vm("PowerState/running", tags={"controlled-by": "other"}))
    read = machines(stub).read("vm-1")
    assert read.power is Power.RUNNING
    assert read.controlled_by == "other"
    assert read.began_at == AT
    (got,) = stub.got
    assert got.method == "GET"
    assert got.path.startswith(f"{VM}?api-version=")
    assert "expand=instanceView" in got.path
    assert got.headers["authorization"] == f"Bearer {BEARER}"


def test_a_size_that_the_sdk_knows_leaks_no_enumeration(stub: Stub) -> None:
    """The body is read as plain JSON, whatever the SDK would make of it."""
    body = vm("PowerState/deallocated")
    body["properties"]["hardwareProfile"] = {"vmSize": "Standard_ND96isr_H200_v5"}
    stub.tell(body=body)
    read = machines(stub).read("vm-1")
    assert type(read.power) is Power


def test_only_resource_not_found_is_a_reading(stub: Stub) -> None:
    """Every other 404 proves nothing and is an error."""
    stub.tell(404, {"error": {"code": "ResourceNotFound", "message": "Not there."}})
    stub.tell(404, {"error": {"code": "SubscriptionNotFound", "message": "?"}})
    stub.tell(404, "<html>not here</html>")
    adapter = machines(stub)
    read = adapter.read("vm-1")
    assert read.not_found
    assert read.power is Power.UNKNOWN
    assert read.problem == "Not there."
    for _ in range(2):
        with pytest.raises(Unavailable):
            adapter.read("vm-1")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (503, b""),
        (500, {"error": {"code": "MultipleErrorsOccurred"}}),
        (504, {"error": {"code": "ResourceReadFailed"}}),
        (401, {"error": {"code": "ExpiredAuthenticationToken"}}),
        (200, "<html>captive portal</html>"),
        (200, b""),
        (200, [1, 2]),
        (201, {"name": "vm-1", "properties": {}}),
        (202, b""),
        (204, b""),
        (200, b"{half a bo"),
        (302, b""),
    ],
)
def test_an_answer_that_proves_nothing_is_unavailable(
    stub: Stub, status: int, body: Any
) -> None:
    """No retry is made, and no redirect followed."""
    stub.tell(status, body, {"Location": stub.url + "/elsewhere"})
    with pytest.raises(Unavailable):
        machines(stub).read("vm-1")
    assert len(stub.got) == 1


def test_a_connection_that_breaks_is_unavailable(stub: Stub) -> None:
    """Closed without an answer, or nobody there."""
    stub.tell(hang_up=True)
    with pytest.raises(Unavailable):
        machines(stub).start("vm-1")
    assert len(stub.got) == 1
    gone = AzureMachines(
        credential=Credential(),
        endpoint="https://127.0.0.1:9",
        subscription="sub-1",
        resource_groups={"vm-1": "rg-1"},
        clock=MemoryClock(AT),
    )
    with pytest.raises(Unavailable):
        gone.read("vm-1")


@pytest.mark.parametrize(
    ("headers", "url"),
    [
        ({"Azure-AsyncOperation": "https://a/op", "Location": "https://a/l"}, "op"),
        ({"azure-asyncoperation": "https://a/op", "location": "https://a/l"}, "op"),
        ({"location": "https://a/l"}, "l"),
        ({}, None),
    ],
)
def test_a_start_is_one_post_and_its_url_is_kept(
    stub: Stub, headers: dict[str, str], url: str | None
) -> None:
    """Nothing is polled; the operation's URL is found in either header and case."""
    stub.tell(202, b"", headers)
    accepted = machines(stub).start("vm-1")
    assert accepted.at == AT
    assert accepted.operation_url == (url and f"https://a/{url}")
    threading.Event().wait(0.2)
    (got,) = stub.got
    assert got.method == "POST"
    assert got.path.startswith(f"{VM}/start?api-version=")
    assert got.body == b""


def test_a_deallocate_says_force_only_when_asked(stub: Stub) -> None:
    """`forceDeallocate` stands in the query, in an api-version that knows it."""
    stub.tell(202, b"", {"Location": "https://a/l"})
    adapter = machines(stub)
    adapter.deallocate("vm-1")
    adapter.deallocate("vm-1", force=True)
    plain, forced = (got.path for got in stub.got)
    assert plain.startswith(f"{VM}/deallocate?api-version=")
    assert "force" not in plain
    assert "forceDeallocate=true" in forced
    assert forced.partition("api-version=")[2][:10] >= "2025-11-01"
    assert "hibernate" not in forced


def test_a_call_that_was_done_at_once_is_accepted_too(stub: Stub) -> None:
    """ARM may answer 200 where there was nothing to do."""
    stub.tell(200)
    assert machines(stub).deallocate("vm-1").operation_url is None


def test_there_is_no_way_to_power_off() -> None:
    """A "Stopped" machine is billed: the adapter can't make one."""
    offered = {name for name in dir(AzureMachines) if not name.startswith("_")}
    assert offered == {"read", "start", "deallocate", "operation"}


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (409, {"error": {"code": "ScopeLocked", "message": "Locked."}}, ScopeLocked),
        (403, {"error": {"code": "AuthorizationFailed"}}, Permission),
        (429, {"code": "OperationNotAllowed", "message": "Too many."}, Throttled),
        (503, b"", Unavailable),
    ],
)
def test_a_refusal_is_met_once(
    stub: Stub, status: int, body: Any, kind: type[Exception]
) -> None:
    """Whatever the refusal, the POST is sent once."""
    stub.tell(status, body, {"Retry-After": "0"})
    with pytest.raises(kind):
        machines(stub).deallocate("vm-1")
    assert len(stub.got) == 1


def test_no_resource_provider_is_registered(stub: Stub) -> None:
    """The SDK would register one after this refusal and wait for it."""
    body = {"error": {"code": "MissingSubscriptionRegistration", "message": "'N.S'"}}
    stub.tell(409, body)
    with pytest.raises(Exception, match="MissingSubscriptionRegistration"):
        machines(stub).start("vm-1")
    assert len(stub.got) == 1


def test_the_wait_that_is_asked_for_is_kept(stub: Stub) -> None:
    """A 429's seconds come with the error."""
    body = {"code": "OperationNotAllowed", "message": "Too many requests."}
    stub.tell(429, body, {"Retry-After": "1200"})
    with pytest.raises(Throttled) as caught:
        machines(stub).start("vm-1")
    assert caught.value.evidence.retry_after == 1200.0


def test_an_answer_that_drips_ends_after_five_seconds(stub: Stub) -> None:
    """The limit holds for the whole call, however busy the socket is."""
    stub.tell(body=b" " * 200, headers={"Content-Type": "application/json"}, drip=True)
    adapter = machines(stub)
    began = time.monotonic()
    with pytest.raises(Unavailable):
        adapter.read("vm-1")
    assert 4 < time.monotonic() - began < 12


def test_a_start_that_was_given_up_is_never_sent(stub: Stub) -> None:
    """A token that comes too late does not start a machine behind our back."""
    stub.tell(202)
    token_comes = threading.Event()
    adapter = machines(stub, Credential(slow=token_comes))
    with pytest.raises(Unavailable):
        adapter.start("vm-1")
    token_comes.set()
    threading.Event().wait(1)
    assert stub.got == []


@pytest.mark.parametrize(
    ("status", "body", "state"),
    [
        (200, {"status": "InProgress"}, OperationState.IN_PROGRESS),
        (200, {"status": "Updating"}, OperationState.IN_PROGRESS),
        (202, b"", OperationState.IN_PROGRESS),
        (200, {"status": "Succeeded"}, OperationState.SUCCEEDED),
        (200, b"", OperationState.SUCCEEDED),
        (204, b"", OperationState.SUCCEEDED),
        (200, {"status": "Failed"}, OperationState.FAILED),
    ],
)
def test_an_operation_is_looked_at_once(
    stub: Stub, status: int, body: Any, state: OperationState
) -> None:
    """Its URL is asked for as it was given."""
    stub.tell(status, body, {"Retry-After": "600"})
    assert machines(stub).operation(stub.url + POLL).state is state
    (got,) = stub.got
    assert got.path == POLL
    assert got.headers["authorization"] == f"Bearer {BEARER}"


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?api-version=2019-03-01",
        "?p=2&monitor=true&api-version=2022-11-01",
        "?api-version=2023-02-01&t=638369260585194819&c=MIIHHjCC-_%3D" + "x" * 4000,
    ],
)
def test_an_operations_url_is_followed_letter_by_letter(stub: Stub, query: str) -> None:
    """With its own api-version or none, monitored, signed, or 4 KB long."""
    path = POLL.partition("?")[0] + query
    stub.tell(202, {"properties": {}}, {"Azure-AsyncOperation": stub.url + path})
    stub.tell(body={"status": "InProgress"})
    adapter = machines(stub)
    url = adapter.start("vm-1").operation_url
    assert url == stub.url + path
    adapter.operation(url)
    assert stub.got[-1].path == path


def test_a_failed_operation_says_why(stub: Stub) -> None:
    """Code, message, class and the time of the end, in UTC."""
    failure = {"code": "AllocationFailed", "message": "None free."}
    ended = "2026-11-30T18:00:01.1234567+08:00"
    stub.tell(body={"status": "Failed", "endTime": ended, "error": failure})
    looked = machines(stub).operation(stub.url + POLL)
    assert looked.fault is Fault.CAPACITY
    assert (looked.code, looked.message) == ("AllocationFailed", "None free.")
    assert looked.ended_at == datetime(2026, 11, 30, 10, 0, 1, 123456, tzinfo=UTC)


@pytest.mark.parametrize("status", [403, 404, 500, 503])
def test_an_operation_that_cannot_be_read_is_an_error(stub: Stub, status: int) -> None:
    """Its refusal says nothing of the start itself."""
    stub.tell(status, {"error": {"code": "X"}})
    with pytest.raises((Permission, Unavailable)):
        machines(stub).operation(stub.url + POLL)


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/op",
        "http://{host}/op",
        "https://{host}@evil.example/op",
        "https://{host}.evil.example/op",
        "https://{host}\\@evil.example/op",
        "//{host}/op",
        "/op",
        "",
    ],
)
def test_the_bearer_goes_to_arm_alone(stub: Stub, url: str) -> None:
    """An operation's URL on any other host is not asked."""
    stub.tell(body={"status": "Succeeded"})
    credential = Credential()
    host = stub.url.removeprefix("https://")
    with pytest.raises(Unavailable):
        machines(stub, credential).operation(url.format(host=host))
    assert stub.got == []
    assert credential.scopes == []


def test_the_bearer_is_in_no_log_and_no_error(
    stub: Stub, caplog: pytest.LogCaptureFixture
) -> None:
    """At no level, even where ARM throws it back."""
    caplog.set_level(logging.DEBUG)
    echoed = f"Authorization: Bearer {BEARER}"
    stub.tell(409, {"error": {"code": "Conflict", "message": echoed}})
    with pytest.raises(Conflict) as caught:
        machines(stub).start("vm-1")
    assert BEARER not in str(caught.value)
    assert BEARER not in repr(caught.value.evidence)
    assert BEARER not in caplog.text


def test_two_threads_share_one_client(stub: Stub) -> None:
    """Machines are read in parallel, also by the very first calls."""
    stub.tell(body=vm("PowerState/stopped"))
    adapter = machines(stub)
    with ThreadPoolExecutor(4) as pool:
        powers = list(pool.map(lambda _: adapter.read("vm-1").power, range(4)))
    assert powers == [Power.STOPPED] * 4


def test_an_sdk_that_cannot_be_loaded_is_no_answer(stub: Stub) -> None:
    """A broken deployment must read as Azure away, not end every run."""

    def broken() -> Any:
        raise ImportError("no azure.mgmt.compute")

    adapter = machines(stub)
    adapter._client = Lazy(broken)
    for call in (adapter.read, adapter.start, adapter.deallocate):
        with pytest.raises(Unavailable):
            call("vm-1")
