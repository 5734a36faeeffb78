"""The names by which commands find what was made, compared with the templates."""

import json

from control.cli.doctor import ALARMS
from control.deployment.preflight import BUDGETS, budget_name, vault_names
from control.deployment.region import Thing, machine_side
from control.roles import OWN_ROLES, own_role
from tests.infra.compiler import Document
from tests.infra.golden import place
from tests.infra.reading import of
from tests.infra.sets import SUBSCRIPTION

GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg-kimi"


def kept(name: str) -> Document:
    read: Document = json.loads(place(name).read_text())
    return read


def names(made: Document, kind: str) -> set[str]:
    return {each["name"] for each in of(made, kind)}


def test_our_roles_are_found() -> None:
    """By a GUID of the group and a word: a clean-up deletes no other."""
    made = names(kept("off"), "Microsoft.Authorization/roleDefinitions")
    assert made == {own_role(GROUP, name) for name in OWN_ROLES}


def test_our_vaults_and_budgets_are_found() -> None:
    """And those of a prefix that only begins alike are not."""
    made = kept("off")
    ours = vault_names("kimi")
    assert all(map(ours.fullmatch, names(made, "Microsoft.KeyVault/vaults")))
    assert not ours.fullmatch("kva-kimi2rjhilxj3knnis")
    budgets = names(made, "Microsoft.Consumption/budgets")
    assert budgets == {budget_name("kimi", word) for word in BUDGETS}


def test_every_alarm_is_counted() -> None:
    """One that somebody deleted is missed."""
    made = kept("off")
    rules = of(made, "Microsoft.Insights/scheduledQueryRules")
    assert len(rules) + len(of(made, "Microsoft.Insights/metricAlerts")) == ALARMS


def test_a_regions_machines_are_found_and_the_switch_is_not() -> None:
    """Whatever a deployment with a machine adds, and the network and weights."""
    made = kept("on")["predictedResources"]
    things = [
        Thing(id=e["id"], kind=e["type"], name=e["name"], region=e["location"])
        for e in made
        if "location" in e
    ]
    goes = [each.name for each in machine_side(things, "kimi", "eastus2")]
    assert goes == [
        "vm-kimi-01-eastus2",
        "shutdown-computevm-vm-kimi-01-eastus2",
        "nic-vm-kimi-01-eastus2",
        "pip-vm-kimi-01-eastus2",
        "vnet-kimi-eastus2",
        "nsg-kimi-eastus2",
        "id-kimi-vm-kimi-01-eastus2",
        next(e.name for e in things if e.name.startswith("stkimiw")),
    ]
    assert machine_side(things, "kimi", "westus3") == []
