"""Who cries where the switch is silent: alerts, budgets, and what each can see."""

import re
from datetime import date
from typing import Any

import pytest

from function_app import tick
from tests.infra.compiler import Document
from tests.infra.reading import named, of, one, resources
from tests.infra.sets import GOLDEN, Snapshots

RULE = "Microsoft.Insights/scheduledQueryRules"
BUDGET = "Microsoft.Consumption/budgets"


def rules(snapshots: Snapshots, name: str = "off") -> list[dict[str, Any]]:
    return [each["properties"] for each in of(snapshots[name], RULE)]


def test_g22_a_query_always_has_its_one_row(snapshots: Snapshots) -> None:
    """G22: one that found nothing never fired."""
    for rule in rules(snapshots):
        (criterion,) = rule["criteria"]["allOf"]
        *_, last = map(str.strip, criterion["query"].split("|"))
        assert last.startswith(f"summarize {criterion['metricMeasureColumn']} = ")
        assert " by " not in last


def test_g16_a_table_that_is_not_there_yet_fails_no_deployment(
    template: Document,
) -> None:
    """G16: nothing was logged before the first deployment; no query fails for that."""
    found = [each for _, each in resources(template) if each["type"] == RULE]
    assert len(found) == 4
    assert all(each["properties"]["skipQueryValidation"] is True for each in found)


def test_no_rule_is_switched_off_for_want_of_a_table(snapshots: Snapshots) -> None:
    """Azure does it after a week of failed queries; a machine may be off for longer."""
    for rule in rules(snapshots):
        (criterion,) = rule["criteria"]["allOf"]
        query = criterion["query"]
        tables = r"union isfuzzy=true (\w+), \(datatable\((.+)\)\[\]\) \| where "
        found = re.match(tables, query)
        assert found is not None, query
        columns = set(re.findall(r"(\w+):", found[2])) - {"TimeGenerated", "Resource"}
        assert all(column in query.split("|")[1] for column in columns)


def test_what_is_not_heard_is_said_again(snapshots: Snapshots) -> None:
    """A mail that was missed costs 85 USD an hour."""
    for rule in rules(snapshots):
        assert rule["autoMitigate"] is False
        assert rule["muteActionsDuration"] in {"PT1H", "PT6H"}


def test_g17_no_alert_asks_what_needs_an_identity(snapshots: Snapshots) -> None:
    """G17: the resource graph knows no duration, and is read with rights of its own."""
    for rule in rules(snapshots):
        (criterion,) = rule["criteria"]["allOf"]
        assert not re.search(r"\b(arg|search)\b", criterion["query"])
        assert len(rule["actions"]["actionGroups"]) == 1
        assert rule["evaluationFrequency"] in {"PT5M", "PT15M"}


def test_the_timer_is_looked_for_by_its_name(snapshots: Snapshots) -> None:
    """It must tick within a quarter of an hour."""
    silent = named(snapshots["off"], RULE, "alert-kimi-timer-silent")["properties"]
    (criterion,) = silent["criteria"]["allOf"]
    name = tick._function.get_function_name()
    assert f'OperationName == "{name}"' in criterion["query"]
    assert (criterion["operator"], criterion["threshold"]) == ("LessThan", 1)
    assert silent["windowSize"] == "PT15M"


@pytest.mark.parametrize(
    ("hours", "minutes", "window"),
    [
        ("4", 255, "PT6H"),
        ("0.5", 45, "PT6H"),
        ("5.5", 345, "P1D"),
        ("5.25", 330, "PT6H"),
        ("12", 735, "P1D"),
        (".5", 45, "PT6H"),
        ("24", 1455, "P2D"),
    ],
)
def test_a_machine_that_is_up_for_too_long(
    snapshots: Snapshots, hours: str, minutes: int, window: str
) -> None:
    """The cap and a quarter of an hour, in a window that can hold it."""
    made = snapshots.of(f"cap {hours}", {"MAX_RUNTIME_HOURS": hours})
    long = named(made, RULE, "alert-kimi-up-too-long")["properties"]
    (criterion,) = long["criteria"]["allOf"]
    assert (criterion["threshold"], long["windowSize"]) == (minutes, window)


def test_the_switch_is_asked_from_outside(snapshots: Snapshots) -> None:
    """Without a log line of its own: at the address that phones use."""
    made = snapshots["off"]
    probe = one(made, "Microsoft.Insights/webtests")
    insights = one(made, "Microsoft.Insights/components")
    said = probe["properties"]
    public = made["outputs"]["PUBLIC_URL"]
    assert said["Request"]["RequestUrl"] == f"{public}/healthz"
    assert said["ValidationRules"]["ExpectedHttpStatusCode"] == 200
    assert probe["tags"][f"hidden-link:{insights['id']}"] == "Resource"
    assert len(said["Locations"]) == 5
    alert = one(made, "Microsoft.Insights/metricAlerts")["properties"]
    assert alert["criteria"]["webTestId"] == probe["id"]
    assert set(alert["scopes"]) == {probe["id"], insights["id"]}


def test_every_alarm_reaches_people(snapshots: Snapshots) -> None:
    """All that are named."""
    made = snapshots.of("two people", {"ALARM_EMAILS": "a@example.com,b@example.com"})
    group = one(made, "Microsoft.Insights/actionGroups")
    assert group["location"] == "global"
    assert len(group["properties"]["groupShortName"]) <= 12
    told = [e["emailAddress"] for e in group["properties"]["emailReceivers"]]
    assert told == ["a@example.com", "b@example.com"]
    for budget in of(made, BUDGET):
        for each in budget["properties"]["notifications"].values():
            assert each["contactEmails"] == told
            assert each["contactGroups"] == [group["id"]]


@pytest.mark.parametrize("name", GOLDEN)
def test_budgets(snapshots: Snapshots, name: str) -> None:
    """One pot for the credit, and its twin for the switch; dates that Azure takes."""
    pot, monthly = of(snapshots[name], BUDGET)
    assert pot["properties"]["timeGrain"] == "Annually"
    assert monthly["properties"]["timeGrain"] == "Monthly"
    assert pot["properties"]["amount"] == 4500
    config = one(snapshots[name], "Microsoft.Web/sites/config")["properties"]
    assert config["BUDGET_NAME"] == monthly["name"]
    for each in (pot, monthly):
        period = each["properties"]["timePeriod"]
        start = date.fromisoformat(period["startDate"].partition("T")[0])
        assert start.day == 1
        told = each["properties"]["notifications"].values()
        bounds = {(e["thresholdType"], e["threshold"]) for e in told}
        assert bounds == {
            ("Actual", 25),
            ("Actual", 50),
            ("Actual", 80),
            ("Forecasted", 100),
        }
        assert {each["operator"] for each in told} == {"GreaterThan"}


def test_an_offer_without_budgets_says_why(snapshots: Snapshots) -> None:
    """The reason stands at the group, and the switch asks for no budget."""
    made = snapshots["no budgets"]
    assert of(made, BUDGET) == []
    group = one(made, "Microsoft.Resources/resourceGroups")
    assert group["tags"]["no-budgets-because"] == "the offer has none"
    assert one(made, "Microsoft.Web/sites/config")["properties"]["BUDGET_NAME"] == ""
