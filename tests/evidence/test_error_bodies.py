"""Every reported error body through our adapters, as it arrived, and what it is."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from control.cli.error_codes import Way
from control.errors import AzureError
from control.words import Fault, OperationState
from tests.evidence.replay import AT, MACHINE, Replay
from tests.evidence.shared import SHARED, evidence

ROOT = Path(__file__).parents[2]
FILE = "errors/real_error_bodies.json"
URL = "/subscriptions/s/providers/Microsoft.Compute/locations/x/operations/1?p=2"

type Entry = dict[str, Any]
type Shape = Callable[[str, str], dict[str, Any]]


def wrapped(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


def bare(code: str, message: str) -> dict[str, Any]:
    return {"code": code, "message": message}


def detailed(outer: str) -> Shape:
    """The code among the details of another one."""

    def shape(code: str, message: str) -> dict[str, Any]:
        error = {"code": outer, "message": "See inner errors for details."}
        return {"error": {**error, "details": [bare(code, message)]}}

    return shape


def deployment(code: str, message: str) -> dict[str, Any]:
    """A deployment's failure: the cause is JSON in the text of a detail."""
    inner = {"status": "Failed", **detailed("ResourceDeploymentFailure")(code, message)}
    return detailed("DeploymentFailed")("Conflict", json.dumps(inner))


def text_alone(_: str, message: str) -> dict[str, Any]:
    return wrapped("InvalidTemplateDeployment", message)


def documented(code: str, message: str) -> dict[str, Any]:
    """Compute's 429: no wrapper, and JSON in the text of a detail."""
    measured = json.dumps({"operationGroup": "HighCostGet30Min"})
    detail = bare("TooManyRequests", measured) | {"target": "HighCostGet30Min"}
    return bare(code, message) | {"details": [detail]}


def newer(code: str, message: str) -> dict[str, Any]:
    inner = {"innererror": {"internalErrorCode": "TooManyRequestsReceived"}}
    return {"error": bare(code, message) | inner}


def empty(_code: str, _message: str) -> bytes:
    return b""


def codeless(_: str, message: str) -> dict[str, Any]:
    return {"error": {"message": message}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A body in one form, and what we make of it; `code` where an entry has several."""

    ways: tuple[Way, ...]
    fault: Fault
    shape: Callable[[str, str], dict[str, Any] | bytes] = wrapped
    code: str = ""
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    wait: float | None = None
    ends: tuple[str, ...] = ("Failed", "entry")


def started(fault: Fault, *ways: Way, **form: Any) -> Case:
    return Case(ways=(Way.START, *ways), fault=fault, **form)


def ended(fault: Fault, **form: Any) -> Case:
    return Case(ways=(Way.RESULT,), fault=fault, **form)


def nested(fault: Fault, shape: Shape) -> Case:
    return ended(fault, shape=shape, ends=("Failed",))


CAPACITY = ended(Fault.CAPACITY)
OTHER = ended(Fault.OTHER)
BUSY = started(Fault.CONFLICT)
HOPELESS = started(Fault.OTHER)
DENIED = started(Fault.PERMISSION, Way.READ, Way.POLL, Way.STOP)
SKU, QUOTA = started(Fault.SKU), started(Fault.QUOTA)
READ, POLL, STOP, BUDGET = Way.READ, Way.POLL, Way.STOP, Way.BUDGET
PREEMPTED = ended(Fault.PREEMPTED, ends=("Failed", "Canceled", "entry"))
QUOTA_REACHED = "NoSubscriptionMatchedQuota"
INTERNAL = (
    "OutOfTimeBudgetException",
    "FabricInternalOperationError",
    "NetworkingInternalOperationError",
    "InternalDiskManagementError",
)
UNAVAILABLE, THROTTLED = Fault.UNAVAILABLE, Fault.THROTTLED
LATER = (("Retry-After", "1200"),)
QPU = (("x-ms-ratelimit-microsoft.costmanagement-qpu-retry-after", "31"),)

# One line for each entry, in its order there: its code, and every form it is fed in.
EXPECTED: tuple[tuple[str, tuple[Case, ...]], ...] = (
    ("AllocationFailed", (CAPACITY,)),
    ("AllocationFailed", (nested(Fault.CAPACITY, deployment),)),
    ("OverconstrainedAllocationRequest", (CAPACITY,)),
    (
        "OverconstrainedZonalAllocationRequest",
        (
            CAPACITY,
            nested(Fault.CAPACITY, deployment),
            nested(Fault.CAPACITY, detailed("ResourceOperationFailure")),
        ),
    ),
    ("ZonalAllocationFailed", (CAPACITY, nested(Fault.CAPACITY, deployment))),
    ("SkuNotAvailable", (SKU,)),
    (
        "SkuNotAvailable (nested)",
        (
            started(Fault.SKU, shape=detailed("InvalidTemplateDeployment")),
            started(Fault.SKU, shape=text_alone, code="InvalidTemplateDeployment"),
        ),
    ),
    ("OperationNotAllowed", (QUOTA, ended(Fault.QUOTA))),
    ("QuotaExceeded", (QUOTA,)),
    ("QuotaExceeded", (QUOTA,)),
    ("Conflict", (started(Fault.CONFLICT, STOP),)),
    ("OperationNotAllowed", (BUSY,)),
    ("OperationNotAllowed", (BUSY,)),
    ("OperationNotAllowed", (started(Fault.CONFLICT, STOP),)),
    ("OperationNotAllowed", (BUSY,)),
    ("OperationNotAllowed", (BUSY,)),
    ("OperationNotAllowed", (HOPELESS,)),
    ("OperationNotAllowed", (HOPELESS,)),
    ("OperationNotAllowed", (HOPELESS,)),
    ("AttachDiskWhileBeingDetached", (BUSY,)),
    ("OperationNotAllowed", (BUSY,)),
    ("OperationNotAllowed", (BUSY,)),
    ("OperationNotAllowed", (HOPELESS,)),
    ("OperationNotAllowed", (BUSY,)),
    ("OverConstrainedAllocationRequest", (CAPACITY,)),
    ("AllocationFailed", (CAPACITY,)),
    (
        "ResourceUpdateBlockedOnPlatformUpdate",
        (started(Fault.CONFLICT, status=409), ended(Fault.CONFLICT)),
    ),
    ("VMNotFound", (started(UNAVAILABLE, READ, STOP),)),
    ("VMAgentStatusCommunicationError", (OTHER,)),
    ("VMExtensionProvisioningTimeout", (OTHER,)),
    (
        " / ".join((QUOTA_REACHED, *INTERNAL)),
        (
            ended(Fault.QUOTA, code=QUOTA_REACHED),
            *(ended(Fault.OTHER, code=code) for code in INTERNAL),
        ),
    ),
    ("OperationPreempted", (PREEMPTED,)),
    ("VMStartTimedOut", (OTHER,)),
    ("OSProvisioningTimedOut", (OTHER,)),
    ("VMExtensionProvisioningError", (OTHER,)),
    (
        "OperationNotAllowed",
        (started(THROTTLED, READ, STOP, shape=documented, headers=LATER, wait=1200),),
    ),
    (
        "OperationNotAllowed",
        (
            started(THROTTLED, shape=newer, headers=LATER, wait=1200),
            started(THROTTLED, shape=newer),
        ),
    ),
    ("SubscriptionRequestsThrottled", (started(THROTTLED, wait=6),)),
    ("SubscriptionRequestsThrottled", (started(THROTTLED, wait=306),)),
    ("SubscriptionRequestsThrottled", (started(THROTTLED, wait=6),)),
    ("TooManyRequests", (started(THROTTLED),)),
    (
        "RetryableError / ReferencedResourceNotProvisioned",
        (
            started(Fault.CONFLICT, code="RetryableError"),
            started(Fault.CONFLICT, code="ReferencedResourceNotProvisioned"),
        ),
    ),
    ("AuthorizationFailed", (DENIED,)),
    ("AuthorizationFailed", (DENIED,)),
    ("ExpiredAuthenticationToken", (started(UNAVAILABLE, READ),)),
    ("ResourceNotFound", (started(Fault.NOT_FOUND, READ, POLL, STOP),)),
    ("SubscriptionNotFound", (started(UNAVAILABLE, READ, STOP),)),
    ("ReadOnlyDisabledSubscription", (started(Fault.DISABLED, STOP),)),
    ("ScopeLocked", (started(Fault.SCOPE_LOCK, STOP),)),
    ("MissingSubscriptionRegistration", (HOPELESS,)),
    ("RequestDisallowedByAzure", (started(Fault.PERMISSION, status=403),)),
    (
        "MultipleErrorsOccurred (ServerTimeout)",
        (Case(ways=(POLL,), fault=UNAVAILABLE, shape=detailed("ServerTimeout")),),
    ),
    ("(empty body)", (started(UNAVAILABLE, READ, POLL, STOP, shape=empty),)),
    (
        "ResourceReadFailed / GatewayTimeout",
        (
            started(UNAVAILABLE, code="ResourceReadFailed"),
            started(UNAVAILABLE, code="GatewayTimeout"),
        ),
    ),
    ("400 (string)", (Case(ways=(BUDGET,), fault=Fault.OTHER),)),
    ("(older text)", (Case(ways=(BUDGET,), fault=Fault.OTHER, shape=codeless),)),
    ("429 (string)", (Case(ways=(BUDGET,), fault=THROTTLED, headers=QPU, wait=31),)),
    ("BadRequest", (Case(ways=(READ,), fault=Fault.OTHER, shape=bare),)),
    ("AKV10000", (Case(ways=(Way.VAULT,), fault=UNAVAILABLE),)),
)
FED = [
    pytest.param(number, case, id=f"{number:02}-{code.split(' ')[0]}-{place}")
    for number, (code, cases) in enumerate(EXPECTED)
    for place, case in enumerate(cases)
]


def entries() -> list[Entry]:
    found: list[Entry] = evidence(FILE)
    return found


def test_every_entry_has_its_expectation_and_no_more() -> None:
    """A new report fails here until somebody has said what it means."""
    assert [each["code"] for each in entries()] == [code for code, _ in EXPECTED]


def named(entry: Entry, case: Case) -> str:
    """The code on the wire, without the collector's remark behind it."""
    return case.code or str(entry["code"]).partition(" (")[0]


def bodies(entry: Entry, case: Case) -> list[dict[str, Any] | bytes]:
    """What was recorded where it is kept, else what was reported, in its form."""
    code = named(entry, case)
    files = re.findall(r"recorded/(\d+)_", entry.get("recorded_file", ""))
    paths = [path for each in files for path in SHARED.glob(f"recorded/{each}_*.json")]
    kept = [json.loads(path.read_text())["interactions"][0] for path in paths]
    found = [each["response"]["body"] for each in kept]
    return [body for body in found if code in json.dumps(body)] or [
        case.shape(code, entry["message"])
    ]


@pytest.mark.parametrize(("number", "case"), FED)
def test_a_reported_body_is_what_we_say(
    replay: Replay, number: int, case: Case
) -> None:
    """In each way in which it arrives: the class, and how long it asks to wait."""
    entry = entries()[number]
    for body in bodies(entry, case):
        for way in case.ways:
            if way is Way.RESULT:
                assert outcomes(replay, body, case, named(entry, case)) == {case.fault}
            else:
                status = case.status or entry["http_status"]
                replay.stub.tell(status, body, dict(case.headers))
                assert refusal(replay, way) == (case.fault, case.wait)


def refusal(replay: Replay, way: Way) -> tuple[Fault, float | None]:
    """What a call raises that gets this answer; a machine not there is a reading."""
    calls: dict[Way, Callable[[], object]] = {
        Way.START: lambda: replay.machines.start(MACHINE),
        Way.STOP: lambda: replay.machines.deallocate(MACHINE),
        Way.READ: lambda: replay.machines.read(MACHINE),
        Way.POLL: lambda: replay.machines.operation(replay.here(URL)),
        Way.BUDGET: lambda: replay.budgets.read(AT),
        Way.VAULT: lambda: replay.challenged().read(),
    }
    try:
        answer = calls[way]()
    except AzureError as error:
        return error.fault, error.evidence.retry_after
    assert getattr(answer, "not_found", False), answer
    return Fault.NOT_FOUND, None


def outcomes(
    replay: Replay, body: dict[str, Any] | bytes, case: Case, code: str
) -> set[Fault | None]:
    """How a start ended, by its operation and by the machine's own entry."""
    assert isinstance(body, dict)
    found = set[Fault | None]()
    for end in case.ends:
        if end == "entry":
            replay.stub.tell(200, failed_entry(code, body))
            entry = replay.machines.read(MACHINE).provisioning
            assert entry is not None
            found.add(entry.fault)
        else:
            replay.stub.tell(200, {**body, "status": end, "name": "1"})
            operation = replay.machines.operation(replay.here(URL))
            assert operation.state is OperationState.FAILED
            found.add(operation.fault)
    return found


def failed_entry(code: str, body: dict[str, Any]) -> dict[str, Any]:
    """A machine whose provisioning failed with a code, and which runs all the same."""
    entry = {"code": f"ProvisioningState/failed/{code}", "level": "Error"}
    entry |= {"message": body["error"]["message"], "time": "2026-11-30T10:00:00+00:00"}
    statuses = [entry, {"code": "PowerState/running", "level": "Info"}]
    return {"properties": {"instanceView": {"statuses": statuses}}}


def table() -> list[tuple[str, str, str]]:
    """Code, way and class of each line of DESIGN.md's table."""
    design = (ROOT / "DESIGN.md").read_text()
    part = design.partition("<!-- refusals -->")[2].partition("<!-- /refusals -->")[0]
    cells = [line.strip("| ").split(" | ") for line in part.strip().splitlines()[2:]]
    return [(line[0], line[1], line[2]) for line in cells]


IN_TABLE = {"(older text)": "valid offer type", "AKV10000": "AKV10000"}


@pytest.mark.parametrize(("number", "case"), FED)
def test_design_has_a_line_for_each(number: int, case: Case) -> None:
    """Of that code, arriving in that way, and of the class that it really has."""
    entry = entries()[number]
    code = IN_TABLE.get(entry["code"]) or f"`{named(entry, case)}`"
    if case.shape is empty:
        code = "(empty body)"
    for way in case.ways:
        lines = [
            line
            for line in table()
            if code.lower() in line[0].lower() and line[1].endswith(way)
        ]
        assert case.fault in {line[2] for line in lines}, (code, way, lines)
