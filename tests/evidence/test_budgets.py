"""The local Azure's budget against recorded and specified ones."""

import httpx
import pytest

from local.azure import LocalAzure
from tests.evidence.allowances import SERVER
from tests.evidence.asked import budget
from tests.evidence.compare import Allowed, check_fields, check_headers
from tests.evidence.shared import example, recorded

_NOTICES = "properties.notifications."
_NAMES = {_NOTICES: "notices have names of their own; their fields are compared below"}
_OLD_FILTER = {
    "properties.filters": "the filters of 2018, which are `filter` now",
    "properties.filters.": "the same",
}
_FILTER = {
    "properties.filter": "our budget is of a whole subscription",
    "properties.filter.": "the same",
}


def test_a_budget_as_recorded(azure: LocalAzure, arm: httpx.Client) -> None:
    """Names in their order; an id without its first slash, a quoted eTag."""
    answer, recording = budget(azure, arm), recorded("17")
    ours, theirs = answer.json(), recording["body"]
    check_fields(ours, theirs, Allowed(lacks=_OLD_FILTER | _NAMES, adds=_NAMES))
    names = [name for name in theirs["properties"] if name != "filters"]
    assert list(ours["properties"]) == names
    check_headers(answer.headers, recording["headers"], Allowed(adds=SERVER))
    for body in (ours, theirs):
        assert body["id"].startswith("subscriptions/")
        assert body["eTag"].startswith('"')
        assert body["type"] == "Microsoft.Consumption/budgets"


def test_a_new_budget_as_recorded(azure: LocalAzure, arm: httpx.Client) -> None:
    """`currentSpend` is null: neither missing nor 0."""
    ours, theirs = budget(azure, arm, None).json(), recorded("16")["body"]
    check_fields(ours, theirs, Allowed(lacks=_OLD_FILTER, adds=_NAMES))
    assert ours["properties"]["currentSpend"] is None


@pytest.mark.parametrize(
    "version",
    ["consumption-2023-05-01", "consumption-2023-11-01", "consumption-2024-08-01"],
)
def test_a_budget_as_specified(
    azure: LocalAzure, arm: httpx.Client, version: str
) -> None:
    """The same fields in every version since."""
    ours, theirs = budget(azure, arm).json(), example(version, "Budget")["body"]
    check_fields(ours, theirs, Allowed(lacks=_FILTER | _NAMES, adds=_NAMES))
    assert not theirs["id"].startswith("/")


def test_a_notice_of_a_budget(azure: LocalAzure, arm: httpx.Client) -> None:
    """Its fields are the recorded ones and the kind of threshold, specified since."""
    ours = budget(azure, arm).json()["properties"]["notifications"]
    (notice,) = ours.values()
    old = recorded("17")["body"]["properties"]["notifications"]
    new = example("consumption-2024-08-01", "Budget")["body"]["properties"]
    since = {"thresholdType": "the recording of 2018 did not have it"}
    for each in old.values():
        check_fields(notice, each, Allowed(adds=since))
    nobody = {
        "contactGroups[]": "nobody but one address is told by ours",
        "contactRoles[]": "the same",
    }
    for each in new["notifications"].values():
        check_fields(notice, each, Allowed(lacks=nobody))
