"""Each recorded answer: which calls it is fed to, and what must come out of them.

An answer of a service that we don't call is fed all the same: a proxy, a moved route
or a bug of Azure's may put it in the place of ours.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum

from control.model import Provisioning, Report
from control.words import Fault, OperationState, Power
from tests.evidence.expected import (
    Absent,
    Expected,
    Figure,
    Looked,
    NoAnswer,
    Refused,
    Seen,
    Taken,
    Valued,
)
from tests.evidence.replay import AT


class As(StrEnum):
    """The call of ours that meets an answer."""

    READ = "read"
    START = "start"
    DEALLOCATE = "deallocate"
    POLL = "poll"
    BUDGET = "budget"
    SECRET = "secret"
    TOKENS = "tokens"


type Fed = dict[As, Expected]

_WRITES = (As.START, As.DEALLOCATE)
_ALL = tuple(As)
# A 200 accepts a POST, whatever it says: Azure documents no body for it.
_TAKEN: Fed = dict.fromkeys(_WRITES, Taken())
_NO_READ: Fed = dict.fromkeys(_ALL, NoAnswer()) | _TAKEN
_NOT_OURS: Fed = _NO_READ | {As.BUDGET: Figure(None)}
_IN_PROGRESS = Looked(OperationState.IN_PROGRESS)


def refused(fault: Fault, code: str, wait: float | None = None) -> Fed:
    """A refusal means the same wherever it is met."""
    return dict.fromkeys(_ALL, Refused(fault, code, wait))


def absent() -> Fed:
    """Of all 404 this one alone is a reading of a machine."""
    return refused(Fault.NOT_FOUND, "ResourceNotFound") | {As.READ: Absent()}


def taken() -> Fed:
    """A 202: accepted, or still at work where an operation was looked at."""
    return _NO_READ | {As.POLL: _IN_PROGRESS}


def other(state: str | None = None) -> Fed:
    """A good answer of something else: no power, no figure, no operation, no secret."""
    shown = Provisioning(state=state) if state else None
    return _NOT_OURS | {As.READ: Seen(Power.UNKNOWN, shown)}


def made() -> Fed:
    """A 201 of a PUT: nothing that we ask for is answered so."""
    return dict.fromkeys(_ALL, NoAnswer())


def working() -> Fed:
    """A poll whose operation goes on."""
    return other() | {As.POLL: _IN_PROGRESS}


def done(ended: str) -> Fed:
    """A poll whose operation succeeded at this time, in UTC."""
    ended_at = datetime.fromisoformat(ended).replace(tzinfo=UTC)
    return other() | {As.POLL: Looked(OperationState.SUCCEEDED, ended_at)}


def over() -> Fed:
    """The monitor's empty body."""
    return _NO_READ | {As.POLL: Looked(OperationState.SUCCEEDED)}


def machine(
    power: Power, state: str, at: str | None = None, code: str | None = None
) -> Fed:
    """A machine with its instance view."""
    time = datetime.fromisoformat(at).replace(tzinfo=UTC) if at else None
    return _NOT_OURS | {
        As.READ: Seen(power, Provisioning(state=state, code=code, at=time))
    }


def _budget() -> Fed:
    figure = Report(
        amount=Decimal("41.71265664388876"),
        currency="USD",
        start=datetime(2018, 12, 1, tzinfo=UTC),
        end=datetime(2019, 1, 1, tzinfo=UTC),
        at=AT,
    )
    return other() | {As.BUDGET: Figure(figure)}


def _failed_extension() -> Fed:
    ended = datetime(2023, 5, 25, 11, 54, 56, 391033, tzinfo=UTC)
    failed = OperationState.FAILED
    code = "VMExtensionProvisioningError"
    return other() | {As.POLL: Looked(failed, ended, Fault.OTHER, code)}


_BOOTING = machine(Power.RUNNING, "creating", code="osProvisioningInProgress")

TABLE: Mapping[str, Sequence[Fed]] = {
    "01": [
        taken(),
        done("2023-05-25T10:34:02.760604"),
        over(),
        machine(Power.STOPPED, "succeeded", "2023-05-25T10:34:02.744979"),
        taken(),
        done("2023-05-25T10:34:31.182500"),
        over(),
        machine(Power.RUNNING, "succeeded", "2023-05-25T10:34:31.166872"),
        taken(),
        *[working()] * 4,
        done("2023-05-25T10:35:19.026239"),
        over(),
        machine(Power.RUNNING, "succeeded", "2023-05-25T10:35:19.010614"),
        taken(),
        *[working()] * 3,
        done("2023-05-25T10:37:27.916903"),
        over(),
        machine(Power.RUNNING, "succeeded", "2023-05-25T10:37:27.901281"),
    ],
    "02": [
        taken(),
        working(),
        done("2023-05-25T10:37:53.854425"),
        over(),
        machine(Power.DEALLOCATED, "succeeded", "2023-05-25T10:37:53.807549"),
        other("succeeded"),
    ],
    "04": [refused(Fault.CONFLICT, "OperationNotAllowed")],
    "07": [other()],
    "08": [refused(Fault.CONFLICT, "Conflict")],
    "09": [refused(Fault.PERMISSION, "AuthorizationFailed")],
    "10": [_failed_extension()],
    "11": [refused(Fault.QUOTA, "InvalidTemplateDeployment")],
    "12": [refused(Fault.CONFLICT, "RetryableError")],
    "14": [refused(Fault.SCOPE_LOCK, "ScopeLocked")],
    "16": [made()],
    "17": [_budget()],
    "20": [refused(Fault.THROTTLED, "SubscriptionRequestsThrottled", 6)],
    "21": [
        refused(Fault.UNAVAILABLE, "Unauthorized"),
        other() | {As.SECRET: Valued()},
        refused(Fault.CONFLICT, "Conflict"),
    ],
    "22": [refused(Fault.OTHER, "BadRequest")],
    "23": [other()],
    "25": [refused(Fault.PERMISSION, "AuthorizationFailed", 0)],
    "27": [
        taken(),
        *[working()] * 2,
        done("2019-12-16T05:26:44.909285"),
        over(),
        *[other("succeeded")] * 6,
        taken(),
        done("2019-12-16T05:27:19.464351"),
        done("2019-12-16T05:27:23.058117"),
        done("2019-12-16T05:27:26.261197"),
        taken(),
        done("2019-12-16T05:27:29.386222"),
        taken(),
        done("2019-12-16T05:27:32.620611"),
        taken(),
        *[working()] * 2,
        done("2019-12-16T05:27:59.456056"),
        over(),
    ],
    "29": [
        taken(),
        done("2019-12-16T09:21:42.221936"),
        over(),
        machine(Power.RUNNING, "succeeded", "2019-12-16T09:21:42.206311"),
        taken(),
        done("2019-12-16T09:21:57.940695"),
        over(),
        made(),
    ],
    "30": [other()],
    "32": [refused(Fault.UNAVAILABLE, "ResourceReadFailed", 0)],
    "33": [refused(Fault.QUOTA, "QuotaExceeded", 0)],
    "34": [refused(Fault.OTHER, "MissingSubscriptionRegistration", 0)] * 2,
    "36": [other(), taken(), working(), other()],
    "38": [other()],
    "40": [other()],
    "44": [absent()],
    "45": [other()],
    "46": [refused(Fault.UNAVAILABLE, "ExpiredAuthenticationToken")],
    "48": [absent()],
    "49": [machine(Power.STARTING, "creating")],
    "51": [other()],
    "54": [refused(Fault.THROTTLED, "SubscriptionRequestsThrottled", 306)],
    "56": [_BOOTING] * 3,
}
