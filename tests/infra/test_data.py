"""What keeps data: three storage accounts and two vaults, each for one thing."""

from typing import Any

import pytest

from tests.infra.reading import named, of, one
from tests.infra.sets import GOLDEN, Snapshots

ACCOUNT = "Microsoft.Storage/storageAccounts"
VAULT = "Microsoft.KeyVault/vaults"


def account(snapshots: Snapshots, letter: str, name: str = "off") -> dict[str, Any]:
    prefix = "amd" if name == "mi300x" else "kimi"
    return named(snapshots[name], ACCOUNT, f"st{prefix}{letter}")


@pytest.mark.parametrize("name", GOLDEN)
def test_names_that_azure_takes(snapshots: Snapshots, name: str) -> None:
    """Their lengths and letters; the longest prefix fits too."""
    for each in of(snapshots[name], ACCOUNT):
        assert each["name"].isalnum()
        assert each["name"].islower()
        assert 3 <= len(each["name"]) <= 24
    for each in of(snapshots[name], VAULT):
        assert each["name"].replace("-", "").isalnum()
        assert 3 <= len(each["name"]) <= 24


def test_the_longest_prefix(snapshots: Snapshots) -> None:
    """And one letter more is refused before anything is made."""
    made = snapshots.of("longest", {"SWITCH_PREFIX": "sevenxx"})
    lengths = {len(e["name"]) for kind in (ACCOUNT, VAULT) for e in of(made, kind)}
    assert max(lengths) == 24
    with pytest.raises(AssertionError, match="maximum allowable length"):
        snapshots.of("longer", {"SWITCH_PREFIX": "eightxxx"})


@pytest.mark.parametrize("letter", ["w", "l", "a"])
def test_no_account_has_keys_or_public_blobs(snapshots: Snapshots, letter: str) -> None:
    """Identity alone, over TLS 1.2, and nothing is replicated to another tenant."""
    said = account(snapshots, letter)["properties"]
    assert said["allowSharedKeyAccess"] is False
    assert said["allowBlobPublicAccess"] is False
    assert said["allowCrossTenantReplication"] is False
    assert said["supportsHttpsTrafficOnly"] is True
    assert said["minimumTlsVersion"] == "TLS1_2"


def test_the_weights_are_reached_from_the_machines_alone(snapshots: Snapshots) -> None:
    """In their region, from their subnet."""
    weights = account(snapshots, "w", "mi300x")
    assert weights["location"] == "swedencentral"
    rules = weights["properties"]["networkAcls"]
    (rule,) = rules["virtualNetworkRules"]
    assert (rules["defaultAction"], rules["bypass"]) == ("Deny", "None")
    assert rule["id"].endswith("/vnet-amd-swedencentral/subnets/machines")
    for letter in ("l", "a"):
        other = account(snapshots, letter, "mi300x")
        assert other["location"] == "eastus2"
        assert other["properties"]["networkAcls"]["defaultAction"] == "Allow"


def test_the_ledger_outlives_a_datacenter(snapshots: Snapshots) -> None:
    """The weights come from the hub again, and packages from a checkout."""
    made = {letter: account(snapshots, letter)["sku"]["name"] for letter in "wla"}
    assert made == {"w": "Standard_LRS", "l": "Standard_ZRS", "a": "Standard_LRS"}


def test_what_each_account_holds(snapshots: Snapshots) -> None:
    """Nothing stands in two of them."""
    kinds = ("blobServices/containers", "tableServices/tables")
    held = {
        (each["name"][6], each["name"].rpartition("/")[2])
        for kind in kinds
        for each in of(snapshots["off"], f"{ACCOUNT}/{kind}")
    }
    assert held == {
        ("w", "models"),
        ("l", "ledger"),
        ("a", "payload"),
        ("a", "packages"),
    }


def test_a_vault_for_the_app_and_one_for_each_machine(snapshots: Snapshots) -> None:
    """By roles; a deleted one stays for a week, and comes back if a person says so."""
    vaults = of(snapshots["second"], VAULT)
    assert [each["name"][:4] for each in vaults] == ["kva-", "kvm-", "kvm-"]
    assert len({each["name"] for each in vaults}) == 3
    for each in vaults:
        said = each["properties"]
        assert said["enableRbacAuthorization"] is True
        assert said["softDeleteRetentionInDays"] == 7
        assert "createMode" not in said
        assert "enablePurgeProtection" not in said
        assert "accessPolicies" not in said


def test_no_template_makes_a_secret(snapshots: Snapshots) -> None:
    """What a deployment wrote stands in its history."""
    for name in GOLDEN:
        kinds = {each["type"] for each in snapshots[name]["predictedResources"]}
        assert not any("secrets" in kind for kind in kinds)


def test_telemetry_takes_no_key_and_costs_no_more_than_its_cap(
    snapshots: Snapshots,
) -> None:
    """A gigabyte a day."""
    made = snapshots["off"]
    insights = one(made, "Microsoft.Insights/components")["properties"]
    workspace = one(made, "Microsoft.OperationalInsights/workspaces")
    assert insights["DisableLocalAuth"] is True
    assert insights["WorkspaceResourceId"] == workspace["id"]
    assert workspace["properties"]["workspaceCapping"] == {"dailyQuotaGb": 1}
