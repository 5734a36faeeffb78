"""What whole deployments would make: a change of it is read before it lands."""

import json

import pytest

from tests.infra.golden import place
from tests.infra.reading import of
from tests.infra.sets import GOLDEN, Snapshots

MACHINES = {
    "Microsoft.Compute/virtualMachines": 1,
    "Microsoft.Network/networkInterfaces": 1,
    "Microsoft.DevTestLab/schedules": 1,
    "Microsoft.Insights/diagnosticSettings": 1,
}


@pytest.mark.parametrize("name", GOLDEN)
def test_it_makes_what_it_made(snapshots: Snapshots, name: str) -> None:
    """`python -m tests.infra.golden` keeps a new one."""
    kept = json.loads(place(name).read_text())
    now = snapshots[name]
    assert now["predictedResources"] == kept["predictedResources"]
    assert now["outputs"] == kept["outputs"]
    assert now["diagnostics"] == []


def test_an_ordinary_deployment_makes_no_machine(snapshots: Snapshots) -> None:
    """G20: nor does it touch one; a machine's own things come with it alone."""
    for name, count in MACHINES.items():
        assert of(snapshots["off"], name) == []
        assert len(of(snapshots["on"], name)) == count


def test_a_second_machine_repeats_the_first(snapshots: Snapshots) -> None:
    """One is made at a time; each has its own address to go out by."""
    made = snapshots["second"]
    assert len(of(made, "Microsoft.Compute/virtualMachines")) == 1
    addresses = of(made, "Microsoft.Network/publicIPAddresses")
    assert [each["name"] for each in addresses] == [
        "pip-vm-kimi-01-eastus2",
        "pip-vm-kimi-02-eastus2",
    ]


def test_g14_a_move_of_region_is_a_deployment(snapshots: Snapshots) -> None:
    """G14: no machine-side thing of two regions has the same name."""
    there = {
        name: {
            each["id"]
            for each in snapshots[name]["predictedResources"]
            if each.get("location") == region
        }
        for name, region in (("on", "eastus2"), ("moved", "westus3"))
    }
    assert there["moved"]
    kinds = {each.split("/providers/")[1].split("/")[1] for each in there["moved"]}
    assert kinds >= {"virtualMachines", "virtualNetworks", "storageAccounts"}
    assert not there["on"] & there["moved"]


def test_no_output_is_a_secret(snapshots: Snapshots) -> None:
    """Outputs are kept with the deployment, where readers see them."""
    for name, value in snapshots["on"]["outputs"].items():
        assert "listKeys" not in str(value)
        assert not any(word in name for word in ("TOKEN", "SECRET", "PASSWORD"))
