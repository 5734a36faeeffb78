"""Private by default: which packet comes in, one by one."""

from copy import deepcopy

import pytest

from tests.infra.packets import Packet, verdict
from tests.infra.reading import Resource, one
from tests.infra.sets import Snapshots

PORTS = range(1, 65_536)
ALWAYS = {"allow-ssh-admin", "deny-internet-all"}
OPEN = {"allow-https", "allow-acme-http"}


def rules(snapshots: Snapshots, name: str) -> list[Resource]:
    guard = one(snapshots[name], "Microsoft.Network/networkSecurityGroups")
    found: list[Resource] = guard["properties"]["securityRules"]
    return found


@pytest.mark.parametrize(
    ("name", "open_"), [("off", set()), ("edge C", set()), ("on", {80, 443})]
)
def test_what_comes_in_from_the_internet(
    snapshots: Snapshots, name: str, open_: set[int]
) -> None:
    """Edge A alone is reached, by TCP, at two ports; SSH and the model never."""
    said = rules(snapshots, name)
    let_in = {
        (protocol, port)
        for protocol in ("Tcp", "Udp")
        for port in PORTS
        if verdict(said, Packet("Internet", protocol, port)).endswith("Allow")
    }
    assert let_in == {("Tcp", port) for port in open_}


def test_it_is_our_rule_that_keeps_the_internet_out(snapshots: Snapshots) -> None:
    """Not Azure's last one: that one is not ours to rely on."""
    said = rules(snapshots, "off")
    assert verdict(said, Packet("Internet", "Tcp", 22)) == "allow-ssh-admin: Deny"
    assert verdict(said, Packet("Internet", "Icmp", 0)) == "deny-internet-all: Deny"


def test_an_opened_window_is_above_the_wall(snapshots: Snapshots) -> None:
    """What `admin open` changes is enough, and it lets in nothing else."""
    source = "203.0.113.7/32"
    said = deepcopy(rules(snapshots, "off"))
    said[0]["properties"] |= {"access": "Allow", "sourceAddressPrefix": source}
    assert verdict(said, Packet(source, "Tcp", 22)) == "allow-ssh-admin: Allow"
    assert verdict(said, Packet("Internet", "Tcp", 22)) == "deny-internet-all: Deny"


@pytest.mark.parametrize(("name", "more"), [("off", set()), ("on", OPEN)])
def test_the_rules_by_name(snapshots: Snapshots, name: str, more: set[str]) -> None:
    """No rule names port 8000; the numbers are those that people know."""
    said = {each["name"]: each["properties"] for each in rules(snapshots, name)}
    assert set(said) == ALWAYS | more
    numbers = {"allow-ssh-admin": 100, "allow-https": 200, "allow-acme-http": 210}
    numbers["deny-internet-all"] = 4000
    assert all(said[each]["priority"] == numbers[each] for each in said)
    assert not any("8000" in each["destinationPortRange"] for each in said.values())


def test_the_subnet(snapshots: Snapshots) -> None:
    """It goes out by an address of ours alone, and to storage and vaults directly."""
    made = snapshots["off"]
    network = one(made, "Microsoft.Network/virtualNetworks")["properties"]
    (subnet,) = network["subnets"]
    said = subnet["properties"]
    assert network["addressSpace"]["addressPrefixes"] == ["10.40.0.0/24"]
    assert (said["addressPrefix"], said["defaultOutboundAccess"]) == (
        "10.40.0.0/26",
        False,
    )
    services = {each["service"] for each in said["serviceEndpoints"]}
    assert services == {"Microsoft.Storage", "Microsoft.KeyVault"}
    guard = one(made, "Microsoft.Network/networkSecurityGroups")
    assert said["networkSecurityGroup"]["id"] == guard["id"]
    address = one(made, "Microsoft.Network/publicIPAddresses")
    assert address["sku"]["name"] == "Standard"
    assert address["properties"]["publicIPAllocationMethod"] == "Static"
