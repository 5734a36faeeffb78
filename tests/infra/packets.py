"""What a network security group does with one packet, as Azure evaluates its rules.

https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_DEFAULTS = (
    ("AllowVnetInBound", 65_000, "Allow", "VirtualNetwork"),
    ("AllowAzureLoadBalancerInBound", 65_001, "Allow", "AzureLoadBalancer"),
    ("DenyAllInBound", 65_500, "Deny", "*"),
)


@dataclass(frozen=True)
class Packet:
    """One that comes in; `source` is a service tag."""

    source: str
    protocol: str
    port: int


def verdict(rules: Iterable[dict[str, Any]], packet: Packet) -> str:
    """Return the name of the rule that decides, and what it decides."""
    written = [(each["name"], each["properties"]) for each in rules]
    inbound = [each for each in written if each[1]["direction"] == "Inbound"]
    for name, said in sorted([*inbound, *_defaults()], key=lambda e: e[1]["priority"]):
        if _meets(said, packet):
            return f"{name}: {said['access']}"
    raise AssertionError("the last rule meets all")


def _defaults() -> Iterable[tuple[str, dict[str, Any]]]:
    for name, priority, access, source in _DEFAULTS:
        yield (
            name,
            {
                "priority": priority,
                "access": access,
                "protocol": "*",
                "sourceAddressPrefix": source,
                "destinationPortRange": "*",
            },
        )


def _meets(said: dict[str, Any], packet: Packet) -> bool:
    return (
        said["protocol"] in {"*", packet.protocol}
        and said["sourceAddressPrefix"] in {"*", packet.source}
        and _holds(said["destinationPortRange"], packet.port)
    )


def _holds(ports: str, port: int) -> bool:
    if ports == "*":
        return True
    first, _, last = ports.partition("-")
    return int(first) <= port <= int(last or first)
