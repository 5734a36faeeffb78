"""What a VM's body says of it: power, provisioning and tags, from plain JSON.

Codes are found by their prefix: the order and the length of the list vary.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from control.azure.faults import classify
from control.model import Provisioning, Reading
from control.words import Fault, Power

CONTROLLER_TAG = "controlled-by"
_READABLE = {power.value: power for power in Power} | {
    "unknown": Power.UNKNOWN,
    "gone": Power.UNKNOWN,
}


def reading(vm: Mapping[str, Any], began_at: datetime) -> Reading:
    """Read a VM's body, asked for at `began_at` with its instance view."""
    properties = _mapping(vm.get("properties"))
    view = _mapping(properties.get("instanceView"))
    statuses = [each for each in _list(view.get("statuses")) if isinstance(each, dict)]
    power, problem = _power({code for code, _ in _with_prefix(statuses, "PowerState/")})
    return Reading(
        began_at=began_at,
        power=power,
        provisioning=_provisioning(statuses, properties.get("provisioningState")),
        controlled_by=_controller(_mapping(vm.get("tags"))),
        problem=problem,
    )


def instant(text: object) -> datetime | None:
    """Read a time with any offset as UTC; None where it is none."""
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
        return at.astimezone(UTC) if at and at.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _power(codes: set[str]) -> tuple[Power, str | None]:
    if not codes:
        return Power.UNKNOWN, "ARM gave no power state."
    if len(codes) > 1:
        return Power.UNKNOWN, "ARM gave more than one power state."
    word = codes.pop()
    power = _READABLE.get(word, Power.UNKNOWN)
    problem = f"ARM gave the power state {word[:40]!r}."
    return power, problem if power is Power.UNKNOWN else None


def _provisioning(
    statuses: list[dict[str, Any]], fallback: object
) -> Provisioning | None:
    for _, status in _with_prefix(statuses, "ProvisioningState/"):
        state, _, code = status["code"].partition("/")[2].partition("/")
        return Provisioning(
            state=state.lower(),
            code=code or None,
            fault=_fault(state, code, status.get("message")),
            at=instant(status.get("time")),
        )
    if isinstance(fallback, str) and fallback:
        return Provisioning(state=fallback.lower())
    return None


def _fault(state: str, code: str, message: object) -> Fault | None:
    if state.lower() != "failed":
        return None
    return classify(None, code, message if isinstance(message, str) else "")


def _with_prefix(
    statuses: list[dict[str, Any]], prefix: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what follows the prefix, in lower case, and the whole entry."""
    for status in statuses:
        code = status.get("code")
        if isinstance(code, str) and code.lower().startswith(prefix.lower()):
            yield code[len(prefix) :].lower(), status


def _controller(tags: Mapping[str, Any]) -> str | None:
    """Find the tag whatever its case: ARM keeps the case that was first written."""
    for name, value in tags.items():
        if name.lower() == CONTROLLER_TAG and isinstance(value, str):
            return value or None
    return None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
