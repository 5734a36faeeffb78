"""A VM's body in every order, length and state of disrepair."""

from datetime import UTC, datetime
from typing import Any

import pytest

from control.azure.instance_view import instant, reading
from control.model import Provisioning, Reading
from control.words import Fault, Power

AT = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


def read(*statuses: Any, **properties: Any) -> Reading:
    view = {"statuses": list(statuses)}
    return reading({"properties": {"instanceView": view, **properties}}, AT)


def coded(*codes: str) -> Reading:
    return read(*({"code": code} for code in codes))


@pytest.mark.parametrize(
    ("codes", "power"),
    [
        (["ProvisioningState/succeeded", "PowerState/running"], Power.RUNNING),
        (["PowerState/running", "ProvisioningState/succeeded"], Power.RUNNING),
        (
            ["OSState/generalized", "PowerState/stopped", "ColocationStatus/Aligned"],
            Power.STOPPED,
        ),
        (["powerstate/Starting"], Power.STARTING),
        (["PowerState/stopping"], Power.STOPPING),
        (["PowerState/deallocating"], Power.DEALLOCATING),
        (["PowerState/deallocated"], Power.DEALLOCATED),
        (["PowerState/deallocated", "HibernationState/Hibernated"], Power.DEALLOCATED),
        (["PowerState/running", "powerState/RUNNING"], Power.RUNNING),
        (["PowerState/running", "PowerState/deallocated"], Power.UNKNOWN),
        (["PowerState/running", "PowerState/odd"], Power.UNKNOWN),
        (["PowerState/unknown"], Power.UNKNOWN),
        (["PowerState/gone"], Power.UNKNOWN),
        (["PowerState/"], Power.UNKNOWN),
        (["ProvisioningState/failed/OSProvisioningTimedOut"], Power.UNKNOWN),
        ([], Power.UNKNOWN),
    ],
)
def test_power_is_found_by_its_prefix(codes: list[str], power: Power) -> None:
    """Never by its place; what is not one plain state is unknown, and says why."""
    found = coded(*codes)
    assert found.power is power
    assert (found.problem is not None) == (power is Power.UNKNOWN)
    assert not found.not_found


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"properties": None},
        {"properties": {"instanceView": None}},
        {"properties": {"instanceView": {"statuses": None}}},
        {"properties": {"instanceView": {"statuses": "PowerState/running"}}},
        {"properties": {"instanceView": {"statuses": [None, 1, {}, {"code": 7}]}}},
        {"tags": "controlled-by", "properties": []},
    ],
)
def test_a_broken_body_is_unknown(body: dict[str, Any]) -> None:
    """Nothing that ARM leaves out raises, and nothing of it is a power state."""
    found = reading(body, AT)
    assert found.power is Power.UNKNOWN
    assert found.provisioning is None
    assert found.controlled_by is None


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (
            {
                "code": "ProvisioningState/succeeded",
                "time": "2026-11-30T17:59:00.1234567+08:00",
            },
            Provisioning(
                state="succeeded",
                at=datetime(2026, 11, 30, 9, 59, 0, 123456, tzinfo=UTC),
            ),
        ),
        (
            {
                "code": "ProvisioningState/failed/AllocationFailed",
                "time": "2026-11-30T09:59:00Z",
            },
            Provisioning(
                state="failed",
                code="AllocationFailed",
                fault=Fault.CAPACITY,
                at=datetime(2026, 11, 30, 9, 59, tzinfo=UTC),
            ),
        ),
        (
            {"code": "provisioningState/Creating/osProvisioningInProgress"},
            Provisioning(state="creating", code="osProvisioningInProgress"),
        ),
        ({"code": "ProvisioningState/Updating"}, Provisioning(state="updating")),
        (
            {"code": "ProvisioningState/succeeded", "time": "yesterday"},
            Provisioning(state="succeeded"),
        ),
    ],
)
def test_provisioning_has_two_or_three_segments(
    status: dict[str, str], expected: Provisioning
) -> None:
    """State in lower case, code as it is, time in UTC or none."""
    found = read(status, {"code": "PowerState/running"})
    assert found.provisioning == expected


@pytest.mark.parametrize(
    ("code", "message", "fault"),
    [
        ("failed/AllocationFailed", None, Fault.CAPACITY),
        ("Failed/OperationNotAllowed", "exceeding approved Cores quota", Fault.QUOTA),
        ("failed/OSProvisioningTimedOut", 7, Fault.OTHER),
        ("failed", "", Fault.OTHER),
        ("creating/osProvisioningInProgress", "quota", None),
        ("succeeded", None, None),
    ],
)
def test_a_failed_provisioning_has_its_class(
    code: str, message: object, fault: Fault | None
) -> None:
    """By code and text, as an operation's failure has; nothing else has one."""
    found = read({"code": f"ProvisioningState/{code}", "message": message})
    assert found.provisioning is not None
    assert found.provisioning.fault is fault


def test_provisioning_is_found_by_its_prefix_too() -> None:
    """Behind the power, behind entries of other kinds, and the first of two."""
    failed = {"code": "ProvisioningState/failed/VMStartTimedOut"}
    found = read(
        {"code": "OSState/generalized"},
        {"code": "PowerState/running"},
        failed,
        {"code": "ProvisioningState/succeeded"},
    )
    assert found.power is Power.RUNNING
    assert found.provisioning is not None
    assert found.provisioning.code == "VMStartTimedOut"


def test_the_states_of_parts_are_not_the_machines() -> None:
    """An agent, an extension or a disk may fail beside a machine that runs well."""
    status = {"code": "ProvisioningState/failed/1", "level": "Error"}
    off = {"code": "PowerState/deallocated"}
    parts = {
        "vmAgent": {
            "statuses": [{"code": "ProvisioningState/Unavailable"}],
            "extensionHandlers": [{"status": {"code": "ProvisioningState/NotReady/7"}}],
        },
        "extensions": [{"statuses": [status]}],
        "disks": [{"statuses": [status, off]}],
    }
    own = [{"code": "ProvisioningState/succeeded"}, {"code": "PowerState/running"}]
    well = reading({"properties": {"instanceView": {**parts, "statuses": own}}}, AT)
    assert well.power is Power.RUNNING
    assert well.provisioning == Provisioning(state="succeeded")
    silent = reading({"properties": {"instanceView": parts}}, AT)
    assert (silent.power, silent.provisioning) == (Power.UNKNOWN, None)


@pytest.mark.parametrize(
    "body",
    [
        {"value": [{"name": {"value": "cores"}, "limit": 100, "currentValue": 5}]},
        {"status": "Succeeded", "startTime": "2026-11-30T10:00:00Z"},
        {"statuses": [{"code": "PowerState/running"}], "vmAgent": {}},
        {"properties": {"limit": 220, "name": {"value": "family"}}},
        {"data": [{"powerState": "PowerState/running"}]},
    ],
)
def test_a_good_body_of_something_else_is_unknown(body: dict[str, Any]) -> None:
    """Usages, an operation, a view alone, a quota, a query: none is a machine."""
    found = reading(body, AT)
    assert (found.power, found.provisioning) == (Power.UNKNOWN, None)
    assert found.problem is not None


def test_provisioning_falls_back_on_the_property() -> None:
    """Without an entry the VM's own property tells, and has no time."""
    assert read(provisioningState="Updating").provisioning == Provisioning(
        state="updating"
    )
    entry = {"code": "ProvisioningState/succeeded"}
    found = read(entry, provisioningState="Updating").provisioning
    assert found == Provisioning(state="succeeded")


@pytest.mark.parametrize(
    ("tags", "name"),
    [
        ({"controlled-by": "switch-a"}, "switch-a"),
        ({"Controlled-By": "switch-a", "x": "y"}, "switch-a"),
        ({"controlled-by": ""}, None),
        ({"controlled_by": "switch-a"}, None),
        ({}, None),
    ],
)
def test_the_tag_names_the_control_plane(
    tags: dict[str, str], name: str | None
) -> None:
    """Tag names have no case of their own."""
    assert reading({"tags": tags}, AT).controlled_by == name


@pytest.mark.parametrize(
    "text", [None, 7, "", "soon", "2026-11-30T10:00:00", "0001-01-01T00:00:00+02:00"]
)
def test_a_time_without_a_zone_is_none(text: object) -> None:
    """Nor is anything that is no time, or lies outside the calendar."""
    assert instant(text) is None
