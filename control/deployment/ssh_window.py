"""The rule that lets a person in by SSH: shut in every deployment, open for minutes.

The rule is ours by its name and stands in `infra/modules/network.bicep`; closed by a
command or by a deployment it is the same.
"""

import ipaddress
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from control.errors import CommandError

NAME = "allow-ssh-admin"
VERSION = "2024-05-01"
_SHUT = "Opened for minutes by `control admin open`; a deployment closes it."
# Wider than that is no person's own address.
_WIDEST = 24

type Properties = Mapping[str, Any]


def opened(rule: Properties, source: str, until: datetime) -> dict[str, Any]:
    """Return the rule that lets one address in; it says until when."""
    why = f"Open until {until:%Y-%m-%d %H:%M} UTC by `control admin open`."
    return _changed(rule, access="Allow", source=source, why=why)


def shut(rule: Properties) -> dict[str, Any]:
    """Return the rule as every deployment writes it."""
    return _changed(rule, access="Deny", source="Internet", why=_SHUT)


def is_shut(rule: Properties) -> bool:
    """Whether nobody gets in by it."""
    return rule.get("access") == "Deny"


def address(text: str) -> str:
    """Read the address that is let in.

    Raises:
        CommandError: it is none, or far more than one person's.
    """
    try:
        network = ipaddress.IPv4Network(text.strip())
    except ValueError:
        network = None
    if network is None or network.prefixlen < _WIDEST or not network.is_global:
        raise CommandError(
            f"--from {text} is no address of yours, such as 203.0.113.7: look it up at "
            "the machine that you log in from."
        )
    return str(network)


def _changed(rule: Properties, *, access: str, source: str, why: str) -> dict[str, Any]:
    kept = {name: value for name, value in rule.items() if name != "provisioningState"}
    return {**kept, "access": access, "sourceAddressPrefix": source, "description": why}
