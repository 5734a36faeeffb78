"""What an operation's body says."""

import pytest

from control.azure.operations import operation
from control.errors import Unavailable
from control.words import Fault, OperationState


@pytest.mark.parametrize(
    ("body", "fault", "code"),
    [
        (
            {"status": "Failed", "error": {"code": "OperationPreempted"}},
            Fault.PREEMPTED,
            "OperationPreempted",
        ),
        (
            {"status": "Canceled", "error": {"code": "OperationPreempted"}},
            Fault.PREEMPTED,
            "OperationPreempted",
        ),
        ({"status": "Canceled"}, Fault.OTHER, "Canceled"),
        ({"status": "failed", "error": None}, Fault.OTHER, "failed"),
        (
            {"status": "Failed", "error": {"code": "VMStartTimedOut"}},
            Fault.OTHER,
            "VMStartTimedOut",
        ),
    ],
)
def test_a_failure_is_classified(
    body: dict[str, object], fault: Fault, code: str
) -> None:
    """Canceled is a failure; it is a preemption where its code says so."""
    looked = operation(200, body)
    assert looked.state is OperationState.FAILED
    assert (looked.fault, looked.code) == (fault, code)


@pytest.mark.parametrize("body", [[], "ok", {"state": "Succeeded"}, {"status": 3}])
def test_an_answer_without_a_status_proves_nothing(body: object) -> None:
    """It is neither success nor failure."""
    with pytest.raises(Unavailable):
        operation(200, body)
